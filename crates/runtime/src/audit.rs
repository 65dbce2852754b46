//! The audit log: one JSON line for every command, written by its own thread.

use std::convert::Infallible;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;
use store::Timestamp;

use crate::error::Code;
use crate::files;

/// The most of a field that is worth keeping: a malformed topic or agent may have any length.
const FIELD_MAX: usize = 512;

/// How long lines are gathered after the first one of a burst, which is written at once.
const BURST: Duration = Duration::from_millis(5);

/// One line of the log.
#[derive(Debug)]
pub struct Line {
    pub time: Timestamp,
    pub agent: String,
    pub topic: String,
    /// Without secrets and without the body.
    pub command: String,
    pub code: Option<Code>,
    pub ms: u64,
}

/// Takes lines without waiting. Dropped, it writes what is left.
#[derive(Debug)]
pub struct Log {
    sender: Option<Sender>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Sender {
    lines: mpsc::Sender<Line>,
    /// Ends the writer's wait for more of a burst.
    _open: mpsc::Sender<Infallible>,
}

#[derive(Serialize)]
struct Json<'a> {
    time: String,
    agent: &'a str,
    topic: &'a str,
    command: &'a str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    ms: u64,
}

impl Log {
    /// Opens `audit.jsonl` in a directory.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let file = files::rotating(dir, "audit.jsonl")?;
        let (lines, received) = mpsc::channel();
        let (open, closed) = mpsc::channel();
        let write = move || write_lines(&received, &closed, BufWriter::new(file));
        let writer = std::thread::Builder::new().name("audit".into()).spawn(write)?;
        Ok(Self { sender: Some(Sender { lines, _open: open }), writer: Some(writer) })
    }

    pub fn write(&self, line: Line) {
        if let Some(sender) = &self.sender {
            // The writer ends only after the sender does.
            let _ = sender.lines.send(line);
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        drop(self.sender.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// A moment as logs and streams show it.
pub fn format_time(time: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(time.as_millis()) {
        Ok(time) => format!("{time:.3}"),
        Err(_) => time.as_millis().to_string(),
    }
}

/// Writes until no more lines can come. `closed` ends then.
fn write_lines(lines: &mpsc::Receiver<Line>, closed: &mpsc::Receiver<Infallible>, mut out: impl Write) {
    while let Ok(line) = lines.recv() {
        let mut together = vec![line];
        while !together.is_empty() {
            let written = together.iter().map(|line| write_line(&mut out, line)).collect::<Vec<_>>();
            for error in written.into_iter().chain([out.flush()]).filter_map(Result::err) {
                tracing::error!(%error, "the audit log cannot be written");
            }
            // While more may come, no command pays for waking this thread.
            let _ = closed.recv_timeout(BURST);
            together = lines.try_iter().collect();
        }
    }
}

fn write_line(out: &mut impl Write, line: &Line) -> io::Result<()> {
    let cut = |text: &str| text.floor_char_boundary(FIELD_MAX);
    let json = Json {
        time: format_time(line.time),
        agent: &line.agent[..cut(&line.agent)],
        topic: &line.topic[..cut(&line.topic)],
        command: &line.command[..cut(&line.command)],
        ok: line.code.is_none(),
        code: line.code.map(Code::as_str),
        ms: line.ms,
    };
    let mut text = serde_json::to_vec(&json)?;
    text.push(b'\n');
    out.write_all(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_cannot_be_forged() {
        let mut out = Vec::new();
        let command = "/open \u{1b}[31mx\n{\"ok\":true}\r".to_owned();
        let line = Line {
            time: Timestamp::from_millis(1_700_000_000_123),
            agent: "default".into(),
            topic: "main\n".into(),
            command,
            code: Some(Code::NotFound),
            ms: 3,
        };
        write_line(&mut out, &line).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "{\"time\":\"2023-11-14T22:13:20.123Z\",\"agent\":\"default\",\"topic\":\"main\\n\",\"command\":\"/open \\u001b[31mx\\n{\\\"ok\\\":true}\\r\",\"ok\":false,\"code\":\"NOT_FOUND\",\"ms\":3}\n"
        );
    }

    #[test]
    fn everything_is_written_when_the_log_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let log = Log::open(dir.path()).unwrap();
        for n in 0..1000 {
            let command = format!("/info {n}");
            let time = Timestamp::from_millis(n);
            log.write(Line { time, agent: "a".into(), topic: "t".into(), command, code: None, ms: 0 });
        }
        drop(log);
        let text = std::fs::read_to_string(dir.path().join("audit.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 1000);
        assert!(text.ends_with("\"command\":\"/info 999\",\"ok\":true,\"ms\":0}\n"));
    }
}
