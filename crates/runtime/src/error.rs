//! What an agent reads when something went wrong: a code, a message and hints that repair the call.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

static EXIT_CODES: LazyLock<Vec<String>> = LazyLock::new(|| (0..=255).map(|n| format!("EXIT_{n}")).collect());

macro_rules! codes {
    ($($variant:ident $text:literal $when:literal)*) => {
        /// Every error code. Each has a section in `docs/errors.md`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $when] $variant,)*
            /// a command in a shell ended with this status, which is not 0
            Exit(u8),
        }

        impl Code {
            /// All but the statuses of shells, which are `EXIT_1` to `EXIT_255`.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Exit(status) => &EXIT_CODES[usize::from(status)],
                }
            }

            /// When this code is used, in one line.
            pub fn when(self) -> &'static str {
                match self {
                    $(Self::$variant => $when,)*
                    Self::Exit(_) => "a command in a shell ended with this status, which is not 0",
                }
            }
        }
    };
}

codes! {
    CommandUnsupported "COMMAND_UNSUPPORTED" "not a command, an unknown one, or not valid in this kind of topic"
    InvalidTarget "INVALID_TARGET" "a malformed topic"
    InvalidParams "INVALID_PARAMS" "missing, unknown or malformed arguments"
    NotFound "NOT_FOUND" "no such file, page, shortcut, topic or agent"
    BlockNotFound "BLOCK_NOT_FOUND" "the document has no such block"
    ActionNotFound "ACTION_NOT_FOUND" "the document has no such action"
    UndefinedVariable "UNDEFINED_VARIABLE" "a name in a command or an action has no value"
    EnvRequired "ENV_REQUIRED" "a $NAME that the document declares in env: has no value"
    ToolFailed "TOOL_FAILED" "the script of a tool failed, or was stopped"
    InvalidManifest "INVALID_MANIFEST" "the manifest of a tool or skill is wrong"
    ActionFailed "ACTION_FAILED" "the call was made, and failed"
    InvalidPath "INVALID_PATH" "outside the workspace, a protected path, or a link that leads out"
    NoHistory "NO_HISTORY" "nothing to go back to"
    LoadError "LOAD_ERROR" "a document or a settings file could not be read"
    LineOutOfRange "LINE_OUT_OF_RANGE" "the file has no such line"
    Conflict "CONFLICT" "it exists already, or has changed in the meantime"
    AuthRequired "AUTH_REQUIRED" "a page answered 401 or 403"
    ConflictingPackage "CONFLICTING_PACKAGE" "another package is installed under that name"
    InvalidPackage "INVALID_PACKAGE" "not something that can be installed"
    NotAllowed "NOT_ALLOWED" "refused by trust or policy"
    QueueFull "QUEUE_FULL" "too many commands wait for this topic"
    QueueTimeout "QUEUE_TIMEOUT" "the topic was busy for too long"
    TooManyTopics "TOO_MANY_TOPICS" "the agent has as many topics open as it may"
    LastTopic "LAST_TOPIC" "the only open topic cannot be removed"
    Interrupted "INTERRUPTED" "the command was stopped by /interrupt"
    Timeout "TIMEOUT" "a command in a shell took longer than its limit"
    InternalError "INTERNAL_ERROR" "a bug; the daemon and the topic live on"
}

/// A failed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub code: Code,
    pub message: String,
    pub hints: Vec<String>,
    /// What the failed call printed or answered.
    pub body: Option<String>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hints: Vec::new(), body: None }
    }

    pub fn hint(mut self, line: impl Into<String>) -> Self {
        self.hints.push(line.into());
        self
    }

    pub fn body(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Some steps were made before this one failed: what is so now, in place of what a single step says.
    pub fn half_way(mut self, line: impl Into<String>) -> Self {
        self.hints.retain(|hint| hint != UNCHANGED);
        self.hint(line)
    }

    pub fn hints(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(lines);
        self
    }
}

