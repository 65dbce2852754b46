//! What bash says over its control socket, taken apart.
//!
//! Records end with a NUL and begin with a letter and the token of the turn.
//! The token is new for each turn, so a record that was not written by the
//! lines of that turn is not believed.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use super::{Streams, script};
use crate::limits;

/// What the user has set that was taken off between turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// `x` and `v`, where they were on.
    pub(super) flags: String,
    /// The declaration of `PS0`.
    pub(super) ps0: Option<String>,
    /// The commands that set the traps for SIGINT, DEBUG and RETURN.
    pub(super) traps: String,
}

impl Settings {
    pub(super) fn is_empty(&self) -> bool {
        self.flags.is_empty() && self.ps0.is_none() && self.traps.is_empty()
    }
}

/// How a turn went, once its report is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finished {
    pub(super) status: i32,
    pub(super) settings: Settings,
    /// `$PWD`, which the user may have set to anything.
    pub(super) logical_directory: OsString,
    pub(super) streams: Streams,
    /// The shell has become a restricted one, in which no redirection works.
    pub(super) restricted: bool,
}

/// What the records read so far amount to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Ready,
    Acknowledged,
    Finished(Finished),
    /// Somebody writes where bash reports, and more than is read: what bash says is not found in it any more.
    Drowned,
}

/// Collects bytes into records and records into events.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// All that was said in this turn, which is little.
    bytes: Vec<u8>,
    /// Where in it the record begins that is not complete yet …
    begun: usize,
    /// … and how far its end was looked for.
    searched: usize,
    token: String,
    status: Option<i32>,
    streams: Streams,
    settings: Settings,
    ended: Option<Finished>,
}

