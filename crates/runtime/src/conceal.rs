//! Keeps values of the `$NAME` files and String's own tokens out of logs, the activity stream and errors.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use script::Stamp;

use crate::agent::Agent;
use crate::blocking;
use crate::error::{Error, Result};
use crate::token;
use crate::topic::Topic;
use crate::variable::{self, Scope, Secret, Secrets};

/// The most of a command line that is shown and logged. Watchers and logs keep many of them.
const SHOWN_MAX: usize = 400;

/// How many scopes are remembered: each configuration of an app is one, and may never be asked for again.
const SCOPES_MAX: usize = 1_000;

/// The values of each scope. Its files are read again only when they have changed: nearly every command asks.
#[derive(Debug)]
pub struct Conceal {
    scopes: Mutex<HashMap<PathBuf, Arc<Kept>>>,
    /// What opens the daemon's port.
    token: Option<Secret>,
}

#[derive(Debug)]
struct Kept {
    files: Vec<Seen>,
    secrets: Arc<Secrets>,
}

/// A file, and what it was; nothing if it was not there.
#[derive(Debug, PartialEq, Eq)]
struct Seen(PathBuf, Option<Stamp>);

impl Conceal {
    pub fn new(token: Option<Secret>) -> Self {
        Self { scopes: Mutex::default(), token }
    }

    /// A command as it may be logged: without values, on one line, and not too long.
    pub async fn line(&self, agent: &Agent, topic: &Topic, text: &str) -> String {
        let text = match self.secrets(agent, topic).await {
            Ok(secrets) => token::hidden(&secrets.redact(text), self.token.as_ref()).into_owned(),
            // What cannot be told from a secret is not shown.
            Err(_) => text.split_whitespace().take(1).chain(["…"]).collect::<Vec<_>>().join(" "),
        };
        // Last: half a value, or one on a single line, is one that is not recognised.
        cut(&text)
    }

    /// A word that was not understood, and may be anything.
    pub fn word(&self, text: &str) -> String {
        token::hidden(text, self.token.as_ref()).into_owned()
    }

    /// An error without values. Its body is the output of a command, which is for the caller as it is.
    pub async fn error(&self, agent: &Agent, topic: &Topic, error: Error) -> Error {
        match self.secrets(agent, topic).await {
            Ok(secrets) => {
                Error { body: error.body.clone(), ..secrets.redact_error(Error { body: None, ..error }) }
            }
            // Where no value can be read, none was filled in.
            Err(_) => error,
        }
    }

    async fn secrets(&self, agent: &Agent, topic: &Topic) -> Result<Arc<Secrets>> {
        let (home, scope) = (agent.workspace.home(), Scope::of(topic));
        let key = scope.file(home);
        if let Some(secrets) = self.kept(&key) {
            return Ok(secrets);
        }
        let home = home.to_owned();
        let (files, secrets) = blocking::run(move || {
            // Before they are read: a change in between makes them read once more.
            let files = seen(&home, &scope);
            variable::read(&home, &scope).map(|found| (files, Arc::new(Secrets::new(found.iter()))))
        })
        .await?;
        let now = SystemTime::now();
        if files.iter().all(|Seen(_, stamp)| stamp.is_none_or(|stamp| stamp.settled(now))) {
            let mut all = self.lock();
            if all.len() >= SCOPES_MAX {
                all.clear();
            }
            all.insert(key, Arc::new(Kept { files, secrets: Arc::clone(&secrets) }));
        }
        Ok(secrets)
    }

    fn kept(&self, key: &Path) -> Option<Arc<Secrets>> {
        // Nobody waits for the lock while files are looked at.
        let kept = Arc::clone(self.lock().get(key)?);
        let is_current = kept.files.iter().all(|Seen(path, stamp)| stamp_of(path) == *stamp);
        is_current.then(|| Arc::clone(&kept.secrets))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Kept>>> {
        self.scopes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command as one line, not too long.
pub fn cut(text: &str) -> String {
    let line = text.trim().lines().collect::<Vec<_>>().join(" ⏎ ");
    match line.floor_char_boundary(SHOWN_MAX) {
        cut if cut < line.len() => format!("{}…", &line[..cut]),
        _ => line,
    }
}

/// The files that give a scope its values.
fn seen(home: &Path, scope: &Scope) -> Vec<Seen> {
    let scopes = std::iter::successors(Some(scope.clone()), Scope::broader);
    scopes.map(|scope| scope.file(home)).map(|path| Seen(path.clone(), stamp_of(&path))).collect()
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    std::fs::metadata(path).ok().map(|metadata| Stamp::of(&metadata))
}
