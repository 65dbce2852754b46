//! Values in a command line: they travel as environment variables, and the line refers to them.

use std::collections::HashMap;

use sfmd::is_variable_name;

use super::quoting::{Meaning, Place, Reach, Scanner, Spot, is_name_char};
use super::{Content, Filled, Inserted, Part};
use crate::error::{Code, Error, Result, quoted};

/// The kernel takes no longer environment variable; a longer value travels in several.
const LONGEST_VARIABLE: usize = 127 * 1024;
/// All values of a line together: the longest file that may be a value, and some more. With what else is in the
/// environment, the kernel takes 2 MB.
pub const LONGEST_VALUES: usize = 1280 * 1024;

/// A line for `bash -c`, and the environment variables it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    pub line: String,
    pub values: Vec<(String, String)>,
}

/// Every value becomes one word, or a part of the author's quoted text; `$ARGS` becomes one word for each.
pub fn command_line(filled: &Filled<'_>) -> Result<CommandLine> {
    let mut scanner = Scanner::default();
    for part in &filled.parts {
        match part {
            Part::Text(text) => scanner.text(text),
            Part::Dollar => scanner.dollar(),
            Part::Value(inserted) => scanner.value(matches!(inserted.content, Content::Words(_))),
        }
    }
    let (spots, reach) = scanner.finish();
    let mut writer = Writer {
        out: CommandLine { line: String::new(), values: Vec::new() },
        reach: reach_of(reach, filled),
        carried: HashMap::new(),
        length: 0,
    };
    let mut spots = spots.into_iter();
    let mut spot = || spots.next().expect("one for each dollar sign and each value");
    for part in &filled.parts {
        match part {
            Part::Text(text) => writer.out.line.push_str(text),
            Part::Dollar => writer.dollar(spot().place),
            Part::Value(inserted) => writer.value(inserted, spot())?,
        }
    }
    Ok(writer.out)
}

struct Writer {
    out: CommandLine,
    /// How far bash may come to look into a value, wherever that stands.
    reach: Reach,
    /// How the line refers to a value that it has already.
    carried: HashMap<String, String>,
    /// Of all values so far.
    length: usize,
}

impl Writer {
    /// A dollar sign that the shell must not expand.
    fn dollar(&mut self, place: Place) {
        let escape = match place {
            Place::Single | Place::Escaped => "",
            Place::Bare | Place::Double => "\\",
        };
        self.out.line.push_str(escape);
        self.out.line.push('$');
    }

    fn value(&mut self, inserted: &Inserted, spot: Spot) -> Result<()> {
        // The author's backslash stays a backslash; it must not escape our quote.
        if spot.is_escaped {
            self.out.line.push('\\');
        }
        let words = match &inserted.content {
            Content::Words(words) => words.clone(),
            _ => vec![inserted.text().into_owned()],
        };
        let references = words.into_iter().map(|word| self.carry(word, spot)).collect::<Result<Vec<_>>>()?;
        let together = references.join(" ");
        let reference = match spot.place {
            Place::Bare if references.is_empty() => together,
            Place::Bare => format!("\"{}\"", references.join("\" \"")),
            Place::Double => together,
            Place::Single => format!("'\"{together}\"'"),
            Place::Escaped => format!("'\"{together}\"$'"),
        };
        self.out.line.push_str(&reference);
        Ok(())
    }

    /// Gives a value a name in the environment, or several, and refers to it.
    fn carry(&mut self, value: String, spot: Spot) -> Result<String> {
        let refused = |message: String| Error::new(Code::InvalidParams, message).hint("Nothing was run.");
        if value.contains('\0') {
            return Err(refused("A value with a NUL character cannot be passed to a command.".to_owned()));
        }
        if let Some(reason) = self.objection(&value, spot.meaning) {
            return Err(refused(format!("{} {reason}", quoted(&value))));
        }
        if let Some(reference) = self.carried.get(&value) {
            return Ok(reference.clone());
        }
        self.length += value.len();
        if self.length > LONGEST_VALUES {
            let message = format!("Values of {} KB are too long for a command.", self.length / 1024);
            return Err(refused(message).hint("Pass the name of a file instead."));
        }
        let mut reference = String::new();
        for part in parts(&value) {
            let name = format!("STRING_VALUE_{}", self.out.values.len() + 1);
            reference.push_str(&format!("${{{name}}}"));
            self.out.values.push((name, part.to_owned()));
        }
        self.carried.insert(value, reference.clone());
        Ok(reference)
    }

    /// Why a value may not stand where it would.
    fn objection(&self, value: &str, meaning: Meaning) -> Option<String> {
        let is_number = || value.parse::<i64>().is_ok();
        match meaning {
            Meaning::NumberOrNothing if value.is_empty() => None,
            Meaning::Number | Meaning::NumberOrNothing if !is_number() => {
                Some("is calculated with, and is no whole number.".to_owned())
            }
            // A part of a name may begin with a digit.
            Meaning::Name if !is_variable_name(&format!("_{value}")) => {
                Some("stands for a variable, and is no name of one.".to_owned())
            }
            Meaning::NotBeginning(option) if value.starts_with(option) => {
                Some(format!("begins with {option}, and would be an option of the command."))
            }
            Meaning::Expanded if expands(value) => {
                Some("is expanded here, and bash would run what is in it.".to_owned())
            }
            Meaning::Command if !value.chars().all(means_itself) => Some(
                "is read as a part of a command here: only letters, digits and _./:=@%+,- may stand."
                    .to_owned(),
            ),
            _ if self.reach == Reach::Nothing || !expands(value) => None,
            _ if self.reach == Reach::Subscripts => {
                Some("could be run where this line calculates or takes a name.".to_owned())
            }
            _ => Some("could be run where this line has bash read text as a command.".to_owned()),
        }
    }
}

/// A value in pieces that each fit a variable; an empty value is one empty piece.
fn parts(value: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = value;
    while rest.len() > LONGEST_VARIABLE {
        let (part, after) = rest.split_at(rest.floor_char_boundary(LONGEST_VARIABLE));
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// Whether a character means nothing in a command but itself.
fn means_itself(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c)
}

/// Whether bash would find something in a text to put something else for: a price is nothing of the kind. What
/// a dollar sign at the end begins, another value may go on with.
fn expands(text: &str) -> bool {
    let begins = |rest: &str| {
        rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_alphabetic() || "_({['\"".contains(c))
    };
    text.contains('`') || text.split('$').skip(1).any(begins)
}

/// How far bash looks into the values: for a name's subscript it needs brackets, which may be the author's, or another
/// value's.
fn reach_of(reach: Reach, filled: &Filled<'_>) -> Reach {
    if reach == Reach::Subscripts && !has_brackets(filled) { Reach::Nothing } else { reach }
}

/// Whether a text may go on or end with the subscript of a name.
fn has_subscript(text: &str) -> bool {
    let is_behind_name = |(at, _): (usize, &str)| text[..at].is_empty() || text[..at].ends_with(is_name_char);
    text.match_indices('[').any(is_behind_name)
}

/// Whether a value has the opening bracket of a subscript, or stands behind an open one of the author's.
fn has_brackets(filled: &Filled<'_>) -> bool {
    let mut is_open = false;
    filled.parts.iter().any(|part| match part {
        Part::Value(inserted) => is_open || has_subscript(&inserted.text()),
        text => {
            let text = text.text();
            is_open = match text.rfind(['[', ']']) {
                Some(at) => text[at..].starts_with('[') && text[..at].ends_with(is_name_char),
                None => is_open,
            };
            false
        }
    })
}
