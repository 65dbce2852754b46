//! The author's quotes in a command line: in which of them a value stands, and which names the line sets itself.

use std::collections::BTreeSet;

use sfmd::{Piece, Template, is_variable_name};

/// How a value must be written at a position of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Bare,
    /// Inside `"…"`.
    Double,
    /// Inside `'…'`.
    Single,
    /// Inside `$'…'`.
    Escaped,
    /// Where bash calculates: it would run what it finds in a value, so only whole numbers may stand here.
    Arithmetic,
}

/// Follows the author's text and knows where it is.
///
/// A mistake here cannot make a value part of the command: the line holds names only. It could at worst split a
/// value into several words.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    frames: Vec<Frame>,
    escaped: bool,
    last: Option<char>,
    /// Whether `[[ … ]]` compares numbers in this line.
    compares_numbers: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Single,
    Escaped,
    Double,
    Backtick,
    /// `$(…)`, or a group in it.
    Parentheses,
    /// `$((…))` and `((…))`, or a group in it.
    Arithmetic,
    /// `${…}`
    Parameter,
    /// `[[ … ]]`
    Test,
}

const NUMBER_COMPARISONS: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Scanner {
    pub(super) fn new(texts: &str) -> Self {
        let compares_numbers = texts.split_whitespace().any(|word| NUMBER_COMPARISONS.contains(&word));
        Self { compares_numbers, ..Self::default() }
    }

    /// Whether the text before ends with a backslash that escapes what comes next.
    pub(super) fn take_escape(&mut self) -> bool {
        std::mem::take(&mut self.escaped)
    }

    pub(super) fn place(&self) -> Place {
        let in_double = || {
            let outer = self.frames.iter().rev().find(|frame| **frame != Frame::Parameter);
            outer == Some(&Frame::Double)
        };
        match self.frames.last() {
            Some(Frame::Single) => Place::Single,
            Some(Frame::Escaped) => Place::Escaped,
            Some(Frame::Double) => Place::Double,
            Some(Frame::Arithmetic) => Place::Arithmetic,
            Some(Frame::Test) if self.compares_numbers => Place::Arithmetic,
            Some(Frame::Parameter) if in_double() => Place::Double,
            None | Some(Frame::Backtick | Frame::Parentheses | Frame::Parameter | Frame::Test) => Place::Bare,
        }
    }

    pub(super) fn pass(&mut self, text: &str) {
        for c in text.chars() {
            if self.escaped {
                self.escaped = false;
                self.last = None;
                continue;
            }
            match self.frames.last() {
                Some(Frame::Single) => self.close_on(c, '\''),
                Some(Frame::Escaped) if c == '\\' => self.escaped = true,
                Some(Frame::Escaped) => self.close_on(c, '\''),
                Some(Frame::Double) => self.in_double(c),
                _ => self.in_plain(c),
            }
            self.last = Some(c);
        }
    }

    /// A value stands here: what comes next does not continue what stood before.
    pub(super) fn interrupt(&mut self) {
        self.last = None;
    }

    fn close_on(&mut self, c: char, close: char) {
        if c == close {
            self.frames.pop();
        }
    }

    fn in_double(&mut self, c: char) {
        match c {
            '\\' => self.escaped = true,
            '"' => self.close_on(c, '"'),
            _ => self.open_expansion(c),
        }
    }

    fn in_plain(&mut self, c: char) {
        let dollar = self.last == Some('$');
        let in_double_parameter = self.place() == Place::Double;
        match (c, self.frames.last()) {
            ('\\', _) => self.escaped = true,
            ('\'', _) if !in_double_parameter => {
                self.frames.push(if dollar { Frame::Escaped } else { Frame::Single });
            }
            ('"', _) => self.frames.push(Frame::Double),
            ('`', Some(Frame::Backtick)) => drop(self.frames.pop()),
            ('}', Some(Frame::Parameter)) => drop(self.frames.pop()),
            (')', Some(Frame::Parentheses | Frame::Arithmetic)) => drop(self.frames.pop()),
            (']', Some(Frame::Test)) if self.last == Some(']') => drop(self.frames.pop()),
            ('[', _) if self.last == Some('[') => self.frames.push(Frame::Test),
            ('(', Some(Frame::Parentheses | Frame::Arithmetic)) if self.last == Some('(') => {
                self.calculate();
            }
            ('(', Some(Frame::Arithmetic)) => self.frames.push(Frame::Arithmetic),
            ('(', _) => self.frames.push(Frame::Parentheses),
            _ => self.open_expansion(c),
        }
    }

    /// The second of two opening parentheses: both are arithmetic.
    fn calculate(&mut self) {
        if let Some(first) = self.frames.last_mut() {
            *first = Frame::Arithmetic;
        }
        self.frames.push(Frame::Arithmetic);
    }

    fn open_expansion(&mut self, c: char) {
        match (self.last, c) {
            (Some('$'), '(') => self.frames.push(Frame::Parentheses),
            (Some('$'), '{') => self.frames.push(Frame::Parameter),
            (_, '`') => self.frames.push(Frame::Backtick),
            _ => {}
        }
    }
}

