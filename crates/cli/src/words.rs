//! Words of the caller's shell put together into one command line, so that each arrives as one word.

use runtime::words::quote;

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

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
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
            (&["/set", "C:\\my dir"], "/set \"C:\\\\my dir\""),
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
            prop_assert_eq!(runtime::words::split(&join(&all).unwrap()).unwrap(), all);
        }
    }
}
