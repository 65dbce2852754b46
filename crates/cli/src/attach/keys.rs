//! What the person types, and the one key that is not passed on.

use tokio::sync::mpsc;

/// Ctrl-\, as in other programs that attach and detach; hardly any program wants it.
const DETACH: u8 = 0x1c;
pub(super) const DETACH_NAME: &str = "Ctrl-\\";

/// How many reads may wait for a slow daemon before typing waits as well.
const AHEAD: usize = 16;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Keys {
    Typed(Vec<u8>),
    Detach,
}

/// Reads standard input in a thread of its own, which ends with the process: a terminal cannot be read without
/// blocking unless everybody who shares it is made to.
pub(super) fn read() -> mpsc::Receiver<Keys> {
    let (sender, received) = mpsc::channel(AHEAD);
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count) =
            rustix::io::retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut buffer))
        {
            let sent =
                understood(&buffer[..count]).into_iter().all(|keys| sender.blocking_send(keys).is_ok());
            if count == 0 || !sent {
                return;
            }
        }
    });
    received
}

/// The keys before the one that detaches, and that one.
fn understood(bytes: &[u8]) -> Vec<Keys> {
    let (typed, detach) = match bytes.iter().position(|byte| *byte == DETACH) {
        Some(at) => (&bytes[..at], Some(Keys::Detach)),
        None => (bytes, None),
    };
    let typed = (!typed.is_empty()).then(|| Keys::Typed(typed.to_vec()));
    typed.into_iter().chain(detach).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_the_detach_key_is_passed_on() {
        let typed = |bytes: &[u8]| Keys::Typed(bytes.to_vec());
        let table: [(&[u8], Vec<Keys>); 4] = [
            (b"ls\r", vec![typed(b"ls\r")]),
            (b"\x03\x04\x1a", vec![typed(b"\x03\x04\x1a")]),
            (b"ab\x1ccd", vec![typed(b"ab"), Keys::Detach]),
            (b"\x1c", vec![Keys::Detach]),
        ];
        for (bytes, expected) in table {
            assert_eq!(understood(bytes), expected, "{bytes:?}");
        }
    }
}
