//! What one stream of a session has said: for whoever reads it, and whoever comes back to read on.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::common::server_side_http::ServerSseMessage;
use tokio::sync::Notify;

/// Further ones push out the oldest: what is said often is only news. An answer comes last, so it is never pushed out.
const EVENTS_MAX: usize = 256;

/// The number of a session's own stream, which belongs to no request.
pub(super) const OWN: u64 = 0;

/// An event of a session, as its id says: `INDEX/STREAM`, or `INDEX` for the session's own stream. Index 0 is the
/// beginning of a stream, before anything is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) stream: u64,
    pub(super) index: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stream {
            OWN => write!(f, "{}", self.index),
            stream => write!(f, "{}/{stream}", self.index),
        }
    }
}

impl FromStr for Position {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (index, stream) = match text.split_once('/') {
            Some((index, stream)) => (index, stream.parse()?),
            None => (text, OWN),
        };
        Ok(Self { stream, index: index.parse()? })
    }
}

#[derive(Debug)]
pub(super) struct Log {
    stream: u64,
    said: Mutex<Said>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Said {
    events: VecDeque<ServerSseMessage>,
    /// How much has been said.
    bytes: usize,
    /// How many older ones are kept no more.
    forgotten: u64,
    /// The last one that any reader has got.
    given: u64,
    ended: bool,
}

/// Who else gets what a reader gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    /// Everybody who asks for it.
    All,
    /// Nobody, except for what a reader has missed and asks for: this far.
    Missed(u64),
}

#[derive(Debug)]
pub(super) struct Reader {
    log: Arc<Log>,
    seen: u64,
    share: Share,
}

impl Log {
    pub(super) fn new(stream: u64) -> Self {
        Self { stream, said: Mutex::default(), changed: Notify::new() }
    }

    pub(super) fn say(&self, message: ServerJsonRpcMessage) {
        let bytes = length(&message);
        let mut said = self.said();
        said.bytes += bytes;
        let position = Position { stream: self.stream, index: said.last() + 1 };
        if said.events.len() == EVENTS_MAX {
            said.events.pop_front();
            said.forgotten += 1;
        }
        said.events.push_back(ServerSseMessage::new(position.to_string(), message));
        drop(said);
        self.changed.notify_waiters();
    }

    /// How much has been said so far, forgotten events included.
    pub(super) fn bytes(&self) -> usize {
        self.said().bytes
    }

    /// Nothing more will be said.
    pub(super) fn end(&self) {
        self.said().ended = true;
        self.changed.notify_waiters();
    }

    /// Whether a reader can go on behind an event and misses nothing. What a request's stream has forgotten is nothing
    /// but progress, and its answer waits for whoever comes back, however long ago that one left.
    pub(super) fn reaches(&self, index: u64) -> bool {
        let said = self.said();
        let has_gap = self.stream == OWN && index < said.forgotten;
        index <= said.last() && !has_gap
    }

