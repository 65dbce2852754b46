//! What bash makes of a value beyond a word: where it calculates or takes a name, it runs what stands in brackets.

use std::collections::{BTreeMap, BTreeSet};

use super::builtin::EVALUATING;

/// Stands for a value in the author's text.
pub(super) const HOLE: char = '\u{1}';

/// Numbers by nature: bash calculates what is assigned to them.
const INTEGERS: [&str; 5] = ["HISTCMD", "LINENO", "OPTIND", "RANDOM", "SECONDS"];

/// What may stand at a position of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Meaning {
    Text,
    /// Bash calculates with it.
    Number,
    /// The same, where nothing is as good as zero, or was seen to before.
    NumberOrNothing,
    /// Bash takes it for the name of a variable.
    Name,
    /// Bash expands it once more, as the elements in `declare -a name=…`.
    Expanded,
    /// Bash reads it as a part of a command: `eval`, `trap`.
    Command,
    /// Text, but with this beginning it would be an option that takes a name.
    NotBeginning(&'static str),
}

/// How far bash looks into text that it gets from variables and commands, where any value may have gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(in super::super) enum Reach {
    #[default]
    Nothing,
    /// It calculates with it, or takes it for a name: `name[…]` in it is expanded.
    Subscripts,
    /// It expands all of it.
    Everything,
}

/// What the text of a line says about the values in it.
#[derive(Debug, Default)]
pub(super) struct Findings {
    meanings: BTreeMap<usize, Meaning>,
    /// Values that become a part of a variable.
    assigned: Vec<(usize, String)>,
    /// All text that bash calculates.
    calculated: String,
    /// All text that bash reads as commands.
    read_as_commands: String,
    /// Variables that hold the name of another: `${!name}`.
    indirect: BTreeSet<String>,
    arrays: BTreeSet<String>,
    associative: BTreeSet<String>,
    reach: Reach,
}

impl Findings {
    pub(super) fn means(&mut self, hole: usize, meaning: Meaning) {
        // What is calculated with stays a number, whatever the result is used for.
        if self.meanings.get(&hole) != Some(&Meaning::Number) {
            self.meanings.insert(hole, meaning);
        }
    }

    pub(super) fn assigned(&mut self, hole: usize, name: &str) {
        self.assigned.push((hole, name.to_owned()));
    }

    pub(super) fn calculates_char(&mut self, c: char) {
        self.calculated.push(c);
    }

    pub(super) fn calculates(&mut self, text: &str) {
        self.calculated.push_str(text);
        self.calculated.push(' ');
    }

    /// A text that is read as a command may do all that a line may do.
    pub(super) fn reads_as_command(&mut self, text: &str) {
        self.read_as_commands.push_str(text);
        self.read_as_commands.push(' ');
        if !is_plain_command(text) {
            self.reaches(Reach::Everything);
        }
    }

    /// A text that is taken for a name: what is expanded in it may come from a value, and so may what it is given.
    pub(super) fn names(&mut self, text: &str) {
        if is_dynamic(text) || INTEGERS.contains(&text) {
            self.reaches(Reach::Subscripts);
        }
    }

    pub(super) fn reaches(&mut self, reach: Reach) {
        self.reach = self.reach.max(reach);
    }

    pub(super) fn indirect(&mut self, name: &str) {
        self.indirect.insert(name.to_owned());
        self.reaches(Reach::Subscripts);
    }

    pub(super) fn array(&mut self, name: &str) {
        self.arrays.insert(name.to_owned());
    }

    pub(super) fn is_array(&self, name: &str) -> bool {
        self.arrays.contains(name) || self.is_associative(name)
    }

    pub(super) fn associative(&mut self, name: &str) {
        self.associative.insert(name.to_owned());
    }

    /// Whether the subscripts of a variable are text.
    pub(super) fn is_associative(&self, name: &str) -> bool {
        self.associative.contains(name)
    }

    /// The text that is assigned to a variable.
    pub(super) fn assigns(&mut self, name: &str, text: &str) {
        if INTEGERS.contains(&name) {
            self.calculates(name);
            self.names(text);
        }
    }

    /// The meaning of each value that has one, and how far text that came another way is looked into.
    pub(super) fn resolve(mut self) -> (BTreeMap<usize, Meaning>, Reach) {
        let Calculated { names, is_dynamic } = calculated(&self.calculated);
        if is_dynamic || names.iter().any(|name| !INTEGERS.contains(&name.as_str())) {
            self.reaches(Reach::Subscripts);
        }
        let commands = calculated(&self.read_as_commands).names;
        for (hole, name) in &self.assigned {
            let meaning = match () {
                () if names.contains(name) || INTEGERS.contains(&name.as_str()) => Meaning::NumberOrNothing,
                () if commands.contains(name) => Meaning::Command,
                () if self.indirect.contains(name) => Meaning::Name,
                () => continue,
            };
            self.meanings.entry(*hole).or_insert(meaning);
        }
        (self.meanings, self.reach)
    }
}

/// Whether a text, read as commands, looks into no variable: `trap cleanup EXIT`.
fn is_plain_command(text: &str) -> bool {
    let is_plain =
        |word: &str| !EVALUATING.contains(&word) && !matches!(word, "eval" | "trap" | "source" | ".");
    !text.contains(['$', '`', '(', '[', '=', HOLE]) && text.split([' ', ';', '&', '|', '\n']).all(is_plain)
}

/// Whether the shell expands something in a text.
pub(super) fn is_dynamic(text: &str) -> bool {
    text.contains(['$', '`'])
}

struct Calculated {
    names: BTreeSet<String>,
    /// Whether what a command prints, or a parameter without a name, is in it.
    is_dynamic: bool,
}

/// The variables in an arithmetic text. Lengths (`${#name}`) and states (`$?`, `$#`) are numbers whatever they are of.
fn calculated(text: &str) -> Calculated {
    let mut found = Calculated { names: BTreeSet::new(), is_dynamic: false };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let word_end = |text: &str| text.find(|c: char| !is_name_char(c)).unwrap_or(text.len());
        let skipped = if let Some(length_of) = rest.strip_prefix("${#") {
            "${#".len() + word_end(length_of)
        } else if rest.starts_with("$?") || rest.starts_with("$#") {
            2
        } else if c.is_ascii_digit() {
            word_end(rest)
        } else if is_name_char(c) {
            let end = word_end(rest);
            found.names.insert(rest[..end].to_owned());
            end
        } else {
            let after = rest.strip_prefix("${").or_else(|| rest.strip_prefix('$'));
            let is_named = after
                .is_some_and(|after| after.starts_with(|c: char| is_name_char(c) && !c.is_ascii_digit()));
            found.is_dynamic |= c == '`' || (after.is_some() && !is_named);
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    found
}

pub(in super::super) fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
