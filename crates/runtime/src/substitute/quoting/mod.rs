//! The author's quotes in a command line: in which of them a value stands, and what bash makes of it there.

mod builtin;
mod level;
mod meaning;
mod own;
mod plain;

use level::Level;
use meaning::{Findings, HOLE};
pub(super) use meaning::{Meaning, Reach, is_name_char};
pub(super) use own::assigned_names;

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
}

/// Where one value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub place: Place,
    /// Whether the text before ends with a backslash that escapes what comes next.
    pub is_escaped: bool,
    pub meaning: Meaning,
}

/// Follows the author's text and knows where it is.
///
/// A mistake here cannot make a value part of the command: the line holds names only. It could split a value into
/// several words, or overlook that bash looks into it; so where a line cannot be followed to its end, bash is taken
/// to look into everything.
#[derive(Debug)]
pub(super) struct Scanner {
    frames: Vec<Frame>,
    /// One for the line, and one for each frame that holds commands or a test.
    levels: Vec<Level>,
    escaped: bool,
    in_comment: bool,
    last: Option<char>,
    /// The name that follows `${`.
    parameter: String,
    spots: Vec<Spot>,
    findings: Findings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Single,
    Escaped,
    Double,
    Backtick,
    /// `$(…)`, `(…)` and what else holds commands in parentheses.
    Parentheses,
    /// `$((…))` and `((…))`, or a group in it.
    Arithmetic,
    /// `$[…]`, or the subscript of an array.
    Brackets,
    /// `${…}`
    Parameter(Stage),
    /// `[[ … ]]`
    Test,
    /// `(…)` in a test.
    Group,
}

/// How far `${…}` has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Name,
    /// The key of an associative array.
    Key,
    /// Behind the name and its subscript.
    Named,
    /// Behind a colon: an operator follows, or a number.
    Colon,
    /// The numbers of `${name:from:length}`.
    Substring,
    /// Behind an operator.
    Word,
}

impl Default for Scanner {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            levels: vec![Level::default()],
            escaped: false,
            in_comment: false,
            last: None,
            parameter: String::new(),
            spots: Vec::new(),
            findings: Findings::default(),
        }
    }
}

impl Scanner {
    /// A value stands here: what comes next does not continue what stood before.
    pub(super) fn value(&mut self, is_several: bool) {
        self.leave_name();
        let value = self.spots.len();
        if self.calculates() {
            self.findings.means(value, Meaning::Number);
            self.findings.calculates_char(HOLE);
        }
        self.level().push_hole(value, is_several);
        self.spot();
    }

    /// A dollar sign that the shell must not expand.
    pub(super) fn dollar(&mut self) {
        self.level().push('\\');
        self.spot();
    }

    pub(super) fn text(&mut self, text: &str) {
        for c in text.chars() {
            if self.in_comment && c != '\n' {
                continue;
            }
            self.in_comment = false;
            if std::mem::take(&mut self.escaped) {
                // In backticks these are read once more without the backslash.
                if matches!(c, '$' | '`' | '\\') && self.frames.contains(&Frame::Backtick) {
                    self.findings.reaches(Reach::Everything);
                }
                self.note(c);
                self.last = None;
                continue;
            }
            match self.frames.last() {
                Some(Frame::Single) => self.quoted(c, '\''),
                Some(Frame::Escaped) if c == '\\' => self.escaped = true,
                Some(Frame::Escaped) => self.quoted(c, '\''),
                Some(Frame::Double) if c == '\\' => self.escaped = true,
                Some(Frame::Double) => {
                    self.quoted(c, '"');
                    self.open_expansion(c);
                }
                _ => self.plain(c),
            }
            self.last = Some(c);
        }
    }

    /// Where each value stands, and how far bash looks into text that a value may have come to in another way.
    pub(super) fn finish(mut self) -> (Vec<Spot>, Reach) {
        if !self.frames.is_empty() {
            self.findings.reaches(Reach::Everything);
        }
        while let Some(mut level) = self.levels.pop() {
            level.end_command(&mut self.findings);
        }
        let (meanings, reach) = self.findings.resolve();
        for (value, meaning) in meanings {
            self.spots[value].meaning = meaning;
        }
        (self.spots, reach)
    }

