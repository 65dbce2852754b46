//! What a key and a value may be.

use super::error::{Code, Error, Result};

/// Longest key.
const KEY_MAX: usize = 512;
/// Longest value, as compact JSON.
const VALUE_MAX: usize = 4 << 20;

pub fn check_key(key: &str) -> Result<()> {
    if key.is_empty() {
        return Err(Error::invalid("key is empty"));
    }
    check_key_prefix(key)
}

/// A prefix may be empty; in everything else it is like a key.
pub fn check_key_prefix(key: &str) -> Result<()> {
    if key.chars().any(char::is_control) {
        return Err(Error::invalid("a key has no control characters"));
    }
    if key.len() > KEY_MAX {
        return Err(too_large("the key", key.len(), KEY_MAX));
    }
    Ok(())
}

pub fn check_value(json: &[u8]) -> Result<()> {
    if json.len() > VALUE_MAX { Err(too_large("the value", json.len(), VALUE_MAX)) } else { Ok(()) }
}

fn too_large(what: &str, is: usize, most: usize) -> Error {
    Error::new(Code::LimitExceeded, format!("{what} has {is} bytes, at most {most} are allowed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_a_length_and_no_control_characters() {
        let long = "é".repeat(256);
        for key in ["a", "../x", "é", " ", long.as_str()] {
            assert_eq!(check_key(key), Ok(()), "{key}");
        }
        for (key, code) in [
            ("", Code::InvalidArgument),
            ("a\0b", Code::InvalidArgument),
            ("a\n", Code::InvalidArgument),
            ("\u{85}", Code::InvalidArgument),
            (&format!("{long}x"), Code::LimitExceeded),
        ] {
            assert_eq!(check_key(key).unwrap_err().code, code, "{key:?}");
        }
        let error = check_value(&vec![b'1'; VALUE_MAX + 1]).unwrap_err();
        assert_eq!(error.message, "the value has 4194305 bytes, at most 4194304 are allowed");
    }
}
