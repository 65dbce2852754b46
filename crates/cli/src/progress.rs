//! How far a long command has come: a bar on the terminal, gone once there is a reply.

use std::io::{self, Write};

/// Back to the start of the line, and clears it.
pub(crate) const CLEAR_LINE: &str = "\r\x1b[K";
const WIDTH: u64 = 24;

/// A bar on stderr, so that what stdout is sent to holds the reply alone.
#[derive(Debug, Default)]
pub(crate) struct Bar {
    drawn: bool,
}

impl Bar {
    pub(crate) fn show(&mut self, text: &str) {
        self.drawn = true;
        write(&format!("{CLEAR_LINE}{}", line(text)));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if self.drawn {
            write(CLEAR_LINE);
        }
    }
}

/// `3 of 12 files` with a bar before it; other words as they are.
pub(crate) fn line(text: &str) -> String {
    let Some((done, total)) = counts(text) else { return text.to_owned() };
    let filled =
        u64::try_from(u128::from(done.min(total)) * u128::from(WIDTH) / u128::from(total)).unwrap_or(0);
    let part = |sign: &str, count: u64| sign.repeat(usize::try_from(count).unwrap_or(0));
    format!("[{}{}] {text}", part("█", filled), part("░", WIDTH - filled))
}

/// The counts that a text begins with.
fn counts(text: &str) -> Option<(u64, u64)> {
    let mut words = text.split(' ');
    let (done, of, total) = (words.next()?, words.next()?, words.next()?);
    let total = total.parse().ok().filter(|total| *total > 0 && of == "of")?;
    Some((done.parse().ok()?, total))
}

fn write(text: &str) {
    // A terminal that is gone needs no bar.
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_become_a_bar() {
        for (text, bar) in [
            ("0 of 2 files", "[░░░░░░░░░░░░░░░░░░░░░░░░] 0 of 2 files"),
            ("1 of 2 files", "[████████████░░░░░░░░░░░░] 1 of 2 files"),
            ("9 of 2 files", "[████████████████████████] 9 of 2 files"),
            ("512 KB", "512 KB"),
            ("1 of 0 files", "1 of 0 files"),
            ("one of 2", "one of 2"),
            ("", ""),
        ] {
            assert_eq!(line(text), bar);
        }
        assert!(line(&format!("{} of {} B", u64::MAX, u64::MAX)).starts_with("[█"));
    }
}