impl Reports {
    /// Expects the records of a new turn.
    pub(super) fn begin(&mut self, token: &str) {
        *self = Self { token: token.to_owned(), ..Self::default() };
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether more was said in this turn than bash has to say.
    pub(super) fn are_drowned(&self) -> bool {
        self.bytes.len() > limits::REPORTS
    }

    /// The next event among the bytes fed so far.
    pub(super) fn next(&mut self) -> Option<Event> {
        while let Some(length) = memchr::memchr(0, &self.bytes[self.searched..]) {
            let end = self.searched + length;
            let record = self.bytes[self.begun..end].to_vec();
            self.begun = end + 1;
            self.searched = self.begun;
            if let Some(event) = self.take(&record) {
                return Some(event);
            }
        }
        self.searched = self.bytes.len();
        None
    }

    fn take(&mut self, record: &[u8]) -> Option<Event> {
        // The record after the end of a turn holds the traps that were set.
        if let Some(mut finished) = self.ended.take() {
            let traps = String::from_utf8_lossy(record);
            let all = [finished.settings.traps.as_str(), traps.trim_end()];
            finished.settings.traps =
                all.into_iter().filter(|traps| !traps.is_empty()).collect::<Vec<_>>().join("\n");
            return Some(Event::Finished(finished));
        }
        if record == b"R" {
            return Some(Event::Ready);
        }
        let at = memchr::memmem::find(record, format!("{}:", self.token).as_bytes())?;
        let (before, kind) = record[..at].split_last_chunk::<1>()?;
        let body = &record[at + self.token.len() + 1..];
        self.keep_trap(before);
        match &kind[0] {
            b'A' => return Some(Event::Acknowledged),
            b'O' if body == b"c" => self.streams = Streams::Reopened,
            b'O' => self.streams = Streams::Redirected,
            b'S' => self.status = std::str::from_utf8(body).ok()?.parse().ok(),
            b'F' => {
                let text = String::from_utf8_lossy(body);
                let (flags, ps0) = text.split_once('\n').unwrap_or((&text, ""));
                self.settings.flags = tracing_flags(flags);
                self.settings.ps0 = Some(ps0.trim_end().to_owned()).filter(|ps0| !ps0.is_empty());
            }
            b'E' => self.ended = self.end(body),
            _ => {}
        }
        None
    }

    /// In front of the first record that is written with interrupts held stands the user's trap for them, if any.
    fn keep_trap(&mut self, text: &[u8]) {
        if let Some(trap) = script::trap_of_user(&String::from_utf8_lossy(text)) {
            self.settings.traps = trap;
        }
    }

    fn end(&mut self, body: &[u8]) -> Option<Finished> {
        let mut fields = body.splitn(3, |byte| *byte == b':');
        let mut text = || std::str::from_utf8(fields.next()?).ok();
        let status: i32 = text()?.parse().ok()?;
        let flags = text()?.to_owned();
        let logical_directory = OsString::from_vec(fields.next()?.to_vec());
        let mut settings = std::mem::take(&mut self.settings);
        // An interrupt skips the line that would have said so before.
        if settings.flags.is_empty() {
            settings.flags = tracing_flags(&flags);
        }
        let restricted = flags.contains('r');
        // The status of the payload, when it was not zero, came first; what
        // the last line sees is the status of our own line before it.
        let status = self.status.take().unwrap_or(status);
        Some(Finished { status, settings, logical_directory, streams: self.streams, restricted })
    }
}

fn tracing_flags(flags: &str) -> String {
    flags.chars().filter(|flag| matches!(flag, 'x' | 'v')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(bytes: &[u8]) -> Vec<Event> {
        let mut reports = Reports::default();
        reports.begin("k");
        reports.feed(bytes);
        std::iter::from_fn(|| reports.next()).collect()
    }

    fn finished(status: i32, directory: &str) -> Finished {
        Finished {
            status,
            settings: Settings::default(),
            logical_directory: directory.into(),
            streams: Streams::Terminal,
            restricted: false,
        }
    }

    #[test]
    fn a_turn_ends_with_the_record_after_its_end() {
        assert_eq!(events(b"Ek:0:himBHs:/tmp\0"), []);
        assert_eq!(events(b"Ek:0:himBHs:/tmp\0\0"), [Event::Finished(finished(0, "/tmp"))]);
    }

    #[test]
    fn the_status_of_the_payload_counts_before_that_of_our_own_line() {
        assert_eq!(events(b"Sk:3\0Ek:0:hi:/\0\0"), [Event::Finished(finished(3, "/"))]);
        assert_eq!(events(b"Ek:130:hi:/\0\0"), [Event::Finished(finished(130, "/"))]);
    }

    #[test]
    fn records_with_another_token_are_not_believed() {
        assert_eq!(events(b"Ex:0:hi:/\0\0E:0:hi:/\0\0noise\0\0"), []);
    }

    #[test]
    fn settings_are_collected_from_all_records() {
        let bytes = b"Fk:hixB\ndeclare -- PS0=\"a\nb\"\n\0Ek:0:hi:/a:b\0trap -- 'echo' DEBUG\n\0";
        let mut expected = finished(0, "/a:b");
        expected.settings = Settings {
            flags: "x".into(),
            ps0: Some("declare -- PS0=\"a\nb\"".into()),
            traps: "trap -- 'echo' DEBUG".into(),
        };
        assert_eq!(events(bytes), [Event::Finished(expected)]);
    }

    #[test]
    fn a_trap_for_interrupts_is_the_users_unless_it_is_ours() {
        let bytes =
            b"trap -- 'echo\nx' SIGINT\nSk:3\0trap -- ': string' SIGINT\ntrap -- ': string' SIGINT\nEk:0:hi:/\0trap -- 'a' DEBUG\n\0";
        let mut expected = finished(3, "/");
        expected.settings.traps = "trap -- 'echo\nx' SIGINT\ntrap -- 'a' DEBUG".into();
        assert_eq!(events(bytes), [Event::Finished(expected)]);
    }

    #[test]
    fn tracing_is_noticed_when_an_interrupt_skipped_its_record() {
        let [Event::Finished(finished)] = &events(b"Ek:130:hixv:/\0\0")[..] else { panic!("no end") };
        assert_eq!(finished.settings.flags, "xv");
    }

    #[test]
    fn a_restricted_shell_is_noticed() {
        let [Event::Finished(finished)] = &events(b"Ek:0:hirB:/\0\0")[..] else { panic!("no end") };
        assert!(finished.restricted);
    }

    #[test]
    fn streams_that_were_closed_or_redirected_are_noticed() {
        for (bytes, streams) in
            [(&b"Ok:c\0Ek:0:hi:/\0\0"[..], Streams::Reopened), (b"Ok:e\0Ek:0:hi:/\0\0", Streams::Redirected)]
        {
            let [Event::Finished(finished)] = &events(bytes)[..] else { panic!("no end") };
            assert_eq!(finished.streams, streams);
        }
    }

    #[test]
    fn records_may_arrive_in_pieces() {
        let mut reports = Reports::default();
        reports.begin("k");
        for byte in b"R\0Ek:7:hi:/\0" {
            reports.feed(&[*byte]);
        }
        assert_eq!(reports.next(), Some(Event::Ready));
        assert_eq!(reports.next(), None);
        reports.feed(b"\0");
        assert_eq!(reports.next(), Some(Event::Finished(finished(7, "/"))));
    }
}
