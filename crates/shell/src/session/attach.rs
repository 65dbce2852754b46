//! A person at the terminal, beside the agent: raw bytes in and out.
//!
//! While a program runs, keys go to it. In between there is nobody to read
//! them, since bash takes its commands elsewhere: then a small line editor
//! gathers a line, and Enter runs it like any command.

use tokio::sync::{mpsc, oneshot};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::Info;
use super::request::Request;
use crate::limits;
use crate::status::Status;

/// Takes one column off what is shown.
const ERASE: &str = "\x08 \x08";

/// The size of a terminal window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

impl Size {
    /// What a shell has while nobody is attached.
    pub const USUAL: Self = Self { columns: limits::COLUMNS, rows: limits::ROWS };
}

/// One attached person. Dropping it detaches.
pub struct Attachment {
    pub(super) output: mpsc::Receiver<Vec<u8>>,
    /// Commands that were run later than they were typed. However slow the person's terminal is, none is lost.
    pub(super) ran: mpsc::UnboundedReceiver<String>,
    pub(super) requests: mpsc::Sender<Request>,
}

/// What an attached person gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// For the terminal.
    Bytes(Vec<u8>),
    /// This command of a person was run, typed before the one before it had ended. It is told to one of them.
    Ran(String),
}

/// Why a person no longer gets anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Ended(Status),
    Closed,
    /// The person reads too slowly. The shell goes on.
    TooSlow,
}

impl Attachment {
    /// The next thing for the person, or nothing when that is over; `end` says why.
    pub async fn output(&mut self) -> Option<Shown> {
        tokio::select! {
            biased;
            Some(command) = self.ran.recv() => Some(Shown::Ran(command)),
            bytes = self.output.recv() => bytes.map(Shown::Bytes),
        }
    }

    /// Commands that were run and not told yet.
    pub fn untold(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.ran.try_recv().ok()).collect()
    }

    pub async fn end(&self) -> End {
        let (answer, answered) = oneshot::channel();
        // A shell that was closed does not answer.
        let _ = self.requests.send(Request::Info(answer)).await;
        match answered.await {
            Ok(Info { death: Some(death), .. }) => End::Ended(death.status),
            Ok(_) => End::TooSlow,
            Err(_) => End::Closed,
        }
    }

    /// Sends keys as they were typed, and says what they came to.
    pub async fn keys(&self, bytes: Vec<u8>) -> Typing {
        let (answer, answered) = oneshot::channel();
        // A shell that has ended takes no keys; its output has ended as well.
        let _ = self.requests.send(Request::Keys { bytes, answer }).await;
        answered.await.unwrap_or_default()
    }

    pub async fn resize(&self, size: Size) {
        let _ = self.requests.send(Request::Resize(size)).await;
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        self.output.close();
        // A driver too busy to hear it notices by itself, with the next request.
        let _ = self.requests.try_send(Request::Detach);
    }
}

/// What keys came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typing {
    /// The commands that were run with Enter.
    pub commands: Vec<String>,
    /// A line or a control key for the program that runs. What it says may be a password.
    pub input: bool,
}

impl Typing {
    /// Keys for a program; those that end a line or steer it are worth telling.
    pub(super) fn input(keys: &[u8]) -> Self {
        Self {
            commands: Vec::new(),
            input: keys.iter().any(|key| matches!(key, b'\r' | b'\n' | 0x01..=0x1a)),
        }
    }
}

/// Those who are attached, and the line they are typing.
#[derive(Default)]
pub(super) struct Audience {
    members: Vec<Member>,
    /// There was somebody since the room was last found empty.
    occupied: bool,
    line: String,
    partial: Vec<u8>,
    escape: Escape,
}

/// The other end of an [`Attachment`].
pub(super) struct Member {
    pub(super) output: mpsc::Sender<Vec<u8>>,
    pub(super) ran: mpsc::UnboundedSender<String>,
}

/// How far a key that sends several bytes, such as an arrow, has come. The small editor has no use for them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Begun,
    /// Until its final byte.
    Sequence,
}

impl Escape {
    /// Whether a byte belongs to such a key.
    fn swallows(&mut self, byte: u8) -> bool {
        let (next, swallowed) = match (*self, byte) {
            (_, 0x1b) => (Self::Begun, true),
            (Self::Begun, b'[' | b'O') => (Self::Sequence, true),
            // Alt and a key.
            (Self::Begun, 0x20..=0x7e) => (Self::None, true),
            (Self::Sequence, 0x20..=0x3f) => (Self::Sequence, true),
            (Self::Sequence, 0x40..=0x7e) => (Self::None, true),
            _ => (Self::None, false),
        };
        *self = next;
        swallowed
    }
}

/// What typing amounts to while nothing runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Typed {
    pub(super) echo: String,
    pub(super) line: Option<String>,
    /// Lines without anything in them came before it: there is a prompt to be shown again.
    pub(super) empty_lines: bool,
    /// How many of the bytes that took.
    pub(super) used: usize,
}

