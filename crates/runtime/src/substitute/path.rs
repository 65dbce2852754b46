//! Values in the path of a file: each is a part of one name, so that none can lead to another place. Whoever answers
//! chooses no hidden file: programs read those unasked.

use super::{Filled, Mark, Part};
use crate::error::{Code, Error, Result};

/// What means another thing than itself at the beginning of a path: the home, and quotes around all of it.
const LEADING: [char; 3] = ['~', '"', '\''];

/// The path with its values.
///
/// A value at the very start is a path itself (`{folder}/notes.md`), unless a page from the web or an answer chose
/// it; anywhere else it is a part of one name.
pub fn file_path(filled: &Filled<'_>) -> Result<String> {
    let mut builder = Builder::default();
    for part in &filled.parts {
        match part {
            Part::Value(inserted) => builder.value(&inserted.text(), inserted.mark)?,
            own => builder.text(&own.text())?,
        }
    }
    builder.end_name()?;
    Ok(builder.path)
}

#[derive(Default)]
struct Builder {
    path: String,
    /// Where the current name begins, and whether a value is part of it, or one that is not the caller's.
    name: usize,
    name_has_value: bool,
    name_is_chosen: bool,
}

impl Builder {
    fn text(&mut self, text: &str) -> Result<()> {
        for c in text.chars() {
            if c == '/' {
                self.end_name()?;
            }
            self.path.push(c);
            if c == '/' {
                self.name = self.path.len();
            }
        }
        Ok(())
    }

    fn value(&mut self, text: &str, mark: Mark) -> Result<()> {
        if self.path.is_empty() && mark.is_own() && !text.is_empty() {
            return self.text(text);
        }
        // Spaces around a path do not count.
        let leads = self.path.trim_start().is_empty();
        if text.contains('/') || leads && text.trim_start().starts_with(LEADING) {
            return Err(elsewhere());
        }
        if !mark.is_own() && text.contains(char::is_control) {
            return Err(unfit("A name from an answer holds a line break or another control character."));
        }
        self.name_has_value = true;
        self.name_is_chosen |= !mark.is_own();
        self.path.push_str(text);
        Ok(())
    }

    /// Nothing would make the path begin at another place; `.` and `..` mean one.
    fn end_name(&mut self) -> Result<()> {
        let name = self.path[self.name..].trim();
        if std::mem::take(&mut self.name_has_value) && matches!(name, "" | "." | "..") {
            return Err(elsewhere());
        }
        if std::mem::take(&mut self.name_is_chosen) && name.starts_with('.') {
            return Err(unfit("A name from an answer begins with a dot."));
        }
        Ok(())
    }
}

fn elsewhere() -> Error {
    Error::new(Code::InvalidPath, "A value in the path would lead to another place.").hint(
        "A value is a part of one name: folders are written in the path itself, as in to: out/{name}.txt",
    )
}

fn unfit(message: &str) -> Error {
    Error::new(Code::InvalidPath, message)
        .hint("If that name is meant, give it yourself, as a field of the call: to: {file}")
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::{Content, Inserted};
    use super::*;

    /// A path of texts and of values, which are the odd ones.
    fn path(parts: &[&'static str], mark: Mark) -> Option<String> {
        let value = |text: &str| Inserted { content: Content::Value(text.into()), mark, hidden_as: None };
        let part = |(at, text): (usize, &&'static str)| match at % 2 {
            0 => Part::Text(Cow::Borrowed(*text)),
            _ => Part::Value(value(text)),
        };
        let parts = parts.iter().enumerate().filter(|(_, text)| **text != "-").map(part).collect();
        let built = file_path(&Filled { parts });
        assert!(built.as_ref().is_err_and(|error| error.code == Code::InvalidPath) || built.is_ok());
        built.ok()
    }

    #[test]
    fn a_value_is_a_part_of_one_name() {
        for mark in [Mark::NONE, Mark::SECRET, Mark::WEB, Mark::ANSWER] {
            let table: [(&[&str], Option<&str>); 14] = [
                (&["out/", "Oslo", ".png"], Some("out/Oslo.png")),
                (&[".cache/", "x"], Some(".cache/x")),
                (&["../", "x"], Some("../x")),
                (&["out/", "../.bashrc"], None),
                (&["out/", "a/b.txt"], None),
                (&["out/", "..", "/x"], None),
                (&["out/", ".", "/x"], None),
                (&["out/.", ".", "/x"], None),
                (&["out/", ".", "", ".", "/x"], None),
                (&["out/", ""], None),
                (&["out/", " .. "], None),
                (&["-", "", "/etc/x"], None),
                (&["-", "", "", "/etc/x"], None),
                (&["~", "/x"], None),
            ];
            for (parts, expected) in table {
                assert_eq!(path(parts, mark).as_deref(), expected, "{parts:?} {mark:?}");
            }
        }
    }

    #[test]
    fn only_the_callers_own_value_names_a_hidden_file() {
        let paths: [&[&str]; 7] = [
            &["out/", ".hidden"],
            &["out/", " .hidden"],
            &["out/", "...", "/x"],
            &["out/.", "bashrc"],
            &["-", ".bashrc"],
            &["out/", "a\nb"],
            &["out/", "a\u{1b}[2J"],
        ];
        for parts in paths {
            let whole = parts.concat().replacen('-', "", 1);
            for mark in [Mark::NONE, Mark::SECRET] {
                assert_eq!(path(parts, mark).as_deref(), Some(whole.as_str()));
            }
            for mark in [Mark::WEB, Mark::ANSWER] {
                assert_eq!(path(parts, mark), None, "{parts:?}");
            }
        }
    }

    #[test]
    fn a_value_at_the_start_is_a_path_only_if_it_is_the_callers() {
        let paths: [&[&str]; 6] = [
            &["-", "../a/b.txt"],
            &["-", "~", "/x"],
            &["-", " ~", "/x"],
            &["-", "/tmp", "/x"],
            &["-", "..", "/x"],
            &["-", "\"~", "/x\""],
        ];
        for parts in paths {
            let whole: String = parts[1..].concat();
            for mark in [Mark::NONE, Mark::SECRET] {
                assert_eq!(path(parts, mark), Some(whole.clone()));
            }
            for mark in [Mark::WEB, Mark::ANSWER] {
                assert_eq!(path(parts, mark), None, "{parts:?}");
            }
        }
        assert_eq!(path(&["-", "name.txt"], Mark::ANSWER).as_deref(), Some("name.txt"));
    }
}
