//! Paths into values: `Response.body.items[0]["odd name"].length`.

use std::fmt;

/// A name and the steps from its value to the one that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// A field, a session variable, a loop's item, or `Response`.
    pub root: String,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `.name` or `["odd name"]`. `length` of a list or text is how long it is.
    Key(String),
    /// `[0]`; negative ones count from the end.
    Index(i64),
}

impl Path {
    /// A text that is a path and nothing else.
    pub fn parse(text: &str) -> Option<Path> {
        Path::parse_start(text).filter(|(_, rest)| rest.is_empty()).map(|(path, _)| path)
    }

    /// The path at the start of `text`, and what follows it.
    pub(crate) fn parse_start(text: &str) -> Option<(Path, &str)> {
        let (root, mut rest) = name(text)?;
        let mut path = Path { root: root.to_owned(), steps: Vec::new() };
        loop {
            let step = match rest.as_bytes().first() {
                Some(b'.') => key(&rest[1..]).map(|(key, rest)| (Step::Key(key.to_owned()), rest)),
                Some(b'[') => bracket(&rest[1..]),
                _ => return Some((path, rest)),
            };
            // A dot or bracket that begins no step belongs to the text after the path.
            let Some((step, after)) = step else { return Some((path, rest)) };
            path.steps.push(step);
            rest = after;
        }
    }
}

/// `[a-zA-Z_][a-zA-Z0-9_-]*`
fn name(text: &str) -> Option<(&str, &str)> {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(())?;
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len());
    Some(text.split_at(end))
}

fn key(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// `0]`, `-1]` or `"odd name"]`.
fn bracket(text: &str) -> Option<(Step, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (key, rest) = quoted_key(quoted)?;
        return Some((Step::Key(key), rest.strip_prefix(']')?));
    }
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(text.len());
    let index = text[..end].parse().ok()?;
    Some((Step::Index(index), text[end..].strip_prefix(']')?))
}

fn quoted_key(text: &str) -> Option<(String, &str)> {
    let mut key = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((key, &text[at + 1..])),
            '\\' => key.push(chars.next()?.1),
            _ => key.push(c),
        }
    }
    None
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Key(name) if key(name).is_some_and(|(_, rest)| rest.is_empty()) => write!(f, ".{name}"),
            Step::Key(name) => write!(f, "[\"{}\"]", name.replace('\\', "\\\\").replace('"', "\\\"")),
            Step::Index(index) => write!(f, "[{index}]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_and_written_alike() {
        for text in [
            "city",
            "Response.body.a.b[0]",
            "x[-1].length",
            "a[\"odd name\"].b",
            "user-id.x-y",
            "a[\"q\\\"\\\\\"]",
            "r.이름",
        ] {
            assert_eq!(Path::parse(text).map(|path| path.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["", "1a", ".a", "a.", "a b", "a[", "a[x]", "a[\"x\"", "a[1", "a..b", "a[--1]", "é"] {
            assert_eq!(Path::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn steps_have_types() {
        let path = Path::parse("Response.items[-1][\"odd\"].length").unwrap();
        let key = |name: &str| Step::Key(name.to_owned());
        assert_eq!(path.root, "Response");
        assert_eq!(path.steps, [key("items"), Step::Index(-1), key("odd"), key("length")]);
    }
}
