//! Values in a command line: they travel as environment variables, and the line refers to them.

use super::quoting::{Place, Scanner};
use super::{Content, Filled, Inserted, Part};
use crate::error::{Code, Error, Result, quoted};

/// The longest value: the kernel takes no longer environment variable.
pub const LONGEST_VALUE: usize = 127 * 1024;

/// A line for `bash -c`, and the environment variables it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    pub line: String,
    pub values: Vec<(String, String)>,
}

/// Every value becomes one word, or a part of the author's quoted text; `$ARGS` becomes one word for each.
pub fn command_line(filled: &Filled<'_>) -> Result<CommandLine> {
    let texts: String = filled.parts.iter().filter_map(literal).collect();
    let mut writer = Writer {
        out: CommandLine { line: String::new(), values: Vec::new() },
        scanner: Scanner::new(&texts),
    };
    for part in &filled.parts {
        match part {
            Part::Text(text) => writer.text(text),
            Part::Dollar => writer.dollar(),
            Part::Value(inserted) => writer.value(inserted)?,
        }
    }
    Ok(writer.out)
}

struct Writer {
    out: CommandLine,
    scanner: Scanner,
}

impl Writer {
    fn text(&mut self, text: &str) {
        self.scanner.pass(text);
        self.out.line.push_str(text);
    }

    /// A dollar sign that the shell must not expand.
    fn dollar(&mut self) {
        let escape = match self.scanner.place() {
            Place::Single | Place::Escaped => "",
            Place::Bare | Place::Double | Place::Arithmetic => "\\",
        };
        self.out.line.push_str(escape);
        self.out.line.push('$');
        self.scanner.take_escape();
        self.scanner.interrupt();
    }

    fn value(&mut self, inserted: &Inserted) -> Result<()> {
        let place = self.scanner.place();
        // The author's backslash stays a backslash; it must not escape our quote.
        if self.scanner.take_escape() {
            self.out.line.push('\\');
        }
        self.scanner.interrupt();
        let words = match &inserted.content {
            Content::Words(words) => words.clone(),
            _ => vec![inserted.text().into_owned()],
        };
        let names = words.into_iter().map(|word| self.carry(word, place)).collect::<Result<Vec<_>>>()?;
        let together = names.iter().map(|name| format!("${{{name}}}")).collect::<Vec<_>>().join(" ");
        let reference = match place {
            Place::Bare => names.iter().map(|name| format!("\"${{{name}}}\"")).collect::<Vec<_>>().join(" "),
            Place::Double | Place::Arithmetic => together,
            Place::Single => format!("'\"{together}\"'"),
            Place::Escaped => format!("'\"{together}\"$'"),
        };
        self.out.line.push_str(&reference);
        Ok(())
    }

    /// Gives a value a name in the environment.
    fn carry(&mut self, value: String, place: Place) -> Result<String> {
        let refused = |message: String| Error::new(Code::InvalidParams, message).hint("Nothing was run.");
        if value.contains('\0') {
            return Err(refused("A value with a NUL character cannot be passed to a command.".to_owned()));
        }
        if value.len() > LONGEST_VALUE {
            let message = format!("A value of {} KB is too long for a command.", value.len() / 1024);
            return Err(refused(message).hint("Pass the name of a file instead."));
        }
        if place == Place::Arithmetic && value.parse::<i64>().is_err() {
            return Err(refused(format!("{} is calculated with, and is no whole number.", quoted(&value))));
        }
        let name = format!("STRING_VALUE_{}", self.out.values.len() + 1);
        self.out.values.push((name.clone(), value));
        Ok(name)
    }
}

fn literal<'p>(part: &'p Part<'_>) -> Option<&'p str> {
    match part {
        Part::Text(text) => Some(text),
        Part::Dollar | Part::Value(_) => None,
    }
}
