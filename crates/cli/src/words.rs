//! Words of the caller's shell put together into one command line, so that each arrives as one word.

use crate::failure::Failure;

/// Joins words into a line. The first is taken as it is (`'/open a.md'` is a whole command); the others are
/// quoted where they would fall apart.
pub(crate) fn join(words: &[String]) -> Result<String, Failure> {
    let (first, rest) = words.split_first().map_or(("", words), |(first, rest)| (first.as_str(), rest));
    let mut line = first.to_owned();
    for word in rest {
        if word.contains(['\n', '\r']) {
            return Err(Failure::usage(
                "A word with line breaks cannot follow a command.\n  \
                 Write the command and its body as one argument, or send the body with --stdin.",
            ));
        }
        line.push(' ');
        line.push_str(&quote(word));
    }
    Ok(line)
}

/// `"…"` with `\"` and `\\`, if the word needs it.
fn quote(word: &str) -> String {
    let fragile = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    if !word.is_empty() && !word.contains(fragile) {
        return word.to_owned();
    }
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    /// The receiving side, as simple as it can be.
    fn split(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        let mut chars = line.chars().peekable();
        while let Some(&c) = chars.peek() {
            if c == ' ' {
                chars.next();
                continue;
            }
            let mut word = String::new();
            if c == '"' {
                chars.next();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    word.push(if c == '\\' { chars.next().unwrap() } else { c });
                }
            } else {
                while let Some(c) = chars.next_if(|c| *c != ' ') {
                    word.push(c);
                }
            }
            words.push(word);
        }
        words
    }

    #[test]
    fn words_are_quoted_only_where_they_would_fall_apart() {
        let table: &[(&[&str], &str)] = &[
            (&[], ""),
            (&["/info"], "/info"),
            (&["/open my file.md"], "/open my file.md"),
            (&["/open", "a.md"], "/open a.md"),
            (&["/open", "my file.md"], "/open \"my file.md\""),
            (&["/set", "x", ""], "/set x \"\""),
            (&["/set", "x={\"a\": 1}"], "/set \"x={\\\"a\\\": 1}\""),
            (&["/set", "it's"], "/set \"it's\""),
            (&["/set", "a\\b"], "/set \"a\\\\b\""),
            (&["/add", "--home", "/a/b"], "/add --home /a/b"),
            (&["/write x\nbody"], "/write x\nbody"),
        ];
        for (given, expected) in table {
            assert_eq!(join(&words(given)).unwrap(), *expected);
        }
    }

    #[test]
    fn a_line_break_in_a_later_word_is_refused() {
        assert!(join(&words(&["/write", "x", "line\nline"])).unwrap_err().message.contains("--stdin"));
    }

    proptest! {
        #[test]
        fn every_word_arrives_as_one(rest in proptest::collection::vec("[a \\t\"'\\\\$é]{0,6}", 0..5)) {
            let mut all = vec!["/cmd".to_owned()];
            all.extend(rest);
            prop_assert_eq!(split(&join(&all).unwrap()), all);
        }
    }
}
