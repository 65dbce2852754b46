//! What a server leaves behind when it dies in the middle of a conversation.
//!
//! It lives in memory that the client's front holds too, written with ordinary calls: the kernel keeps it when the
//! server is killed, and nobody is woken by it. Whoever goes on reads there what is not answered, what the client
//! has said about itself, and the beginning of a message whose end is still in the pipe.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, JsonRpcMessage, NumberOrString};
use rmcp::service::RxJsonRpcMessage;
use rustix::fs::MemfdFlags;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::lines::{Line, Lines};
use super::message::{self, Parsed};

/// Three parts of one file, each with room for anything that fits into memory. What is not used takes none.
const UNANSWERED: Part = Part { at: 0 };
const REMEMBERED: Part = Part { at: 1 << 40 };
const BEGUN: Part = Part { at: 2 << 40 };
/// A part begins with its length.
const HEAD: usize = size_of::<u64>();

/// The record of one conversation.
#[derive(Debug)]
pub struct Record {
    file: File,
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

#[derive(Debug, Clone, Copy)]
struct Part {
    at: u64,
}

impl Record {
    /// An empty one.
    pub fn new() -> io::Result<Self> {
        Ok(Self::of(rustix::fs::memfd_create("string-conversation", MemfdFlags::CLOEXEC)?))
    }

    /// One that was begun by somebody else.
    pub fn of(memory: OwnedFd) -> Self {
        Self { file: memory.into() }
    }

    /// Adds what a client has sent while nobody serves it.
    pub fn keep(&self, bytes: &[u8]) {
        self.set_begun(&[&self.begun(), bytes].concat());
    }

    /// Takes out every request, since nobody will answer it any more but the caller.
    pub fn take_unanswered(&self) -> Vec<Unanswered> {
        let mut requests = self.unanswered();
        let mut lines = Lines::default();
        lines.feed(&self.begun(), |line| {
            if let Line::Whole(line) = line
                && let Parsed::Message(message) = message::parse(line)
            {
                requests.extend(Unanswered::of(&message));
            }
        });
        self.set_begun(lines.begun());
        self.set_unanswered(&[]);
        requests
    }

    fn unanswered(&self) -> Vec<Unanswered> {
        UNANSWERED.load(&self.file)
    }

    /// What has come in and was not taken: the beginning of a message, or more if nobody has looked at it.
    pub(super) fn begun(&self) -> Vec<u8> {
        BEGUN.read(&self.file).unwrap_or_default()
    }

    /// Replaces it; it grows by appending, since a message may be long and come in many pieces.
    pub(super) fn set_begun(&self, bytes: &[u8]) {
        let known = BEGUN.length(&self.file).unwrap_or_default();
        let grown = usize::try_from(known).ok().filter(|known| *known > 0 && *known <= bytes.len());
        noted(match grown {
            Some(known) => BEGUN.append(&self.file, known, &bytes[known..]),
            // What it took is given back: it is the last part.
            None => self.file.set_len(BEGUN.at).and_then(|()| match bytes {
                [] => Ok(()),
                bytes => BEGUN.write(&self.file, bytes),
            }),
        });
    }

    pub(super) fn set_unanswered(&self, requests: &[Unanswered]) {
        noted(UNANSWERED.store(&self.file, requests));
    }

    pub(super) fn remembered(&self) -> Remembered {
        REMEMBERED.load(&self.file)
    }

    pub(super) fn remember(&self, remembered: &Remembered) {
        noted(REMEMBERED.store(&self.file, remembered));
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

    fn store<T: Serialize + ?Sized>(self, file: &File, value: &T) -> io::Result<()> {
        self.write(file, &serde_json::to_vec(value)?)
    }

    fn read(self, file: &File) -> io::Result<Vec<u8>> {
        let (length, from) = (self.length(file)?, self.at + HEAD as u64);
        // A length that was not written by us must not make anybody take that much memory.
        if length > file.metadata()?.len().saturating_sub(from) {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read_exact_at(&mut bytes, from)?;
        Ok(bytes)
    }

    fn length(self, file: &File) -> io::Result<u64> {
        let mut head = [0; HEAD];
        file.read_exact_at(&mut head, self.at)?;
        Ok(u64::from_le_bytes(head))
    }

    /// The length and the bytes in one call, which a kill does not cut in two.
    fn write(self, file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all_at(&[&head(bytes.len()), bytes].concat(), self.at)
    }

    /// The length comes last: until then the bytes do not count.
    fn append(self, file: &File, known: usize, bytes: &[u8]) -> io::Result<()> {
        file.write_all_at(bytes, self.at + (HEAD + known) as u64)?;
        file.write_all_at(&head(known + bytes.len()), self.at)
    }
}

fn head(length: usize) -> [u8; HEAD] {
    (length as u64).to_le_bytes()
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
    use super::*;

    fn unanswered(id: i64) -> Unanswered {
        Unanswered { id: NumberOrString::Number(id), is_call: true }
    }

    #[test]
    fn another_holder_reads_what_was_written_last() {
        let record = Record::new().unwrap();
        let other = Record::of(record.as_fd().try_clone_to_owned().unwrap());
        assert_eq!((other.unanswered(), other.begun(), other.remembered()), Default::default());
        record.set_unanswered(&[unanswered(1), unanswered(2)]);
        record.set_unanswered(&[unanswered(2)]);
        let remembered = Remembered { greeting: Some("{}".into()), subscriptions: ["a".into()].into() };
        record.remember(&remembered);
        assert_eq!((other.unanswered(), other.remembered()), (vec![unanswered(2)], remembered));
        other.set_unanswered(&[]);
        assert_eq!(record.unanswered(), []);
    }

    #[test]
    fn a_message_grows_and_goes() {
        let record = Record::new().unwrap();
        for bytes in ["", "a", "ab", "abcd", "abcd", "", "x", ""] {
            record.set_begun(bytes.as_bytes());
            assert_eq!(record.begun(), bytes.as_bytes());
        }
        assert_eq!(record.file.metadata().unwrap().len(), BEGUN.at);
    }

    #[test]
    fn what_nobody_serves_can_be_refused() {
        let record = Record::new().unwrap();
        record.set_unanswered(&[unanswered(1)]);
        let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"string"}}"#;
        record.keep(format!("{call}\nnot json\n{{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\"").as_bytes());
        assert_eq!(record.take_unanswered(), [unanswered(1), unanswered(2)]);
        record.keep(b":\"ping\"}\n");
        let ping = Unanswered { id: NumberOrString::String("p".into()), is_call: false };
        assert_eq!(record.take_unanswered(), [ping]);
        assert_eq!((record.take_unanswered(), record.begun()), Default::default());
    }

    #[test]
    fn nonsense_is_an_empty_record() {
        for bytes in [&[0xff; 64][..], &[1, 0, 0, 0, 0, 0, 0, 0, b'{'], b"x"] {
            let record = Record::new().unwrap();
            for part in [UNANSWERED, REMEMBERED, BEGUN] {
                record.file.write_all_at(bytes, part.at).unwrap();
            }
            assert_eq!((record.unanswered(), record.remembered()), Default::default());
        }
    }
}
