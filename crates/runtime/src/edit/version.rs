//! Named versions of files, kept by String for each agent.
//!
//! The records of an agent's versions lie in one space, their contents in another, so that a list does not read
//! contents. A key is the resolved path, a zero byte, which no path holds, and the number counted down, so that
//! the newest version of a file comes first.

mod room;

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use store::{Expect, Key, KeyRange, Limit, Space, Store, Timestamp};

use super::target::Located;
use crate::agent::{self, Workspace};
use crate::blocking;
use crate::document::{self, typed};
use crate::error::{Code, Error, Result, store_failed};

/// How many versions `/log` shows; older ones can still be opened.
pub const LOG_MAX: usize = 100;
/// Longest message, in characters: a line or two.
pub const MESSAGE_MAX: usize = 500;
/// How many versions an error names.
const NAMED_MAX: usize = 10;

/// The number of a version of one file: `c1`, `c2`, …
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(u32);

/// What is known about a version without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub number: Number,
    pub time: Timestamp,
    pub message: String,
    /// In bytes.
    pub size: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    New(Number),
    /// The file is the same as in its last version.
    Unchanged(Version),
}

/// The versions of one agent.
#[derive(Debug, Clone, Copy)]
pub struct Kept<'a> {
    pub versions: &'a Versions,
    pub agent: &'a agent::Id,
}

/// The versions of all agents.
pub struct Versions {
    store: Arc<dyn Store>,
    /// What those of one agent may take.
    bytes_max: usize,
}

#[derive(Serialize, Deserialize)]
struct Record {
    time: i64,
    message: String,
    size: usize,
}

impl Versions {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, bytes_max: room::BYTES_MAX }
    }

    /// Keeps a content as the next version of a file, unless it is the last one already.
    pub async fn commit(
        &self,
        agent: &agent::Id,
        file: &Path,
        content: &[u8],
        message: &str,
        now: Timestamp,
    ) -> Result<Committed> {
        let record = Record { time: now.as_millis(), message: message.to_owned(), size: content.len() };
        let record = serde_json::to_vec(&record).expect("a record of numbers and a text is always JSON");
        loop {
            let last = self.list(agent, file, 1).await?.into_iter().next();
            if let Some(last) = &last
                && self.content(agent, file, last.number).await?.as_deref() == Some(content)
            {
                return Ok(Committed::Unchanged(last.clone()));
            }
            let number = Number(last.map_or(1, |last| last.number.0 + 1));
            let (records, contents, key) = (records(agent), contents(agent), key(file, number));
            let write = self.make_room(agent, content.len()).await?;
            let write = write
                .check(&records, &key, Expect::Absent)
                .put(&records, &key, record.clone(), None)
                .put(&contents, &key, content, None);
            // A conflict means that another topic committed meanwhile, and may have taken this number or this room.
            if self.store.commit(write).await.map_err(store_failed)?.is_ok() {
                return Ok(Committed::New(number));
            }
        }
    }

    /// The newest versions of a file, newest first.
    pub async fn list(&self, agent: &agent::Id, file: &Path, limit: usize) -> Result<Vec<Version>> {
        let range = KeyRange::prefix(prefix(file));
        let page = self.store.scan(&records(agent), &range, Limit::entries(limit)).await;
        let entries = page.map_err(store_failed)?.entries;
        entries.iter().map(|entry| version(&entry.key, &entry.value)).collect()
    }

    /// Removes all versions of an agent's files.
    pub async fn forget(&self, agent: &agent::Id) -> Result<()> {
        // Without the sum first: it must never say less than there is.
        for space in [room::sums(agent), records(agent), contents(agent)] {
            self.store.drop_space(&space).await.map_err(store_failed)?;
        }
        Ok(())
    }

    async fn content(&self, agent: &agent::Id, file: &Path, number: Number) -> Result<Option<Vec<u8>>> {
        let entry = self.store.get(&contents(agent), &key(file, number)).await.map_err(store_failed)?;
        Ok(entry.map(|entry| entry.value))
    }
}

impl Kept<'_> {
    /// The text of a version of a file, which itself may be gone by now. None if there is no such file, and no
    /// version of it either.
    pub async fn load(self, file: &Path, number: Number, workspace: &Workspace) -> Result<Option<String>> {
        let (workspace, file) = (workspace.clone(), file.to_owned());
        let (place, exists) = blocking::run(move || {
            let place = workspace.place(&file)?;
            let exists = place.open()?.is_some();
            Ok::<_, Error>((place, exists))
        })
        .await?;
        let (file, shown) = (place.path(), place.shown());
        if let Some(content) = self.versions.content(self.agent, &file, number).await? {
            return document::text(content, &format!("{shown}@{number}")).map(Some);
        }
        let known = self.versions.list(self.agent, &file, NAMED_MAX).await?;
        let error = Error::new(Code::NotFound, format!("No version {number} of {shown}."));
        if known.is_empty() && !exists {
            return Ok(None);
        }
        if known.is_empty() {
            return Err(
                error.hint(format!("It has none. Make one: /commit {} --message \"…\"", typed(shown)))
            );
        }
        let names: Vec<String> = known.iter().map(|version| version.number.to_string()).collect();
        Err(error.hint(format!("Versions: {} · /log {}", names.join(", "), typed(shown))))
    }
}

