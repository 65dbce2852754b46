//! Text of any length in bounded memory: its head, its tail, and a log file
//! from the moment on when the two are not enough.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::PathBuf;

use super::{LogFiles, Output};
use crate::limits;

pub(crate) struct Bounded {
    head: String,
    tail: Vec<u8>,
    total: u64,
    files: LogFiles,
    log: Option<Log>,
    /// The log could not be written; output goes on without it.
    log_failed: bool,
    pub(crate) binary: bool,
}

struct Log {
    path: PathBuf,
    file: BufWriter<File>,
    room: u64,
    cut: bool,
}

impl Bounded {
    pub(crate) fn new(files: LogFiles) -> Self {
        Self {
            head: String::new(),
            tail: Vec::new(),
            total: 0,
            files,
            log: None,
            log_failed: false,
            binary: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The head and the tail, apart where something lies between them.
    pub(crate) fn kept(&self) -> String {
        let gap = if self.total > (self.head.len() + self.tail.len()) as u64 { "\n" } else { "" };
        format!("{}{gap}{}", self.head, String::from_utf8_lossy(&self.tail))
    }

    pub(crate) fn push(&mut self, text: &str) {
        // Once the tail has begun the head is closed, so that their order holds.
        let room = if self.tail.is_empty() { limits::HEAD - self.head.len() } else { 0 };
        let (head, tail) = text.split_at(text.floor_char_boundary(room));
        self.head.push_str(head);
        self.total += text.len() as u64;
        if tail.is_empty() {
            return;
        }
        if let Some(log) = &mut self.log {
            if log.write(tail.as_bytes()).is_err() {
                self.abandon_log();
            }
        } else if self.total > (limits::HEAD + limits::TAIL) as u64 && !self.log_failed {
            self.open_log(tail);
        }
        self.tail.extend_from_slice(tail.as_bytes());
        // Trimmed at twice the size, so that each byte is moved once on average.
        if self.tail.len() > 2 * limits::TAIL {
            self.tail.drain(..self.tail.len() - limits::TAIL);
        }
    }

    /// The output so far; what follows is a new one.
    pub(crate) fn take(&mut self) -> Output {
        let mut taken = std::mem::replace(self, Self::new(self.files.clone()));
        if taken.total <= (limits::HEAD + limits::TAIL) as u64 {
            let mut head = taken.head;
            head.push_str(&String::from_utf8_lossy(&taken.tail));
            return Output { head, binary: taken.binary, ..Output::default() };
        }
        let surplus = taken.tail.len().saturating_sub(limits::TAIL);
        let start = (surplus..taken.tail.len()).find(|at| is_char_start(taken.tail[*at])).unwrap_or(surplus);
        let tail = String::from_utf8_lossy(&taken.tail[start..]).into_owned();
        if taken.log.as_mut().is_some_and(|log| log.file.flush().is_err()) {
            taken.abandon_log();
        }
        let omitted = taken.total - taken.head.len() as u64 - tail.len() as u64;
        let log_cut = taken.log.as_ref().is_some_and(|log| log.cut);
        let log = taken.log.map(|log| log.path);
        Output { head: taken.head, omitted, tail, log, log_cut, binary: taken.binary }
    }

    fn open_log(&mut self, newest: &str) {
        let opened = Log::create(&self.files).and_then(|mut log| {
            log.write(self.head.as_bytes())?;
            log.write(&self.tail)?;
            log.write(newest.as_bytes())?;
            Ok(log)
        });
        match opened {
            Ok(log) => self.log = Some(log),
            Err(_) => self.log_failed = true,
        }
    }

    fn abandon_log(&mut self) {
        self.log = None;
        self.log_failed = true;
    }
}

impl Log {
    fn create(files: &LogFiles) -> io::Result<Self> {
        let (path, file) = files.create()?;
        Ok(Self { path, file: BufWriter::with_capacity(64 * 1024, file), room: files.cap, cut: false })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let fits = usize::try_from(self.room).unwrap_or(usize::MAX).min(bytes.len());
        self.cut |= fits < bytes.len();
        self.room -= fits as u64;
        self.file.write_all(&bytes[..fits])
    }
}

fn is_char_start(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(cap: u64) -> (tempfile::TempDir, Bounded) {
        let home = tempfile::tempdir().unwrap();
        let files = LogFiles { directory: home.path().join("output"), cap };
        (home, Bounded::new(files))
    }

    #[test]
    fn short_text_is_whole_and_leaves_no_file() {
        let (home, mut bounded) = bounded(u64::MAX);
        for _ in 0..63 {
            bounded.push(&"a".repeat(1024));
        }
        let output = bounded.take();
        assert_eq!((output.head.len(), output.omitted, output.log), (limits::HEAD + limits::TAIL, 0, None));
        assert!(!home.path().join("output").exists());
    }

    #[test]
    fn long_text_adds_up_to_the_byte_and_is_whole_in_the_log() {
        let (_home, mut bounded) = bounded(u64::MAX);
        let mut all = String::new();
        for line in 0..40_000 {
            let line = format!("line {line} äöü\n");
            bounded.push(&line);
            all.push_str(&line);
        }
        let output = bounded.take();
        assert!(output.head.len() <= limits::HEAD && output.head.len() > limits::HEAD - 4);
        assert!(output.tail.len() <= limits::TAIL && output.tail.len() > limits::TAIL - 4);
        assert_eq!(output.head.len() as u64 + output.omitted + output.tail.len() as u64, all.len() as u64);
        assert!(all.starts_with(&output.head) && all.ends_with(&output.tail));
        assert_eq!(std::fs::read_to_string(output.log.unwrap()).unwrap(), all);
        assert!(!output.log_cut);
    }

    #[test]
    fn the_log_stops_at_its_cap_and_says_so() {
        let (_home, mut bounded) = bounded(100_000);
        for _ in 0..200 {
            bounded.push(&"x".repeat(1000));
        }
        let output = bounded.take();
        assert!(output.log_cut);
        assert_eq!(std::fs::metadata(output.log.unwrap()).unwrap().len(), 100_000);
    }

    #[test]
    fn a_log_that_cannot_be_written_does_not_stop_the_output() {
        let files = LogFiles { directory: "/proc/nowhere".into(), cap: u64::MAX };
        let mut bounded = Bounded::new(files);
        for _ in 0..100 {
            bounded.push(&"x".repeat(1024));
        }
        let output = bounded.take();
        assert_eq!(output.log, None);
        assert_eq!(output.omitted, 100 * 1024 - 63 * 1024);
    }

    #[test]
    fn taking_begins_a_new_output() {
        let (_home, mut bounded) = bounded(u64::MAX);
        bounded.push("one");
        assert_eq!(bounded.take().head, "one");
        assert!(bounded.is_empty());
        bounded.push("two");
        assert_eq!(bounded.take().head, "two");
    }
}
