//! The words of a call: split as in a shell, with what is filled in kept apart from what was typed.

use sfmd::{Dialect, Piece, Placeholder, Template};

use super::coerce::boolean;
use crate::error::Result;
use crate::substitute::no_such_filter;
use crate::words::{double_quoted, escaped, open_quote};

/// One word. What it stands for is looked up later; which word it is, and where it ends, is settled here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    pub template: Template,
    /// Whether a part of it stood in single quotes.
    pub is_literal: bool,
    /// Whether it began with a quote.
    pub is_quoted: bool,
}

/// Splits the arguments of a call. `'…'` is literal; `"…"` knows `\"` and `\\`; both may span lines. Outside of them
/// `\'` and `\"` are quotes that open nothing, and a backslash at the end of a line joins it with the next. A bare
/// placeholder is one piece, whatever its brackets hold.
pub fn split(text: &str) -> Result<Vec<Word>> {
    split_to(text, |_| false).map(|(words, _)| words)
}

/// Splits up to the first line break that is in no quotes, and gives the lines below as they are.
pub fn split_first_line(text: &str) -> Result<(Vec<Word>, &str)> {
    split_to(text, |c| c == '\n')
}

fn split_to(text: &str, is_end: fn(char) -> bool) -> Result<(Vec<Word>, &str)> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = match c {
            '\'' => {
                let (inner, after) = rest[1..].split_once('\'').ok_or_else(|| open_quote(text))?;
                let word = word.get_or_insert_with(Word::quoted);
                word.push(Piece::Text(inner.to_owned()));
                word.is_literal = true;
                after
            }
            '"' => {
                let (inner, after) = double_quoted(&rest[1..]).ok_or_else(|| open_quote(text))?;
                word.get_or_insert_with(Word::quoted).fill(&inner)?;
                after
            }
            '\\' if let Some((text, after)) = escaped(rest) => {
                if !text.is_empty() {
                    word.get_or_insert_default().push(Piece::Text(text.to_owned()));
                }
                after
            }
            c if is_end(c) => break,
            c if c.is_whitespace() => {
                words.extend(word.take());
                &rest[c.len_utf8()..]
            }
            _ => {
                let end = bare_end(rest);
                word.get_or_insert_default().fill(&rest[..end])?;
                &rest[end..]
            }
        };
    }
    words.extend(word);
    Ok((words, rest))
}

