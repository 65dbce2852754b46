//! Quotes around a target: what they hold, and when a target that is to be typed needs them.

use std::borrow::Cow;

use sfmd::{Dialect, Piece, Template};

const QUOTES: [char; 2] = ['"', '\''];

/// A target without its quotes, which names with spaces often have. What says which part or version is meant may
/// stand behind them: `"my file.md"#part`, `"my file.md"@c1`, `"my file.md":L5`.
pub(crate) fn unquote(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let split = |quote| text.strip_prefix(quote)?.rsplit_once(quote);
    match QUOTES.into_iter().find_map(split) {
        Some((name, "")) => Cow::Borrowed(name),
        Some((name, part)) if !name.trim().is_empty() && is_part(part) => Cow::Owned(format!("{name}{part}")),
        _ => Cow::Borrowed(text),
    }
}

/// Whether a target names nothing, with quotes or without.
pub(crate) fn is_blank(text: &str) -> bool {
    unquote(text).trim().is_empty()
}

/// A name as it must be typed to mean itself: in quotes where a command would take a part of it for a placeholder,
/// a flag or a quote.
pub(crate) fn typed(name: &str) -> Cow<'_, str> {
    let template = Template::parse(name, Dialect::Definition);
    let is_plain = template.pieces.iter().all(|piece| matches!(piece, Piece::Text(_)))
        && !name.starts_with(QUOTES)
        && !name.starts_with("--")
        && !name.contains(" --")
        && name.trim() == name;
    if is_plain { Cow::Borrowed(name) } else { Cow::Owned(format!("'{name}'")) }
}

fn is_part(text: &str) -> bool {
    let starts_with_digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    text.strip_prefix('#').is_some_and(|block| !block.is_empty() && !block.contains('/'))
        || ["@c", ":L"].iter().any(|sign| text.strip_prefix(sign).is_some_and(starts_with_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_a_name_and_parts_may_stand_behind_them() {
        for (text, expected) in [
            ("a b.md", "a b.md"),
            ("\"a b.md\"", "a b.md"),
            (" 'a b.md' ", "a b.md"),
            ("'it's.md'", "it's.md"),
            ("\"a b.md#part\"", "a b.md#part"),
            ("\"a b.md\"#part", "a b.md#part"),
            ("'a b.md'@c1", "a b.md@c1"),
            ("'a b.md'@c1#part", "a b.md@c1#part"),
            ("'a b.md':L5-L9", "a b.md:L5-L9"),
            ("'a' and 'b'.md", "'a' and 'b'.md"),
            ("\"a\".md", "\"a\".md"),
            ("'a'#", "'a'#"),
            // Nothing before a part would be the open document.
            ("''#part", "''#part"),
            ("\" \":L5", "\" \":L5"),
            ("\"", "\""),
            ("", ""),
        ] {
            assert_eq!(unquote(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_in_quotes_is_nothing() {
        for text in ["", " ", "\"\"", "''", "\" \"", "' '"] {
            assert!(is_blank(text), "{text}");
        }
        for text in ["a", "\"a\"", "\"", ":L5", "#b", "''#b"] {
            assert!(!is_blank(text), "{text}");
        }
    }

    #[test]
    fn only_a_name_that_would_be_misread_gets_quotes() {
        for name in ["~/a b.md", "~/a#b.md", "~/100%.md", "~/it's.md", "~/a--b.md", "https://x.org/?a=b"] {
            assert_eq!(typed(name), name);
        }
        for name in ["~/cost $US.md", "~/brace {v2}.md", "~/x --outline", "--raw", "'a'.md", "~/end "] {
            assert_eq!(typed(name), format!("'{name}'"));
            assert_eq!(unquote(&typed(name)), name);
        }
    }
}
