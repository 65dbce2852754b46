//! What every transport sends back: the topic that answered, the outcome and the text.

use crate::error::{Code, Error};
use crate::topic::Topic;

/// No reply is longer than this, unless it is JSON that was asked for as such: agents have budgets.
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
    /// Why none of the commands has even begun, where their topic did not let them in.
    pub turned_away: Option<Error>,
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
        Self {
            topic,
            code: Some(error.code),
            content: error.to_string(),
            meta: Meta::default(),
            turned_away: None,
        }
    }

    pub fn ok(&self) -> bool {
        self.code.is_none()
    }
}

/// A status line with a body below it.
pub fn with_body(status: &str, body: &str) -> String {
    with_parts(status, &[body])
}

/// A status line with a body of several parts, written once: it may be long.
pub fn with_parts(status: &str, body: &[&str]) -> String {
    let mut parts = vec![status, "\n---\n"];
    parts.extend(body);
    parts.concat()
}