impl Word {
    /// The text before the first placeholder.
    pub fn leading_text(&self) -> &str {
        match self.template.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// The whole word, if nothing in it is filled in.
    pub fn plain(&self) -> Option<&str> {
        match &self.template.pieces[..] {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The only placeholder, if the word is nothing else.
    pub fn placeholder(&self) -> Option<&Placeholder> {
        match &self.template.pieces[..] {
            [Piece::Value(placeholder)] => Some(placeholder),
            _ => None,
        }
    }

    /// Whether the word is one value that is filled in, and nothing else.
    pub fn is_filled_in(&self) -> bool {
        matches!(&self.template.pieces[..], [Piece::Value(_) | Piece::Env(_)])
    }

    /// Whether the word can only be the value of a boolean, as far as what was typed tells.
    pub fn is_switch(&self) -> bool {
        self.plain().is_some_and(|text| boolean(text).is_some())
    }

    /// Whether the word was meant for the switch before it: as its value, or as one that it does not know. Elsewhere `no`
    /// and `on` are words like any other.
    pub fn is_answer(&self) -> bool {
        let answers = ["yes", "no", "on", "off", "1", "0"];
        let is_one = |text: &str| answers.iter().any(|word| text.eq_ignore_ascii_case(word));
        self.is_switch() || self.plain().is_some_and(is_one)
    }

    /// Whether the word was typed as a flag is: `--` and a letter, not in quotes.
    pub fn is_flag_like(&self) -> bool {
        let name = self.leading_text().strip_prefix("--");
        let has_name = name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
        has_name && !self.is_literal && !self.is_quoted
    }

    /// The word without the first bytes of its leading text.
    pub fn without(&self, bytes: usize) -> Self {
        let mut word = Self { is_literal: self.is_literal, ..Self::default() };
        word.push(Piece::Text(self.leading_text()[bytes..].to_owned()));
        let text_pieces = usize::from(!self.leading_text().is_empty());
        self.template.pieces[text_pieces..].iter().for_each(|piece| word.push(piece.clone()));
        word
    }

    fn quoted() -> Self {
        Self { is_quoted: true, ..Self::default() }
    }

    fn fill(&mut self, text: &str) -> Result<()> {
        let mut unknown = Vec::new();
        let template = Template::parse_noting(text, Dialect::Definition, &mut unknown);
        if let Some(unknown) = unknown.first() {
            return Err(no_such_filter("the arguments", unknown).hint("Nothing was run."));
        }
        template.pieces.into_iter().for_each(|piece| self.push(piece));
        Ok(())
    }

    fn push(&mut self, piece: Piece) {
        match (self.template.pieces.last_mut(), piece) {
            (_, Piece::Braces(text)) => self.push(Piece::Text(text)),
            (_, Piece::Text(text)) if text.is_empty() => {}
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => self.template.pieces.push(piece),
        }
    }
}

/// Where unquoted text ends: at a space or a quote that is not part of a placeholder.
fn bare_end(text: &str) -> usize {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c == '{'
            && let Some((_, rest)) = Placeholder::parse_start(&text[at..])
        {
            at = text.len() - rest.len();
        } else if c.is_whitespace() || matches!(c, '\'' | '"') || escaped(&text[at..]).is_some() {
            break;
        } else {
            at += c.len_utf8();
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;
    use crate::error::Code;

    fn show(text: &str) -> Vec<String> {
        split(text).unwrap().iter().map(|word| word.template.to_string()).collect()
    }

    #[test]
    fn words_split_as_in_a_shell() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("--name \"Seoul city\" -n5", &["--name", "Seoul city", "-n5"]),
            ("--name={city} 'a b'", &["--name={city}", "a b"]),
            ("\"a \\\"b\\\" \\\\ \\n\"", &["a \"b\" \\ \\n"]),
            ("'' \"\" x''", &["", "", "x"]),
            ("\"two\nlines\" 'and\ntwo'", &["two\nlines", "and\ntwo"]),
            ("{a[\"odd name\"].b} next", &["{a[\"odd name\"].b}", "next"]),
            ("{a[\"open next\" x", &["{a[open next", "x"]),
            ("a\n b\tc", &["a", "b", "c"]),
            ("\"{x} $Y\"{z}", &["{x} $Y{z}"]),
            (r"'it'\''s' a\'b \'", &["it's", "a'b", "'"]),
            (r#"\"a b\" {\"k\":1}"#, &["\"a", "b\"", "{\"k\":1}"]),
            ("--a hello \\\n--b x\\\r\ny", &["--a", "hello", "--b", "xy"]),
            (r"C:\x a\ b \n \\ \", &[r"C:\x", r"a\", "b", r"\n", r"\\", r"\"]),
            (r"\{x} a\{x}b", &["{x}", "a{x}b"]),
        ];
        for (text, expected) in table {
            assert_eq!(&show(text), expected, "{text}");
        }
        for text in ["'open", "\"open", "a \"b\\\""] {
            let error = split(text).unwrap_err();
            assert_eq!(error.code, Code::InvalidParams, "{text}");
            assert!(error.hints[0].contains(r"'it'\''s'"), "{error}");
        }
    }

    #[test]
    fn a_filter_that_does_not_exist_is_refused() {
        for text in ["{x|bogus}", "--s=a{x|json|bogus}", "\"a {x|bogus} b\"", "{x} {y.z[0]|bogus}"] {
            let error = split(text).unwrap_err();
            assert_eq!(error.code, Code::InvalidParams, "{text}");
            assert_eq!(error.message, "In the arguments there is no filter |bogus.", "{text}");
            assert!(error.hints[0].contains("|json, |base64, |urlencode, |file and |base64file"), "{text}");
        }
        // Single quotes, JSON and braces that hold no path are text.
        for text in ["'{x|bogus}'", "{x|json}", "'{\"a|b\": 1}'", "{|x}", "{a|b", "{ a|b }", "a{1,2}|b"] {
            assert!(split(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn the_first_line_ends_at_a_break_in_no_quotes() {
        let (words, below) = split_first_line("--a \"one\ntwo\" 'x\ny'\n{\"b\": 1}\n").unwrap();
        let words: Vec<Option<&str>> = words.iter().map(Word::plain).collect();
        assert_eq!(words, [Some("--a"), Some("one\ntwo"), Some("x\ny")]);
        assert_eq!(below, "\n{\"b\": 1}\n");
    }

    #[test]
    fn what_is_filled_in_is_known() {
        let words = split("{x} '{x}' \"{x}\" a{x} '@me' @me $$5").unwrap();
        let placeholders: Vec<bool> = words.iter().map(|word| word.placeholder().is_some()).collect();
        assert_eq!(placeholders, [true, false, true, false, false, false, false]);
        let plain: Vec<Option<&str>> = words.iter().map(Word::plain).collect();
        assert_eq!(plain, [None, Some("{x}"), None, None, Some("@me"), Some("@me"), None]);
        assert!(words[4].is_literal && !words[5].is_literal);
        assert_eq!(split("--a=b{x}").unwrap()[0].without(4).template.to_string(), "b{x}");
        assert_eq!(split("--a={x}").unwrap()[0].without(4).template.to_string(), "{x}");
    }

    proptest! {
        #[test]
        fn a_literal_word_comes_back(words in proptest::collection::vec("[^']*", 0..5)) {
            let line = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
            let split = split(&line).unwrap();
            prop_assert_eq!(split.iter().map(|word| word.plain().unwrap()).collect::<Vec<_>>(), words);
        }

        #[test]
        fn nothing_makes_it_panic(text in any::<String>()) {
            let _ = split(&text);
        }
    }
}
