//! What a server leaves behind when it dies in the middle of a conversation.
//!
//! It lives in memory that the client's front holds too, written with ordinary calls: the kernel keeps it when the
//! server is killed, and nobody is woken by it. Whoever goes on reads there what is not answered, what the client
//! has said about itself, what has come in and was not understood yet, and whether an answer was cut off.
//!
//! An answer is taken off the record once it is written. A server that is killed right between has answered, and
//! the client hears that it did not as well: it ignores the second answer to the same request. What was read from
//! the client is on record at once, a message that came as a whole by its id; a kill within that one step is the only
//! loss.

mod part;

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, JsonRpcMessage, NumberOrString};
use rmcp::service::RxJsonRpcMessage;
use rustix::fs::MemfdFlags;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::lines::{Line, Lines};
use super::message::{self, Parsed};
use part::{INLINE_MAX, Part};

const UNANSWERED: Part = Part { at: 0 };
const REMEMBERED: Part = Part { at: 1 << 40 };
const INPUT: Part = Part { at: 2 << 40 };
const CUT: Part = Part { at: 3 << 40 };

/// The record of one conversation.
#[derive(Debug)]
pub struct Record {
    file: File,
    /// No part is long, which saves a look before each write. Whoever does not know looks.
    is_short: AtomicBool,
}

/// A request that has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unanswered {
    pub id: NumberOrString,
    /// A failed call of a tool is told to the agent, not to its program.
    pub is_call: bool,
}

impl Unanswered {
    /// A message that wants an answer.
    pub(super) fn of(message: &RxJsonRpcMessage<RoleServer>) -> Option<Self> {
        let JsonRpcMessage::Request(request) = message else { return None };
        let is_call = matches!(request.request, ClientRequest::CallToolRequest(_));
        Some(Self { id: request.id.clone(), is_call })
    }
}

/// What the client has told its server once, and would not tell another one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Remembered {
    /// Its greeting as it was sent, in the revisions that have one.
    pub(super) greeting: Option<String>,
    pub(super) subscriptions: BTreeSet<String>,
}

impl Record {
    /// An empty one.
    pub fn new() -> io::Result<Self> {
        let memory = rustix::fs::memfd_create("string-conversation", MemfdFlags::CLOEXEC)?;
        Ok(Self { file: memory.into(), is_short: AtomicBool::new(false) })
    }

    /// One that was begun by somebody else, who leaves it alone from now on.
    pub fn of(memory: OwnedFd) -> Self {
        let file = File::from(memory);
        let is_short = [UNANSWERED, REMEMBERED, INPUT, CUT].iter().all(|part| part.is_short(&file));
        Self { file, is_short: AtomicBool::new(is_short) }
    }

    /// Adds what a client has sent, before anybody has looked at it.
    pub fn keep(&self, bytes: &[u8]) {
        self.is_short.store(false, Ordering::Relaxed);
        noted(INPUT.append(&self.file, bytes));
    }

    /// Whether anything was kept that nobody has taken.
    pub fn holds_input(&self) -> bool {
        !self.input().is_empty()
    }

    /// Whether the client waits to be told of changes, by whoever goes on.
    pub fn holds_subscriptions(&self) -> bool {
        !self.remembered().subscriptions.is_empty()
    }

    /// Takes out every request, since nobody will answer it any more but the caller.
    pub fn take_unanswered(&self) -> Vec<Unanswered> {
        let mut requests: Vec<Unanswered> = UNANSWERED.load(&self.file);
        let mut lines = Lines::default();
        lines.feed(&self.input(), |line| {
            if let Line::Whole(line) = line
                && let Parsed::Message(message) = message::parse(line)
                && let Some(request) = Unanswered::of(&message)
                // Its server may have died between writing it down and forgetting its text.
                && !requests.contains(&request)
            {
                requests.push(request);
            }
        });
        self.set_input(lines.begun());
        self.set_unanswered(&[]);
        requests
    }

    /// Takes out whether the last line of the output was cut off.
    pub fn take_cut(&self) -> bool {
        let is_cut = CUT.read(&self.file).is_ok_and(|bytes| !bytes.is_empty());
        self.set_cut(false);
        is_cut
    }

    /// What has come in and was not taken: the beginning of a message, or more if nobody has looked at it.
    pub(super) fn input(&self) -> Vec<u8> {
        INPUT.read(&self.file).unwrap_or_default()
    }

    pub(super) fn set_input(&self, bytes: &[u8]) {
        self.replace(INPUT, bytes);
    }

    pub(super) fn set_unanswered(&self, requests: &[Unanswered]) {
        self.store(UNANSWERED, requests);
    }

    pub(super) fn set_cut(&self, is_cut: bool) {
        self.replace(CUT, if is_cut { b"." } else { b"" });
    }

