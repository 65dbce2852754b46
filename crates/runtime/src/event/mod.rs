//! Events: an agent's durable inbox of texts, and the webhook that fills it.
//!
//! An event is stored before its sender hears that it was taken, and it is never executed. It is pending until it
//! reached a live stream, then delivered; only an explicit word acknowledges it.

mod follow;
mod inbox;
mod record;
mod retention;
mod room;
mod webhook;

use std::fmt;

use serde::{Deserialize, Serialize};
use store::Timestamp;
use ulid::Ulid;

pub use follow::Follower;
pub use inbox::{Clear, Inbox, Page, Posted, Show};
pub use retention::nonsense;
pub use room::EVENTS_MAX;
pub use webhook::{Token, Webhooks};

use crate::error::{Code, Error, Result, quoted};

/// Longest text of an event.
pub const TEXT_MAX: usize = 64 * 1024;
/// Longest idempotency key: room for any id that a sender may use.
const KEY_MAX: usize = 255;

/// `evt_` and 26 characters that sort by arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Ulid);

/// One text in an agent's inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub id: Id,
    pub received: Timestamp,
    pub source: Source,
    pub state: State,
    pub text: String,
}

/// Who put an event into the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    Webhook,
    Watch,
}

/// In the order in which an event goes through them; it never goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Pending,
    /// It reached a live stream.
    Delivered,
    /// The agent said that it has dealt with it.
    Acked,
}

/// What a sender calls one event, so that a retry is the same event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(Box<str>);

impl Id {
    /// How many bytes every id has.
    const LENGTH: usize = "evt_".len() + ulid::ULID_LEN;

    pub fn parse(text: &str) -> Result<Self> {
        let id = text.strip_prefix("evt_").and_then(|rest| Ulid::from_string(rest).ok()).map(Self);
        // One spelling only, so that what is shown is what is stored.
        id.filter(|id| id.to_string() == text).ok_or_else(|| {
            Error::new(Code::NotFound, format!("No event {}: this is not an id.", quoted(text)))
                .hint("Ids look like evt_01J8ZQ5V0GRXJ6V3P5Q8T2N4MK. List them: string event list --all")
        })
    }

    /// The first id for a moment that comes after another one, whatever the clock did in between.
    fn next(now: Timestamp, last: Option<Self>) -> Self {
        let millis = u64::try_from(now.as_millis()).unwrap_or(0);
        let fresh = Ulid::from_parts(millis, Ulid::generate().random());
        match last {
            // The random part of one millisecond holds 2^80 ids: it does not run out.
            Some(Self(last)) if last >= fresh => Self(last.increment().unwrap_or(fresh)),
            _ => Self(fresh),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evt_{}", self.0)
    }
}

impl Source {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Webhook => "webhook",
            Self::Watch => "watch",
        }
    }
}

impl State {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Acked => "acked",
        }
    }
}

impl IdempotencyKey {
    pub fn parse(text: &str) -> Result<Self> {
        let legal = (1..=KEY_MAX).contains(&text.len()) && text.chars().all(|c| (' '..='~').contains(&c));
        legal.then(|| Self(text.into())).ok_or_else(|| {
            Error::new(Code::InvalidParams, "Not an idempotency key.")
                .hint("A key is 1 to 255 printable ASCII characters.")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_as_written_and_nothing_else_does() {
        let id = Id::next(Timestamp::from_millis(1_700_000_000_000), None);
        assert_eq!(Id::parse(&id.to_string()).unwrap(), id);
        let text = id.to_string();
        for wrong in
            ["", "evt_", "evt_x", &text[4..], &text.to_lowercase(), &format!("{text}0"), "evt_../../x"]
        {
            assert_eq!(Id::parse(wrong).unwrap_err().code, Code::NotFound, "{wrong}");
        }
    }

    #[test]
    fn ids_grow_even_when_the_clock_goes_back() {
        let mut last = None;
        for millis in [2_000, 2_000, 2_001, 1_000, -5, 2_001, 9_000] {
            let id = Id::next(Timestamp::from_millis(millis), last);
            assert!(Some(id) > last, "{millis}");
            last = Some(id);
        }
    }

    #[test]
    fn idempotency_keys_are_printable_and_bounded() {
        for (text, legal) in [
            ("a", true),
            ("retry 7/b", true),
            (&"k".repeat(255), true),
            ("", false),
            (&"k".repeat(256), false),
            ("a\n", false),
            ("é", false),
        ] {
            assert_eq!(IdempotencyKey::parse(text).is_ok(), legal, "{text}");
        }
    }
}
