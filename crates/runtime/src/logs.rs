//! The daemon's logs as they are read: the last lines of a file, without secrets.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::agent;
use crate::token;
use crate::variable::{self, Secrets};

/// How many lines are shown unless asked otherwise, and at most.
pub const LINES: usize = 50;
pub const LINES_MAX: usize = 1_000;
/// The most of a file that is read for its last lines.
const TAIL_BYTES: u64 = 4 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// What the daemon says about itself.
    Daemon,
    /// One line for every command.
    Audit,
}

impl Which {
    /// Where it is, below the daemon's own directory.
    pub fn path(self, root: &Path) -> PathBuf {
        root.join("log").join(match self {
            Self::Daemon => "daemon.log",
            Self::Audit => "audit.jsonl",
        })
    }

    /// Whether a line may be shown to an agent: another one's commands may not.
    pub fn may_see(self, line: &str, agent: &agent::Id) -> bool {
        #[derive(serde::Deserialize)]
        struct Line {
            agent: String,
        }
        self == Self::Daemon
            || serde_json::from_str::<Line>(line).is_ok_and(|line| line.agent == agent.as_str())
    }
}

/// The last lines of a file; none if there is no such file.
pub fn tail(path: &Path, lines: usize) -> io::Result<Vec<String>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    seek_tail(&mut file)?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok(last(&String::from_utf8_lossy(&bytes), lines).map(str::to_owned).collect())
}

/// Goes to where the last lines of a file are looked for, at the beginning of a line.
pub fn seek_tail(file: &mut File) -> io::Result<()> {
    let start = file.metadata()?.len().saturating_sub(TAIL_BYTES);
    file.seek(SeekFrom::Start(start))?;
    if start > 0 {
        // The first line of a part is the rest of one.
        let skipped = BufReader::new(&*file).skip_until(b'\n')?;
        file.seek(SeekFrom::Start(start + skipped as u64))?;
    }
    Ok(())
}

/// The last lines of a text.
pub fn last(text: &str, lines: usize) -> impl Iterator<Item = &str> {
    text.lines().skip(text.lines().count().saturating_sub(lines))
}

/// Takes out what no log should hold, in case one does: values of `$NAME` files and String's own tokens.
pub struct Redaction(Vec<Secrets>);

impl Redaction {
    /// For everything that is set in a home. A file that cannot be read has no values to take out.
    pub fn of(home: &Path) -> Self {
        let scopes = variable::scopes(home);
        let read = scopes.iter().filter_map(|scope| variable::read(home, scope).ok());
        Self(read.map(|persistent| Secrets::new(persistent.iter())).collect())
    }

    pub fn apply(&self, line: &str) -> String {
        let line = self.0.iter().fold(line.to_owned(), |line, secrets| secrets.redact(&line));
        token::hidden(&line, None).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_whole_and_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.log");
        assert_eq!(tail(&path, 5).unwrap(), Vec::<String>::new());
        let lines: Vec<String> =
            (0..40_000).map(|number| format!("line {number} {}", "é".repeat(64))).collect();
        std::fs::write(&path, lines.join("\n")).unwrap();
        assert_eq!(tail(&path, 2).unwrap(), lines[39_998..]);
        let all = tail(&path, usize::MAX).unwrap();
        assert!(all.len() < 40_000 && all[0].starts_with("line "), "{}", all[0]);
    }

    #[test]
    fn webhooks_and_variables_are_taken_out() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join(".string");
        std::fs::create_dir_all(own.join("apps/mail/work")).unwrap();
        std::fs::write(own.join("config.json"), r#"{"env": {"KEY": "sk-12345"}}"#).unwrap();
        std::fs::write(own.join("apps/mail/work/env.json"), r#"{"PASS": "hunter22"}"#).unwrap();
        let redaction = Redaction::of(dir.path());
        assert_eq!(
            redaction
                .apply(&format!("POST /webhook/wh_{} with sk-12345 and hunter22 of wh_x", "0a".repeat(24))),
            "POST /webhook/wh_… with $KEY and $PASS of wh_x"
        );
    }

    #[test]
    fn an_agent_sees_its_own_commands_only() {
        let codex = agent::Id::parse("codex").unwrap();
        let line = |agent: &str| format!("{{\"agent\":\"{agent}\",\"command\":\"/info\"}}");
        assert!(Which::Audit.may_see(&line("codex"), &codex));
        assert!(!Which::Audit.may_see(&line("default"), &codex) && !Which::Audit.may_see("broken", &codex));
        assert!(Which::Daemon.may_see("anything", &codex));
    }
}
