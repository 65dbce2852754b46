//! `string system logs -f`: the end of a log, then whatever is written, until Ctrl-C.
//!
//! The files are followed here and not by the daemon: a follower then holds up nobody, and sees the daemon end and
//! start again.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::mem::MaybeUninit;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use runtime::error::one_line;
use runtime::logs::{LINES, LINES_MAX, Redaction, Which, last, seek_tail};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

use crate::failure::{Failure, Status};

/// What to follow, as asked for on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Follow {
    pub(crate) which: Which,
    pub(crate) lines: usize,
}

impl Follow {
    /// From the words behind `string system`, if they ask to follow a log.
    pub(crate) fn parse(words: &[String]) -> Option<Result<Self, Failure>> {
        let (first, rest) = words.split_first()?;
        let follows = rest.iter().any(|word| word == "-f" || word == "--follow");
        if first.trim_start_matches('/') != "logs" || !follows {
            return None;
        }
        Some(Self::options(rest))
    }

    fn options(words: &[String]) -> Result<Self, Failure> {
        let mut follow = Self { which: Which::Daemon, lines: LINES };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "-f" | "--follow" => {}
                "--audit" => follow.which = Which::Audit,
                "-n" => {
                    let number = words.next().and_then(|text| text.parse().ok());
                    let number = number.filter(|lines| (1..=LINES_MAX).contains(lines));
                    follow.lines = number
                        .ok_or_else(|| Failure::usage(format!("-n takes a number from 1 to {LINES_MAX}.")))?;
                }
                other => {
                    return Err(Failure::usage(format!(
                        "Unknown word {other:?}.\n  Usage: string system logs -f [-n N] [--audit]"
                    )));
                }
            }
        }
        Ok(follow)
    }
}

/// Prints until nobody reads any more; Ctrl-C ends it like any program.
pub(crate) fn run(follow: Follow, root: &Path, home: &Path) -> Result<Status, Failure> {
    let path = follow.which.path(root);
    let failed =
        |error: io::Error| Failure::failed(format!("{} cannot be followed: {error}", path.display()));
    let mut follower = Follower::new(path.clone(), home).map_err(failed)?;
    match follower.run(follow.lines) {
        // A reader that has seen enough is no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(error)),
        _ => Ok(Status::Done),
    }
}

struct Follower {
    path: PathBuf,
    home: PathBuf,
    changes: rustix::fd::OwnedFd,
    /// The file that is read now, and which one that is.
    file: Option<(File, u64)>,
    /// A line whose end has not been written.
    partial: Vec<u8>,
}

impl Follower {
    fn new(path: PathBuf, home: &Path) -> io::Result<Self> {
        let changes = inotify::init(CreateFlags::CLOEXEC)?;
        let dir = path.parent().unwrap_or(&path);
        runtime::files::create_dir(dir)?;
        // The directory, since the file is renamed and made anew when it gets large.
        inotify::add_watch(&changes, dir, WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVED_TO)?;
        let mut follower = Self { path, home: home.to_owned(), changes, file: None, partial: Vec::new() };
        follower.open(seek_tail)?;
        Ok(follower)
    }

    /// What is there already and what comes are read from one file in one go, so that no line is shown twice.
    fn run(&mut self, lines: usize) -> io::Result<()> {
        let there = self.read()?;
        self.print(last(&there, lines))?;
        let mut buffer = [MaybeUninit::uninit(); 4096];
        loop {
            // Which file has changed does not matter: a look at ours costs nothing.
            let mut events = inotify::Reader::new(&self.changes, &mut buffer);
            events.next()?;
            let new = self.read()?;
            self.print(new.lines())?;
        }
    }

    /// What is new, to the end of the last whole line.
    fn read(&mut self) -> io::Result<String> {
        let mut new = String::new();
        loop {
            let mut bytes = std::mem::take(&mut self.partial);
            if let Some((file, _)) = &mut self.file {
                // Somebody has emptied it.
                if file.metadata()?.len() < file.stream_position()? {
                    file.rewind()?;
                }
                file.read_to_end(&mut bytes)?;
            }
            let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            self.partial = bytes.split_off(end);
            new.push_str(&String::from_utf8_lossy(&bytes));
            if !self.is_replaced() {
                return Ok(new);
            }
            self.open(|_| Ok(()))?;
        }
    }

    fn open(&mut self, go_to_start: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        self.partial.clear();
        self.file = match File::open(&self.path) {
            Ok(mut file) => {
                go_to_start(&mut file)?;
                let inode = file.metadata()?.ino();
                Some((file, inode))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(())
    }

    fn is_replaced(&self) -> bool {
        let now = std::fs::metadata(&self.path).ok().map(|file| file.ino());
        now.is_some() && now != self.file.as_ref().map(|(_, inode)| *inode)
    }

    fn print<'a>(&self, lines: impl Iterator<Item = &'a str>) -> io::Result<()> {
        let redaction = Redaction::of(&self.home);
        let mut out = io::stdout().lock();
        for line in lines {
            writeln!(out, "{}", one_line(&redaction.apply(line)))?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Option<Result<Follow, Failure>> {
        Follow::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_written_in_the_meantime_is_read_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.log");
        std::fs::write(&path, "one\ntw").unwrap();
        let mut follower = Follower::new(path.clone(), dir.path()).unwrap();
        let mut log = File::options().append(true).open(&path).unwrap();
        log.write_all(b"o\nthr").unwrap();
        assert_eq!(follower.read().unwrap(), "one\ntwo\n");
        log.write_all(b"ee\n").unwrap();
        assert_eq!(follower.read().unwrap(), "three\n");
    }

    #[test]
    fn only_a_log_that_is_to_be_followed_is_meant() {
        for words in [&["logs"] as &[&str], &["status", "-f"], &["logs", "--json"], &[]] {
            assert!(parsed(words).is_none(), "{words:?}");
        }
        let follow = |which, lines| Follow { which, lines };
        for (words, expected) in [
            (&["logs", "-f"] as &[&str], follow(Which::Daemon, LINES)),
            (&["/logs", "--follow", "-n", "5"], follow(Which::Daemon, 5)),
            (&["logs", "--audit", "-f"], follow(Which::Audit, LINES)),
        ] {
            assert_eq!(parsed(words).unwrap().unwrap(), expected, "{words:?}");
        }
        for words in
            [&["logs", "-f", "-n", "x"] as &[&str], &["logs", "-f", "--json"], &["logs", "-f", "-n", "0"]]
        {
            assert_eq!(parsed(words).unwrap().unwrap_err().status, Status::Usage, "{words:?}");
        }
    }
}