    pub(super) fn remembered(&self) -> Remembered {
        REMEMBERED.load(&self.file)
    }

    pub(super) fn remember(&self, remembered: &Remembered) {
        self.store(REMEMBERED, remembered);
    }

    fn store<T: Serialize + ?Sized>(&self, part: Part, value: &T) {
        match serde_json::to_vec(value) {
            Ok(bytes) => self.replace(part, &bytes),
            Err(error) => noted(Err(error.into())),
        }
    }

    fn replace(&self, part: Part, bytes: &[u8]) {
        if bytes.len() > INLINE_MAX {
            self.is_short.store(false, Ordering::Relaxed);
        }
        noted(match self.is_short.load(Ordering::Relaxed) {
            true => part.replace_short(&self.file, bytes),
            false => part.replace(&self.file, bytes),
        });
    }
}

impl AsFd for Record {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Part {
    fn load<T: DeserializeOwned + Default>(self, file: &File) -> T {
        let bytes = self.read(file).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

/// Without the record the conversation goes on; only its server must not die meanwhile.
fn noted(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "a conversation cannot be recorded");
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    fn unanswered(id: i64) -> Unanswered {
        Unanswered { id: NumberOrString::Number(id), is_call: true }
    }

    const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"string"}}"#;

    #[test]
    fn another_holder_reads_what_was_written_last() {
        let record = Record::new().unwrap();
        let other = Record::of(record.as_fd().try_clone_to_owned().unwrap());
        assert_eq!((other.take_unanswered(), other.input(), other.remembered()), Default::default());
        assert!(!other.take_cut());
        record.set_unanswered(&[unanswered(1), unanswered(2)]);
        record.set_unanswered(&[unanswered(2)]);
        record.set_cut(true);
        let remembered = Remembered { greeting: Some("{}".into()), subscriptions: ["a".into()].into() };
        assert!(!other.holds_subscriptions());
        record.remember(&remembered);
        assert!(other.holds_subscriptions());
        assert_eq!((other.take_unanswered(), other.remembered()), (vec![unanswered(2)], remembered));
        assert!(other.take_cut() && !record.take_cut());
        assert_eq!(record.take_unanswered(), []);
    }

    #[test]
    fn short_and_long_parts_follow_each_other() {
        let front = Record::new().unwrap();
        front.keep(b"{}");
        let record = Record::of(front.as_fd().try_clone_to_owned().unwrap());
        assert!(record.is_short.load(Ordering::Relaxed));
        for length in [0, 10, INLINE_MAX, INLINE_MAX + 1, 20_000, 3, 0] {
            record.set_input(&vec![b'x'; length]);
            assert_eq!((record.input().len(), front.input().len()), (length, length));
        }
        record.set_input(&vec![b'x'; 20_000]);
        assert!(!Record::of(front.as_fd().try_clone_to_owned().unwrap()).is_short.load(Ordering::Relaxed));
    }

    #[test]
    fn input_is_kept_until_it_is_taken() {
        let record = Record::new().unwrap();
        record.keep(b"abc");
        record.keep(b"def\nghijkl");
        assert_eq!(record.input(), b"abcdef\nghijkl");
        record.set_input(b"ghijkl");
        assert!(record.holds_input());
        assert_eq!(record.input(), b"ghijkl");
        record.set_input(b"");
        assert!(!record.holds_input());
    }

    #[test]
    fn what_nobody_serves_can_be_refused() {
        let record = Record::new().unwrap();
        record.set_unanswered(&[unanswered(1)]);
        record.keep(format!("{CALL}\nnot json\n{{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\"").as_bytes());
        assert_eq!(record.take_unanswered(), [unanswered(1), unanswered(2)]);
        record.keep(b":\"ping\"}\n");
        let ping = Unanswered { id: NumberOrString::String("p".into()), is_call: false };
        assert_eq!(record.take_unanswered(), [ping]);
        assert_eq!((record.take_unanswered(), record.input()), Default::default());
    }

    #[test]
    fn what_is_written_down_twice_is_refused_once() {
        let record = Record::new().unwrap();
        record.set_unanswered(&[unanswered(2)]);
        record.keep(format!("{CALL}\n").as_bytes());
        assert_eq!(record.take_unanswered(), [unanswered(2)]);
    }

    #[test]
    fn nonsense_is_an_empty_record() {
        for bytes in [&[0xff; 64][..], &[1, 0, 0, 0, 0, 0, 0, 0, b'{'], b"x"] {
            let record = Record::new().unwrap();
            for part in [UNANSWERED, REMEMBERED] {
                record.file.write_all_at(bytes, part.at).unwrap();
            }
            assert_eq!((record.take_unanswered(), record.remembered()), Default::default());
        }
    }
}
