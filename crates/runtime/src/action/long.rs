//! Output that is too long for a reply: its beginning and its end, with the whole in a file.

use std::path::Path;

use crate::files;
use crate::reply::REPLY_MAX;

/// The end usually says what matters.
const TAIL: usize = 44 * 1024;
const HEAD: usize = 16 * 1024;

/// The text as a reply may hold it.
pub fn shortened(text: String, home: &Path) -> String {
    if text.len() <= REPLY_MAX {
        return text;
    }
    let head = &text[..text.floor_char_boundary(HEAD)];
    let tail = &text[text.ceil_char_boundary(text.len() - TAIL)..];
    let omitted = text.len() - head.len() - tail.len();
    let name = format!("{}/{}.log", crate::agent::OUTPUT, ulid::Ulid::generate());
    let note = match files::write_atomic(&home.join(&name), text.as_bytes()) {
        Ok(()) => format!("… {omitted} bytes omitted, full output: ~/{name} …"),
        Err(error) => format!("… {omitted} bytes omitted, and could not be kept: {error} …"),
    };
    format!("{head}\n{note}\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_shown_and_the_whole_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let text = format!("first\n{}\nlast", "é".repeat(REPLY_MAX));
        let short = shortened(text.clone(), home.path());
        assert!(short.len() <= REPLY_MAX && short.starts_with("first\n") && short.ends_with("\nlast"));
        let (_, rest) = short.split_once("full output: ~/").unwrap();
        let (name, _) = rest.split_once(" …").unwrap();
        assert_eq!(std::fs::read_to_string(home.path().join(name)).unwrap(), text);
        assert_eq!(shortened("x".repeat(REPLY_MAX), home.path()).len(), REPLY_MAX);
    }
}
