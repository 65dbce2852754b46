//! Names of blocks, actions, menus and shortcuts, and the slugs made from free text.

use std::borrow::{Borrow, Cow};
use std::fmt;

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_general_category::{GeneralCategory, get_general_category};

/// A name that matches `[a-z][a-z0-9_-]*`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(String);

impl Id {
    pub fn parse(text: &str) -> Option<Id> {
        let mut bytes = text.bytes();
        let first = bytes.next()?;
        let rest_fits = bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-');
        (first.is_ascii_lowercase() && rest_fits).then(|| Id(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Borrow<str> for Id {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Id {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Id {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// Letters and digits of any script in lower case with the marks on them, `_` kept, spaces and hyphens as single
/// hyphens, the rest dropped. Slugs of slugs are themselves, so a reader may also ask for a heading by its text.
pub fn slug(text: &str) -> String {
    let text = composed(text);
    let mut out = String::with_capacity(text.len());
    let mut pending_hyphen = false;
    // A mark belongs to the letter before it; on anything else, such as an emoji, it goes with that.
    let mut after_letter = false;
    for c in text.chars() {
        let was_after_letter = std::mem::replace(&mut after_letter, false);
        if c.is_alphanumeric() || c == '_' {
            if pending_hyphen && !out.is_empty() {
                out.push('-');
            }
            pending_hyphen = false;
            out.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
            if c == '_' {
                out.push('_');
            }
            after_letter = true;
        } else if was_after_letter && is_mark(c) {
            out.push(c);
            after_letter = true;
        } else if c == '-' || c.is_whitespace() {
            pending_hyphen = true;
        }
    }
    out
}

/// The same text however it was typed: `é` as one character, not as two.
fn composed(text: &str) -> Cow<'_, str> {
    match text.is_ascii() {
        true => Cow::Borrowed(text),
        false => ComposingNormalizerBorrowed::new_nfc().normalize(text),
    }
}

fn is_mark(c: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
    !c.is_ascii() && matches!(get_general_category(c), EnclosingMark | NonspacingMark | SpacingMark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_starts_with_a_lower_case_letter() {
        for good in ["a", "summary", "get_token", "step-2", "x1"] {
            assert_eq!(Id::parse(good).map(|id| id.to_string()).as_deref(), Some(good));
        }
        for bad in ["", "A", "1a", "-a", "_a", "a b", "a.b", "é", "aB"] {
            assert_eq!(Id::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn slugs_keep_letters_of_every_script() {
        for (text, expected) in [
            ("Getting Started", "getting-started"),
            ("  C++ & Rust -- notes ", "c-rust-notes"),
            ("설치 방법", "설치-방법"),
            ("Überblick: Größe", "überblick-größe"),
            ("snake_case name", "snake_case-name"),
            ("हिन्दी भाषा", "हिन्दी-भाषा"),
            ("Cafe\u{301} noir", "café-noir"),
            ("ภาษาไทย", "ภาษาไทย"),
            ("❤\u{fe0f} Love", "love"),
            ("§ !", ""),
        ] {
            assert_eq!(slug(text), expected);
            assert_eq!(slug(expected), expected);
        }
    }
}
