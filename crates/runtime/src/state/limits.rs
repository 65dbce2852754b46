//! What a key and a value may be.

use super::error::{Code, Error, Result};

/// Longest key.
const KEY_MAX: usize = 512;
/// Longest value, as compact JSON.
const VALUE_MAX: usize = 4 << 20;
/// Deepest value: any reader of JSON gets that far, ours included.
const DEPTH_MAX: usize = 100;
/// The longest time that an entry may be given: ten years.
pub(super) const TTL_MAX: u64 = 315_360_000;
/// The most entries of one page.
pub const PAGE_MAX: usize = 1_000;

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

/// The refusal of a request that is too long to be read for its value.
pub fn request_too_large(bytes: usize) -> Error {
    too_large("the request with the value", bytes, VALUE_MAX)
}

/// Refuses JSON whose arrays and objects nest deeper than a value may, not counting the `around` that surround it.
pub fn check_depth(json: &str, around: usize) -> Result<()> {
    let deepest = depth(json).saturating_sub(around);
    if deepest > DEPTH_MAX {
        let message = format!("the value is nested {deepest} levels, at most {DEPTH_MAX} are allowed");
        return Err(Error::new(Code::LimitExceeded, message));
    }
    Ok(())
}

pub fn check_ttl(seconds: Option<u64>) -> Result<()> {
    match seconds {
        Some(seconds) if !(1..=TTL_MAX).contains(&seconds) => {
            Err(Error::invalid(format!("ttl_seconds is an integer from 1 to {TTL_MAX}, not {seconds}")))
        }
        _ => Ok(()),
    }
}

/// How deep arrays and objects nest, found without building them.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                // To the end of the string; what a backslash escapes does not end it.
                while let Some(byte) = bytes.next().filter(|byte| *byte != b'"') {
                    if byte == b'\\' {
                        bytes.next();
                    }
                }
            }
            _ => {}
        }
    }
    deepest
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
        for (json, deepest) in
            [("1", 0), ("[]", 1), ("[{},[[]]]", 3), (r#"["[[[\"[[["]"#, 1), ("]]]", 0), ("\"[", 0)]
        {
            assert_eq!(depth(json), deepest, "{json}");
        }
        let error = check_value(&vec![b'1'; VALUE_MAX + 1]).unwrap_err();
        assert_eq!(error.message, "the value has 4194305 bytes, at most 4194304 are allowed");
    }
}