/// Names that the line gives a value itself: `NAME=…`, `for NAME in`, `read NAME`. They belong to the shell.
pub(super) fn assigned_names(template: &Template) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut before = Before::Command;
    for word in words(&literal(template)) {
        let name = word.split(['=', '+', '[']).next().unwrap_or_default();
        let assigns = is_variable_name(name) && word[name.len()..].contains('=');
        let names_it = matches!(before, Before::Loop | Before::Read) && is_variable_name(&word);
        if assigns || names_it {
            names.insert(name.to_owned());
        }
        before = match (word.as_str(), before) {
            ("for" | "select", _) => Before::Loop,
            ("read" | "mapfile" | "readarray", _) => Before::Read,
            (SEPARATOR, _) => Before::Command,
            (_, Before::Read) => Before::Read,
            _ => Before::Command,
        };
    }
    names
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Command,
    Loop,
    Read,
}

/// Between commands of a line.
const SEPARATOR: &str = ";";

/// The author's text, with a mark that is part of no name where a value stands.
fn literal(template: &Template) -> String {
    let part = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        _ => "\u{1}".to_owned(),
    };
    template.pieces.iter().map(part).collect()
}

fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars() {
        match c {
            ';' | '|' | '&' | '\n' | '(' | ')' | '`' => {
                words.extend([SEPARATOR.to_owned(), String::new()]);
            }
            c if c.is_whitespace() => words.push(String::new()),
            c => words.last_mut().expect("never empty").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use sfmd::Dialect;

    use super::*;

    fn place_after(text: &str) -> Place {
        let mut scanner = Scanner::new(text);
        scanner.pass(text);
        scanner.place()
    }

    #[test]
    fn the_authors_quotes_are_understood() {
        let table = [
            ("echo ", Place::Bare),
            ("echo \"a ", Place::Double),
            ("echo \"a\" ", Place::Bare),
            ("echo 'a \" ", Place::Single),
            ("echo \"it's ", Place::Double),
            ("echo \\' ", Place::Bare),
            ("echo \"\\\" ", Place::Double),
            ("echo 'a\\' ", Place::Bare),
            ("echo $'a\\' ", Place::Escaped),
            ("echo \"$(cat ", Place::Bare),
            ("echo \"$(cat \"x\") ", Place::Double),
            ("echo \"`cat ", Place::Bare),
            ("echo \"`cat` ", Place::Double),
            ("echo $(( ", Place::Arithmetic),
            ("(( x > ", Place::Arithmetic),
            ("echo $(( (1 + ", Place::Arithmetic),
            ("echo $(( 1 )) ", Place::Bare),
            ("(cd x; echo ", Place::Bare),
            ("echo \"${x:-", Place::Double),
            ("echo ${x:-", Place::Bare),
            ("echo ${x:-'", Place::Single),
            ("[[ -eq ", Place::Arithmetic),
            ("[[ a == ", Place::Bare),
            ("[[ a -eq 1 ]] && echo ", Place::Bare),
        ];
        for (text, expected) in table {
            assert_eq!(place_after(text), expected, "{text}");
        }
    }

    #[test]
    fn names_that_the_line_sets_belong_to_the_shell() {
        let names = |text: &str| {
            let names = assigned_names(&Template::parse(text, Dialect::Shell));
            names.into_iter().collect::<Vec<_>>().join(" ")
        };
        let table = [
            ("for f in *; do echo $f; done", "f"),
            ("A=1 B+=2; export C=$A; echo $C", "A B C"),
            ("read -r x y; echo $x", "x y"),
            ("x=$(date); echo $API_KEY", "x"),
            ("echo a=b {name} $API_KEY", "a"),
            ("cat | while read line; do echo $line; done", "line"),
            ("echo $HOME", ""),
        ];
        for (text, expected) in table {
            assert_eq!(names(text), expected, "{text}");
        }
    }
}