impl Audience {
    pub(super) fn join(&mut self, member: Member) {
        self.members.push(member);
        self.occupied = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Shows bytes to everybody; whoever cannot keep up or has left is dropped.
    pub(super) fn show(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.members.retain(|member| member.output.try_send(bytes.to_vec()).is_ok());
        }
    }

    /// Shows the one who came last what the others have seen already.
    pub(super) fn show_newest(&mut self, bytes: &[u8]) {
        if let Some(newest) = self.members.last().filter(|_| !bytes.is_empty()) {
            // Whoever has left already is found out with the next output.
            let _ = newest.output.try_send(bytes.to_vec());
        }
    }

    /// Tells one of them that a command was run which was typed ahead.
    pub(super) fn tell(&self, command: String) {
        self.members.iter().any(|member| member.ran.send(command.clone()).is_ok());
    }

    /// Lets everybody go: there is nothing left to see.
    pub(super) fn leave(&mut self) {
        self.members.clear();
    }

    /// Drops those who have left; whether that emptied the room.
    pub(super) fn emptied(&mut self) -> bool {
        self.members.retain(|member| !member.output.is_closed());
        self.members.is_empty() && std::mem::take(&mut self.occupied)
    }

    /// Edits the line with `bytes` up to the end of the first line in them that has something in it.
    pub(super) fn type_keys(&mut self, bytes: &[u8]) -> Typed {
        let mut echo = String::new();
        let mut empty_lines = false;
        for (at, byte) in bytes.iter().enumerate() {
            if self.escape.swallows(*byte) {
                continue;
            }
            match byte {
                b'\r' | b'\n' => {
                    echo.push_str("\r\n");
                    let line = std::mem::take(&mut self.line);
                    if !line.trim().is_empty() {
                        return Typed { echo, line: Some(line), empty_lines, used: at + 1 };
                    }
                    empty_lines = true;
                }
                0x7f | 0x08 => {
                    let width = self.line.pop().and_then(char::width).unwrap_or(0);
                    echo.push_str(&ERASE.repeat(width));
                }
                // Ctrl-C and Ctrl-U drop the line, and leave the prompt.
                0x03 | 0x15 => {
                    echo.push_str(&ERASE.repeat(self.line.width()));
                    self.line.clear();
                }
                0x20.. => {
                    self.partial.push(*byte);
                    match std::str::from_utf8(&self.partial) {
                        Ok(text) => {
                            self.line.push_str(text);
                            echo.push_str(text);
                            self.partial.clear();
                        }
                        Err(error) if error.error_len().is_some() => self.partial.clear(),
                        Err(_) => {}
                    }
                }
                _ => {}
            }
        }
        Typed { echo, line: None, empty_lines, used: bytes.len() }
    }

    /// Shows a command that somebody else has given, as if it was typed after the prompt.
    pub(super) fn show_command(&mut self, directory: &std::path::Path, command: &str) {
        if !self.is_empty() {
            let command = command.trim_end().replace('\n', "\r\n");
            self.show(format!("{}{command}\r\n", fresh_prompt(directory)).as_bytes());
        }
    }

    /// What is shown when bash is ready for a line.
    pub(super) fn prompt(&self, directory: &std::path::Path) -> String {
        format!("{}{}", fresh_prompt(directory), self.line)
    }
}

fn fresh_prompt(directory: &std::path::Path) -> String {
    format!("\r\x1b[K{} $ ", directory.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_make_a_line() {
        let table: [(&[u8], &str, Option<&str>); 9] = [
            (b"ls\r", "ls\r\n", Some("ls")),
            (b"lx\x7fs\r", "lx\x08 \x08s\r\n", Some("ls")),
            (b"rm\x15ls\r", "rm\x08 \x08\x08 \x08ls\r\n", Some("ls")),
            ("ä\x7fö\r".as_bytes(), "ä\x08 \x08ö\r\n", Some("ö")),
            ("漢\x7fx\r".as_bytes(), "漢\x08 \x08\x08 \x08x\r\n", Some("x")),
            (b"l\x1b[As\x1b[1;5D\x1bOA\r", "ls\r\n", Some("ls")),
            (b"\x04\x00\x07", "", None),
            (b"\x1b\x7f", "", None),
            (b"abc", "abc", None),
        ];
        for (keys, echo, line) in table {
            let typed = Audience::default().type_keys(keys);
            let line = line.map(Into::into);
            let expected = Typed { echo: echo.into(), line, empty_lines: false, used: keys.len() };
            assert_eq!(typed, expected, "{keys:?}");
        }
    }

    #[test]
    fn lines_without_anything_in_them_are_passed_over() {
        let typed = Audience::default().type_keys(b"\r \rls\rahead");
        let line = Some("ls".to_owned());
        assert_eq!(typed, Typed { echo: "\r\n \r\nls\r\n".into(), line, empty_lines: true, used: 6 });
    }

    #[test]
    fn a_character_may_arrive_in_pieces() {
        let mut audience = Audience::default();
        for byte in "€".as_bytes() {
            audience.type_keys(&[*byte]);
        }
        assert_eq!(audience.type_keys(b"\r").line.as_deref(), Some("€"));
    }
}