/// The text of the reply: `ERROR(CODE): message`, then the hints, indented, then the body. A line break inside a
/// message or a hint, which may come from a document or a script, begins an indented line like any hint.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ERROR({}): {}", self.code.as_str(), in_lines(&indented(&self.message)))?;
        self.hints.iter().try_for_each(|hint| write!(f, "\n  {}", in_lines(&indented(hint))))?;
        self.body.iter().try_for_each(|body| write!(f, "\n---\n{body}"))
    }
}

impl std::error::Error for Error {}

/// A caller's text inside a message: in quotes, control characters as escapes, cut where it gets long.
pub fn quoted(text: &str) -> String {
    const SHOWN: usize = 80;
    let cut = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    let mark = if cut < text.len() { "…" } else { "" };
    format!("\"{}{mark}\"", one_line(&text[..cut]))
}

/// A text that must stay on its line: whatever would end the line, move the cursor or turn the writing around,
/// as an escape.
pub fn one_line(text: &str) -> String {
    escaped(text, steers).into_owned()
}

/// A text that may have several lines: the same for whatever else moves the cursor or turns the writing around.
pub fn in_lines(text: &str) -> Cow<'_, str> {
    let is_escaped = |c| steers(c) && !matches!(c, '\n' | '\t');
    match text.contains("\r\n") {
        // Lines as other systems end them.
        true => Cow::Owned(escaped(&text.replace("\r\n", "\n"), is_escaped).into_owned()),
        false => escaped(text, is_escaped),
    }
}

fn indented(text: &str) -> Cow<'_, str> {
    let breaks = |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if !text.contains(breaks) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split(breaks).filter(|line| !line.is_empty()).collect();
    Cow::Owned(lines.join("\n  "))
}

/// What holds after a failure of the store, unless several steps were made.
const UNCHANGED: &str = "Nothing was changed. string --daemon status shows where the files lie.";

/// The store could not read or write.
pub(crate) fn store_failed(error: store::Error) -> Error {
    Error::new(Code::LoadError, format!("The store failed: {error}"))
        .hints(error.way_out().map(str::to_owned))
        .hint(UNCHANGED)
}

/// The known word nearest to what was typed, if it is near enough to be a slip.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let slips_allowed = (typed.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&typed, &word.to_lowercase()), word))
        .filter(|(slips, _)| *slips <= slips_allowed)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, word)| word)
}

fn steers(c: char) -> bool {
    let breaks_lines = matches!(c, '\u{2028}' | '\u{2029}');
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || breaks_lines || turns
}

fn escaped(text: &str, is_odd: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_odd) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_odd(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reads_as_one_line_and_indented_hints() {
        let error = Error::new(Code::NotFound, "No topic x.").hint("Open topics: main");
        assert_eq!(error.to_string(), "ERROR(NOT_FOUND): No topic x.\n  Open topics: main");
        let forged = Error::new(Code::ToolFailed, "a\nERROR(X): b").hint("code: c\r\n✓ done");
        assert_eq!(forged.to_string(), "ERROR(TOOL_FAILED): a\n  ERROR(X): b\n  code: c\n  ✓ done");
        let steering = Error::new(Code::ToolFailed, "\u{1b}[31mred\u{7}").hint("a\tb\u{202e}");
        let shown = "ERROR(TOOL_FAILED): \\u{1b}[31mred\\u{7}\n  a\tb\\u{202e}";
        assert_eq!(steering.to_string(), shown);
    }

    #[test]
    fn quoted_text_stays_on_one_line_and_short() {
        assert_eq!(quoted("a\nb\u{1b}[0m"), "\"a\\nb\\u{1b}[0m\"");
        assert_eq!(quoted(&"é".repeat(100)).chars().count(), 83);
        assert_eq!(one_line("gpj.\u{202e}é\u{2028}"), "gpj.\\u{202e}é\\u{2028}");
    }

    #[test]
    fn only_slips_have_a_nearest_word() {
        let known = ["/open", "/info", "/topics"];
        assert_eq!(nearest("/opne", known), Some("/open"));
        assert_eq!(nearest("/INFO", known), Some("/info"));
        assert_eq!(nearest("/frobnicate", known), None);
    }

    #[test]
    fn codes_are_distinct() {
        let mut all: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), Code::ALL.len());
    }
}