    /// Something that is neither a name nor an operator stands in `${…}`.
    fn leave_name(&mut self) {
        if let Some(Frame::Parameter(stage)) = self.frames.last_mut() {
            *stage = match *stage {
                Stage::Colon => Stage::Substring,
                Stage::Name | Stage::Named => Stage::Word,
                other => other,
            };
        }
    }

    fn spot(&mut self) {
        let is_escaped = std::mem::take(&mut self.escaped);
        self.last = None;
        self.spots.push(Spot { place: self.place(), is_escaped, meaning: Meaning::Text });
    }

    fn place(&self) -> Place {
        let outer = self.frames.iter().rev().find(|frame| !matches!(frame, Frame::Parameter(_)));
        match (self.frames.last(), outer) {
            (Some(Frame::Single), _) => Place::Single,
            (Some(Frame::Escaped), _) => Place::Escaped,
            (_, Some(Frame::Double | Frame::Arithmetic | Frame::Brackets)) => Place::Double,
            _ => Place::Bare,
        }
    }

    /// Whether bash calculates what stands here.
    fn calculates(&self) -> bool {
        // A key is text, whatever is done with what it leads to.
        let holds_text = |frame: &&Frame| {
            matches!(
                frame,
                Frame::Backtick
                    | Frame::Parentheses
                    | Frame::Test
                    | Frame::Group
                    | Frame::Parameter(Stage::Key)
            )
        };
        let calculates = |frame: &Frame| {
            matches!(frame, Frame::Arithmetic | Frame::Brackets | Frame::Parameter(Stage::Substring))
        };
        self.frames.iter().rev().take_while(|frame| !holds_text(frame)).any(calculates)
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the line's own level stays")
    }

    /// Adds a character to the word that it is part of.
    fn note(&mut self, c: char) {
        if self.calculates() {
            self.findings.calculates_char(c);
        }
        self.level().push(c);
    }

    fn quoted(&mut self, c: char, close: char) {
        if c == close {
            self.frames.pop();
        } else {
            self.note(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spot of each `@` in a line.
    fn spots(line: &str) -> (Vec<Spot>, Reach) {
        let mut scanner = Scanner::default();
        for (at, text) in line.split('@').enumerate() {
            if at > 0 {
                scanner.value(false);
            }
            scanner.text(text);
        }
        scanner.finish()
    }

    #[test]
    fn the_authors_quotes_are_understood() {
        let table = [
            ("echo @", Place::Bare),
            ("echo \"a @\"", Place::Double),
            ("echo \"a\" @", Place::Bare),
            ("echo 'a \" @'", Place::Single),
            ("echo \"it's @\"", Place::Double),
            ("echo \\' @", Place::Bare),
            ("echo \"\\\" @\"", Place::Double),
            ("echo 'a\\' @", Place::Bare),
            ("echo $'a\\' @'", Place::Escaped),
            ("echo \"$(cat @)\"", Place::Bare),
            ("echo \"$(cat \"x\") @\"", Place::Double),
            ("echo \"`cat @`\"", Place::Bare),
            ("echo \"`cat` @\"", Place::Double),
            ("echo $(( @ ))", Place::Double),
            ("echo $(( 1 )) @", Place::Bare),
            ("(cd x; echo @)", Place::Bare),
            ("echo \"${x:-@}\"", Place::Double),
            ("echo ${x:-@}", Place::Bare),
            ("echo ${x:-'@'}", Place::Single),
            ("[[ a == @ ]]", Place::Bare),
            ("echo \"$(case 1 in 1) echo @;; esac)\"", Place::Bare),
            ("echo \"$(case 1 in (1|2) echo a;; 3) echo @;; esac)\"", Place::Bare),
            ("echo \"$(case 1 in 1) echo a;; esac) @\"", Place::Double),
            ("echo \"$(case x in x) case y in y) :;; esac; echo @;; esac)\"", Place::Bare),
            ("echo \"`case 1 in 1) echo @;; esac` \"", Place::Bare),
            ("echo case in \"$(echo a) @\"", Place::Double),
        ];
        for (line, expected) in table {
            assert_eq!(spots(line).0[0].place, expected, "{line}");
        }
    }
}
