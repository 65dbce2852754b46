//! From what the engine threw to what the caller reads.

use std::time::Instant;

use rquickjs::{Ctx, Function, Object, Type, Value};

use super::jail;
use super::modules::Program;
use super::position::{Frame, frames};
use super::text;
use crate::error::{Error, Position, Thrown};
use crate::frame::Run;

/// A message longer than this is cut: it may be the script's whole data.
const MESSAGE_MAX: usize = 8 << 10;

/// How many classes an error is looked up through; a proxy could have no end of them.
const CLASSES_MAX: usize = 16;

pub(super) struct Describe<'a> {
    pub(super) program: &'a Program,
    pub(super) deadline: Instant,
    pub(super) run: &'a Run,
    /// What this process had needed at most before the run.
    pub(super) peak_before: usize,
}

impl Describe<'_> {
    /// Why the run has stopped, given that the engine holds an exception or the time is up.
    pub(super) fn caught(&self, ctx: &Ctx<'_>) -> Error {
        let value = ctx.catch();
        let described = self.describe(&value);
        // Also when the time ran out while the error was read: reading may run the script's own code.
        if Instant::now() >= self.deadline {
            return Error::TimedOut { limit_ms: self.run.time_ms };
        }
        described
    }

    fn describe(&self, value: &Value<'_>) -> Error {
        let memory = Error::OutOfMemory { limit_bytes: self.run.memory_bytes };
        let Some(error) = value.as_object().filter(|_| value.is_error()) else {
            // With no memory left there is not even an error to throw.
            let nothing = value.type_of() == Type::Uninitialized
                || !value.is_object() && !value.is_string() && self.memory_was_full();
            return if nothing { memory } else { Error::Thrown(thrown_value(value)) };
        };
        let text = |name: &str| text_of(error, name);
        let (name, message) = (text("name").unwrap_or_default(), text("message").unwrap_or_default());
        if name == "InternalError" && message == "out of memory" {
            return memory;
        }
        let position = text("stack").and_then(|stack| self.position(&stack, &classes_of(error)));
        Error::Thrown(Thrown {
            position: position.or_else(|| self.import_of(missing_export(&name, &message)?)),
            code: code_of(error),
            retryable: error.get("retryable").unwrap_or(false),
            name,
            message,
        })
    }

    /// Where a module is imported, if in one place only.
    fn import_of(&self, module: &str) -> Option<Position> {
        let imports = self.program.values().flat_map(|module| &module.imports);
        let mut places = imports.filter(|(name, _)| name == module).map(|(_, position)| position);
        let first = places.next()?;
        places.next().is_none().then(|| first.clone())
    }

    /// The innermost frame that is the author's, where the error was made: outside the constructors of its `classes`.
    fn position(&self, stack: &str, classes: &[String]) -> Option<Position> {
        let mut authored = frames(stack).filter(|frame| self.program.contains_key(frame.file)).peekable();
        let inside = authored.peek().copied();
        let is_outside = |frame: &Frame<'_>| !classes.iter().any(|class| class == frame.function);
        let frame = authored.find(is_outside).or(inside)?;
        Some(Position { file: frame.file.to_owned(), line: frame.line, column: frame.column })
    }

    fn memory_was_full(&self) -> bool {
        let peak = jail::peak_memory();
        peak > self.peak_before && peak > self.run.memory_bytes / 10 * 9
    }
}

/// The names of the classes that an error is of, up to the language's own.
fn classes_of(error: &Object<'_>) -> Vec<String> {
    let prototypes = std::iter::successors(error.get_prototype(), |prototype| prototype.get_prototype());
    let class = |prototype: Object<'_>| {
        let constructor: Function<'_> = prototype.get("constructor").ok()?;
        text_of(&constructor, "name")
    };
    prototypes.take(CLASSES_MAX).map_while(class).collect()
}

/// The module that lacks what another imports from it. Linking is done before any line runs, so nothing else says
/// where that is.
fn missing_export<'m>(name: &str, message: &'m str) -> Option<&'m str> {
    let (_, module) =
        message.split_once("export '").filter(|_| name == "SyntaxError")?.1.split_once(" in module '")?;
    module.strip_suffix('\'')
}

fn thrown_value(value: &Value<'_>) -> Thrown {
    // `throw { message, code }` says what it means as an error does.
    let said = value.as_object().and_then(|object| text_of(object, "message"));
    let message = match (value.as_string(), said) {
        (Some(text), _) => text::of(text).unwrap_or_default(),
        (None, Some(message)) => message,
        (None, None) => {
            let json = value.ctx().json_stringify(value.clone()).ok().flatten();
            json.as_ref().and_then(text::of).unwrap_or_else(|| value.type_name().to_owned())
        }
    };
    let code = value.as_object().and_then(|object| code_of(object));
    Thrown { message: cut(message), code, ..Thrown::default() }
}

/// A property as text, if it is a text.
fn text_of(object: &Object<'_>, name: &str) -> Option<String> {
    let value: Value<'_> = object.get(name).ok()?;
    value.as_string().and_then(text::of).map(cut)
}

/// A code may be a number, as those of HTTP are.
fn code_of(error: &Object<'_>) -> Option<String> {
    let number = || error.get::<_, Value<'_>>("code").ok()?.as_number().map(|code| code.to_string());
    text_of(error, "code").or_else(number)
}

fn cut(mut text: String) -> String {
    if text.len() > MESSAGE_MAX {
        text.truncate(text.floor_char_boundary(MESSAGE_MAX));
        text.push('…');
    }
    text
}
