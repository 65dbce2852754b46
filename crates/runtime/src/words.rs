//! Arguments as on a command line: words, with quotes as in a shell.

use crate::error::{Code, Error, Result};

/// Splits a line into words. `'…'` is literal, `"…"` knows `\"` and `\\`, elsewhere a backslash is a character.
pub fn split(line: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        rest = match c {
            '\'' => {
                let (inner, after) = rest[1..].split_once('\'').ok_or_else(|| open_quote(line))?;
                word.get_or_insert_default().push_str(inner);
                after
            }
            '"' => {
                let (inner, after) = double_quoted(&rest[1..]).ok_or_else(|| open_quote(line))?;
                word.get_or_insert_default().push_str(&inner);
                after
            }
            c => {
                match c.is_whitespace() {
                    true => words.extend(word.take()),
                    false => word.get_or_insert_default().push(c),
                }
                &rest[c.len_utf8()..]
            }
        };
    }
    words.extend(word);
    Ok(words)
}

/// What stands before a closing double quote, with `\"` and `\\` undone, and what stands after it.
pub fn double_quoted(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, &text[at + 1..])),
            '\\' if matches!(chars.peek(), Some((_, '"' | '\\'))) => out.extend(chars.next().map(|(_, c)| c)),
            c => out.push(c),
        }
    }
    None
}

/// Puts one word so that `split` gives it back as one word.
pub fn quote(word: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && c != '\'' && c != '"';
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

fn open_quote(line: &str) -> Error {
    Error::new(Code::InvalidParams, format!("A quote is not closed: {}", crate::error::quoted(line)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn words_split_as_in_a_shell() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("  a   b ", &["a", "b"]),
            (r#"add x --home "/my dir""#, &["add", "x", "--home", "/my dir"]),
            (r#"'a "b" \' "#, &[r#"a "b" \"#]),
            (r#""a \"b\" \\ \n""#, &[r#"a "b" \ \n"#]),
            (r#"a'b'"c"d"#, &["abcd"]),
            (r#"'' """#, &["", ""]),
            (r"C:\x", &[r"C:\x"]),
            ("'two\nlines'", &["two\nlines"]),
        ];
        for (line, expected) in table {
            assert_eq!(&split(line).unwrap(), expected, "{line}");
        }
        for line in ["'open", "\"open", "a 'b", "\"x\\\""] {
            assert_eq!(split(line).unwrap_err().code, Code::InvalidParams, "{line}");
        }
    }

    proptest! {
        #[test]
        fn a_quoted_word_comes_back(words in proptest::collection::vec(any::<String>(), 0..5)) {
            let line = words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
            prop_assert_eq!(split(&line).unwrap(), words);
        }
    }
}