impl Kept<'_> {
    /// Refuses to change a version: `/open` reads `notes.md@c1` as one as long as no file has that very name.
    pub async fn refuse(self, located: &Located, workspace: &Workspace) -> Result<()> {
        for path in located.paths() {
            let Some((file, number)) = Number::split(path) else { continue };
            let (place, path) = (workspace.clone(), path.clone());
            if blocking::run(move || place.place(&path)?.open()).await?.is_some() {
                continue;
            }
            // What is no version cannot be taken for one.
            if !matches!(self.load(file, number, workspace).await, Ok(Some(_))) {
                continue;
            }
            let shown = workspace.place(file)?.shown().to_owned();
            let message = format!("{shown}@{number} is a version, and stays as it is.");
            return Err(Error::new(Code::InvalidPath, message)
                .hint(format!("Read it: /open {}@{number}", typed(&shown)))
                .hint(format!(
                    "Bring it back: /write {}, with its text below (/source shows it)",
                    typed(&shown)
                )));
        }
        Ok(())
    }
}

impl Number {
    pub const FIRST: Self = Self(1);

    /// Takes `@c3` off the end of a path. A path that is no text has no version.
    pub fn split(path: &Path) -> Option<(&Path, Self)> {
        let (path, digits) = path.to_str()?.rsplit_once("@c")?;
        let legal =
            !path.is_empty() && !path.ends_with('/') && digits.starts_with(|c: char| matches!(c, '1'..='9'));
        let number = digits.parse().ok().filter(|_| legal)?;
        Some((Path::new(path), Self(number)))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}

impl fmt::Debug for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Versions").finish_non_exhaustive()
    }
}

fn records(agent: &agent::Id) -> Space {
    Space::new(format!("versions/{agent}"))
}

fn contents(agent: &agent::Id) -> Space {
    Space::new(format!("version-contents/{agent}"))
}

fn prefix(file: &Path) -> Vec<u8> {
    [file.as_os_str().as_bytes(), &[0]].concat()
}

fn key(file: &Path, number: Number) -> Key {
    Key::new([prefix(file), (u32::MAX - number.0).to_be_bytes().to_vec()].concat())
}

fn version(key: &Key, record: &[u8]) -> Result<Version> {
    let damaged = || Error::new(Code::LoadError, "The record of a version is damaged.");
    let number = key.as_bytes().last_chunk().ok_or_else(damaged)?;
    let Record { time, message, size } = serde_json::from_slice(record).map_err(|_| damaged())?;
    let number = Number(u32::MAX - u32::from_be_bytes(*number));
    Ok(Version { number, time: Timestamp::from_millis(time), message, size })
}

#[cfg(test)]
mod tests {
    use store::SystemClock;
    use store::memory::Memory;

    use super::*;

    #[test]
    fn a_version_stands_behind_an_at_sign() {
        let table = [
            ("a.md@c1", Some(("a.md", 1))),
            ("a@c2.md@c12", Some(("a@c2.md", 12))),
            ("a.md@c0", None),
            ("a.md@c+1", None),
            ("a.md@c", None),
            ("a.md@c1x", None),
            ("a.md@1", None),
            ("@c1", None),
            ("docs/@c1", None),
        ];
        for (text, expected) in table {
            let split =
                Number::split(Path::new(text)).map(|(path, number)| (path.to_str().unwrap(), number.0));
            assert_eq!(split, expected, "{text}");
        }
    }

    #[tokio::test]
    async fn each_file_of_each_agent_counts_for_itself() {
        let versions = Versions::new(Arc::new(Memory::new(Arc::new(SystemClock))));
        let (one, two) = (agent::Id::parse("one").unwrap(), agent::Id::parse("two").unwrap());
        let commit = async |agent, file: &str, content: &str| {
            let now = Timestamp::from_millis(7);
            versions.commit(agent, Path::new(file), content.as_bytes(), "why", now).await.unwrap()
        };
        for n in 1..=300 {
            assert_eq!(commit(&one, "/a", &n.to_string()).await, Committed::New(Number(n)));
        }
        assert!(
            matches!(commit(&one, "/a", "300").await, Committed::Unchanged(last) if last.number == Number(300))
        );
        assert_eq!(commit(&one, "/a", "1").await, Committed::New(Number(301)));
        assert_eq!(commit(&one, "/ab", "300").await, Committed::New(Number(1)));
        assert_eq!(commit(&two, "/a", "300").await, Committed::New(Number(1)));
        let newest: Vec<u32> =
            versions.list(&one, Path::new("/a"), 3).await.unwrap().iter().map(|v| v.number.0).collect();
        assert_eq!(newest, [301, 300, 299]);
        assert_eq!(versions.list(&two, Path::new("/ab"), 3).await.unwrap(), []);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn topics_that_commit_at_the_same_time_get_numbers_of_their_own() {
        let versions = Arc::new(Versions::new(Arc::new(Memory::new(Arc::new(SystemClock)))));
        let commits = (0..50).map(|n| {
            let versions = Arc::clone(&versions);
            tokio::spawn(async move {
                let (agent, now) = (agent::Id::default_agent(), Timestamp::from_millis(0));
                let committed = versions.commit(&agent, Path::new("/a"), &[n], "m", now).await.unwrap();
                let Committed::New(number) = committed else { panic!("every content is new") };
                number.0
            })
        });
        let mut numbers = Vec::new();
        for commit in commits.collect::<Vec<_>>() {
            numbers.push(commit.await.unwrap());
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=50).collect::<Vec<u32>>());
    }
}