    /// Reads what comes behind an event; without one, what nobody has got yet.
    pub(super) fn read(self: &Arc<Self>, after: Option<u64>) -> Reader {
        let said = self.said();
        let share = if self.stream == OWN { Share::Missed(said.given) } else { Share::All };
        let seen = after.unwrap_or(said.given.max(said.forgotten));
        Reader { log: Arc::clone(self), seen, share }
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a message is as JSON.
fn length(message: &ServerJsonRpcMessage) -> usize {
    struct Counted(usize);

    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut counted = Counted(0);
    match serde_json::to_writer(&mut counted, message) {
        Ok(()) => counted.0,
        // It cannot be sent either.
        Err(_) => 0,
    }
}

impl Said {
    fn last(&self) -> u64 {
        self.forgotten + self.events.len() as u64
    }
}

impl Reader {
    /// The last event that it has got, or does not want.
    pub(super) fn position(&self) -> Position {
        Position { stream: self.log.stream, index: self.seen }
    }

    pub(super) async fn next(&mut self) -> Option<ServerSseMessage> {
        let log = Arc::clone(&self.log);
        loop {
            // Registered before the look: what is said in between wakes it.
            let changed = log.changed.notified();
            {
                let mut said = log.said();
                if let Some(event) = self.take(&mut said) {
                    return Some(event);
                }
                if said.ended {
                    return None;
                }
            }
            changed.await;
        }
    }

    fn take(&mut self, said: &mut Said) -> Option<ServerSseMessage> {
        let seen = match self.share {
            Share::Missed(until) if self.seen >= until => self.seen.max(said.given),
            Share::All | Share::Missed(_) => self.seen,
        };
        let at = usize::try_from(seen.saturating_sub(said.forgotten)).ok()?;
        let event = said.events.get(at)?.clone();
        self.seen = said.forgotten + at as u64 + 1;
        said.given = said.given.max(self.seen);
        Some(event)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use futures::FutureExt;
    use rmcp::model::ErrorData;

    use super::*;

    fn said(log: &Log, text: &str) {
        log.say(ServerJsonRpcMessage::error(ErrorData::internal_error(text.to_owned(), None), None));
    }

    /// The ids of what a reader gets without waiting.
    fn ids(reader: &mut Reader) -> Vec<String> {
        std::iter::from_fn(|| reader.next().now_or_never().flatten())
            .map(|event| event.event_id.unwrap())
            .collect()
    }

    #[test]
    fn positions_are_read_as_they_are_written() {
        for (text, stream, index) in [("0", OWN, 0), ("7", OWN, 7), ("2/3", 3, 2)] {
            let position = Position { stream, index };
            assert_eq!((text.parse(), position.to_string().as_str()), (Ok(position), text));
        }
        for wrong in ["", "x", "1/", "/1", "1/2/3", "-1", "1.5"] {
            assert!(wrong.parse::<Position>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn whoever_comes_back_gets_what_came_behind_the_event_that_it_names() {
        let log = Arc::new(Log::new(3));
        ["a", "b", "c"].iter().for_each(|text| said(&log, text));
        log.end();
        for (after, expected) in [(0, vec!["1/3", "2/3", "3/3"]), (2, vec!["3/3"]), (3, vec![])] {
            assert_eq!(ids(&mut log.read(Some(after))), expected, "{after}");
        }
        assert!(log.reaches(3) && !log.reaches(4));
    }

    #[test]
    fn what_belongs_to_no_request_goes_to_one_reader() {
        let log = Arc::new(Log::new(OWN));
        said(&log, "before anybody reads");
        let (mut one, mut other) = (log.read(None), log.read(None));
        assert_eq!(ids(&mut one), ["1"]);
        assert!(ids(&mut other).is_empty());
        said(&log, "b");
        assert_eq!(ids(&mut other), ["2"]);
        assert!(ids(&mut one).is_empty());
        let mut back = log.read(Some(1));
        assert_eq!(ids(&mut back), ["2"], "it has missed that one");
        said(&log, "c");
        assert_eq!(ids(&mut one), ["3"]);
        assert!(ids(&mut back).is_empty());
    }

    #[test]
    fn only_the_latest_are_kept() {
        let log = Arc::new(Log::new(OWN));
        (0..EVENTS_MAX + 5).for_each(|_| said(&log, "x"));
        let kept = ids(&mut log.read(Some(2)));
        assert_eq!((kept.len(), kept[0].as_str()), (EVENTS_MAX, "6"));
    }

    #[test]
    fn nobody_goes_on_with_a_gap_except_to_an_answer() {
        for (stream, reached) in
            [(OWN, [false, false, true, true, false]), (3, [true, true, true, true, false])]
        {
            let log = Arc::new(Log::new(stream));
            (0..EVENTS_MAX + 5).for_each(|_| said(&log, "x"));
            let last = EVENTS_MAX as u64 + 5;
            assert_eq!([0, 4, 5, last, last + 1].map(|index| log.reaches(index)), reached, "{stream}");
        }
    }

    #[test]
    fn where_a_reader_begins_is_a_place_to_come_back_to() {
        let log = Arc::new(Log::new(OWN));
        (0..EVENTS_MAX + 5).for_each(|_| said(&log, "x"));
        assert_eq!(log.read(None).position(), Position { stream: OWN, index: 5 }, "the first is gone");
        ids(&mut log.read(None));
        assert_eq!(log.read(None).position(), Position { stream: OWN, index: EVENTS_MAX as u64 + 5 });
    }
}
