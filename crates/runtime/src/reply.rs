//! What every transport sends back: the topic that answered, the outcome and the text.

use crate::error::{Code, Error};
use crate::topic::Topic;

/// No reply is longer than this: agents have budgets.
pub const REPLY_MAX: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The canonical topic that answered; none when the caller's topic was malformed.
    pub topic: Option<Topic>,
    /// None on success.
    pub code: Option<Code>,
    /// `status line`, or `status line`, `---` and body, or `ERROR(CODE): …`.
    pub content: String,
    pub meta: Meta,
}

/// Where the session stands after the command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta {
    pub uri: Option<String>,
    pub title: Option<String>,
    pub current_block: Option<String>,
    pub warnings: Vec<String>,
}

impl Reply {
    pub fn failed(topic: Option<Topic>, error: &Error) -> Self {
        Self { topic, code: Some(error.code), content: error.to_string(), meta: Meta::default() }
    }

    pub fn ok(&self) -> bool {
        self.code.is_none()
    }
}

/// A status line with a body below it.
pub fn with_body(status: &str, body: &str) -> String {
    format!("{status}\n---\n{body}")
}

/// Cuts a reply that is too long at the end of a line, and says how much is missing.
pub fn bounded(content: String) -> String {
    if content.len() <= REPLY_MAX {
        return content;
    }
    const NOTE_ROOM: usize = 64;
    let room = content.floor_char_boundary(REPLY_MAX - NOTE_ROOM);
    let cut = content[..room].rfind('\n').unwrap_or(room);
    format!("{}\n… {} KB more", &content[..cut], (content.len() - cut).div_ceil(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reply_ends_at_a_line_and_says_so() {
        let line = "é".repeat(50) + "\n";
        let cut = bounded(line.repeat(2000));
        assert!(cut.len() <= REPLY_MAX);
        let (shown, note) = cut.rsplit_once('\n').unwrap();
        assert!(shown.ends_with(&"é".repeat(50)));
        assert_eq!(note, "… 134 KB more");
        let one_line = bounded("é".repeat(REPLY_MAX));
        assert!(one_line.len() <= REPLY_MAX && one_line.ends_with(" KB more"));
    }

    #[test]
    fn a_short_reply_stays_as_it_is() {
        assert_eq!(bounded("x".repeat(REPLY_MAX)).len(), REPLY_MAX);
    }
}
