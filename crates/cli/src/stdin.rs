//! Standard input, read only when the plan says so.

use std::io::{self, Read};

use crate::failure::Failure;

/// More could not be sent, and would be read for nothing.
const MAX: u64 = wire::REQUEST_MAX as u64;

pub(crate) fn read() -> Result<String, Failure> {
    text(io::stdin().lock())
}

fn text(source: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    source
        .take(MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::failed(format!("cannot read standard input: {error}")))?;
    if bytes.len() as u64 > MAX {
        return Err(Failure::usage("Standard input is longer than 10 MiB."));
    }
    String::from_utf8(bytes).map_err(|_| Failure::usage("Standard input is not UTF-8 text."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Status;

    #[test]
    fn only_text_of_bearable_length_is_taken() {
        assert_eq!(text("a\nb\n".as_bytes()).unwrap(), "a\nb\n");
        assert_eq!(text([0xff].as_slice()).unwrap_err().status, Status::Usage);
        assert!(text(io::repeat(b'a').take(MAX)).is_ok());
        assert_eq!(text(io::repeat(b'a')).unwrap_err().status, Status::Usage);
    }
}
