//! Shells and one-shot commands on behalf of an agent: where they start, what they see, what they may touch.

mod attach;
mod boundary;
mod live;
mod output;
mod record;
mod reply;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use shell::boundary::Support;
use shell::exec::Executed;
use shell::{Config, Environment, LogFiles, Shell, Spawner};
use tokio::sync::{OnceCell, broadcast};

pub use attach::Attached;
pub use boundary::Fence;
pub use live::pass_on;
pub use output::text;
pub use record::{Record, Records};
pub use reply::{Cwd, FRESH, ended_before, render, unheard};

use crate::agent::{Agent, Grant, Registry};
use crate::error::{Code, Error, Result};
use crate::session::Session;

/// How long a turn waits before a command counts as running.
pub const WAIT: Duration = Duration::from_secs(30);
/// How long a one-shot command may take.
pub const EXEC_LIMIT: Duration = Duration::from_secs(120);
/// The longest time that a caller may ask for.
pub const TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// What it takes to start processes, as the binary knows it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The executable that acts as the guard of each shell.
    pub program: PathBuf,
    pub bash: PathBuf,
    /// What every process sees besides `HOME`: `PATH`, `LANG`, `USER`, `SHELL`, `TMPDIR`.
    pub environment: Vec<(OsString, OsString)>,
}

/// Starts shells. Without settings it refuses, as in tests that need none.
pub struct Shells {
    parts: Option<(Spawner, Settings)>,
    support: OnceCell<Support>,
    /// Which shells live, for the next daemon.
    pub records: Records,
    /// The daemon's own directory, hidden from all that is started.
    root: PathBuf,
    /// Whose homes are beside an agent's own.
    agents: Arc<Registry>,
}

/// A live shell, and the boundary it was started with.
#[derive(Clone)]
pub struct Live {
    pub shell: Arc<Shell>,
    pub fence: Fence,
    /// What its agent was allowed then.
    pub grant: Grant,
}

/// A one-shot command.
#[derive(Debug)]
pub struct Job {
    pub text: String,
    pub directory: PathBuf,
    pub limit: Duration,
    /// Values for the command, by name.
    pub values: Vec<(OsString, OsString)>,
    pub live: Option<broadcast::Sender<shell::Live>>,
}

impl Shells {
    pub fn new(settings: Option<Settings>, root: PathBuf, agents: Arc<Registry>) -> Result<Self> {
        let parts = settings.map(|settings| {
            let spawner = Spawner::new(&settings.program, &settings.bash).map_err(failed)?;
            Ok::<_, Error>((spawner, settings))
        });
        let records = Records::load(&root);
        Ok(Self { parts: parts.transpose()?, support: OnceCell::new(), records, root, agents })
    }

    /// Starts a shell in a directory, or in the agent's home if that is gone.
    pub async fn start(&self, agent: &Agent, directory: Option<&Path>) -> Result<Live> {
        let (spawner, settings) = self.parts(agent)?;
        let home = agent.workspace.home();
        let directory = directory.filter(|path| path.is_dir()).unwrap_or(home).to_owned();
        let (boundary, fence) = self.closed_boundary(agent).await?;
        let environment = environment(settings, agent);
        let logs = logs(agent);
        let started = Shell::start(spawner, Config { directory, environment, boundary, logs }).await;
        Ok(Live { shell: Arc::new(started.map_err(failed)?), fence, grant: agent.grant().clone() })
    }

    /// Runs a command with both outputs merged, until `stop`.
    pub async fn exec(&self, agent: &Agent, job: Job, stop: impl Future<Output = ()>) -> Result<Executed> {
        let (spawner, settings) = self.parts(agent)?;
        let command = self.command(settings, agent, job).await?;
        unless_revoked(agent, shell::exec::exec_until(spawner, command, stop)).await
    }

    /// Runs a command with its outputs apart, keeping the first `keep` bytes of each.
    pub async fn exec_apart(
        &self,
        agent: &Agent,
        job: Job,
        keep: usize,
    ) -> Result<shell::exec::ExecutedApart> {
        let (spawner, settings) = self.parts(agent)?;
        let command = self.command(settings, agent, job).await?;
        unless_revoked(agent, shell::exec::exec_apart(spawner, command, keep)).await
    }

    /// What an agent's shells and commands see, sorted by name; nothing if there are none.
    pub fn variables(&self, agent: &Agent) -> Vec<(String, String)> {
        let text = |text: OsString| text.to_string_lossy().into_owned();
        let seen = self.parts.iter().flat_map(|(_, settings)| environment(settings, agent).variables());
        seen.map(|(name, value)| (text(name), text(value))).collect()
    }

    /// What the kernel supports, found out once.
    pub async fn support(&self) -> Result<&Support> {
        let Some((spawner, _)) = &self.parts else { return Err(no_shells()) };
        self.support.get_or_try_init(|| spawner.support()).await.map_err(failed)
    }

    async fn command(&self, settings: &Settings, agent: &Agent, job: Job) -> Result<shell::exec::Command> {
        let Job { text, directory, limit, values, live } = job;
        if !directory.is_dir() {
            let shown = agent.workspace.display(&directory);
            return Err(Error::new(Code::NotFound, format!("The directory {shown} is gone."))
                .hint("Commands run where the topic is. Open something that is there, such as: /open ~"));
        }
        let (boundary, _) = self.closed_boundary(agent).await?;
        let environment =
            values.into_iter().fold(environment(settings, agent), |all, (name, value)| all.with(name, value));
        Ok(shell::exec::Command { text, directory, environment, boundary, limit, logs: logs(agent), live })
    }

    fn parts(&self, agent: &Agent) -> Result<(&Spawner, &Settings)> {
        if agent.boundary == crate::agent::Boundary::Off {
            return Err(Error::new(
                Code::NotAllowed,
                format!("Shells are switched off for agent {}.", agent.id),
            )
            .hint("A person can allow them: string agent boundary workspace"));
        }
        self.parts.as_ref().map(|(spawner, settings)| (spawner, settings)).ok_or_else(no_shells)
    }
}

/// Runs a command as long as the agent may touch what it was started with; dropping it ends it.
async fn unless_revoked<T>(agent: &Agent, running: impl Future<Output = shell::Result<T>>) -> Result<T> {
    tokio::select! {
        done = running => done.map_err(failed),
        () = agent.until_revoked() => Err(revoked(agent)),
    }
}

/// What the agent may touch became less while something was started or ran.
pub fn revoked(agent: &Agent) -> Error {
    if agent.is_removed() {
        return Error::new(Code::NotAllowed, format!("Ended: agent {} was removed.", agent.id));
    }
    Error::new(Code::NotAllowed, format!("Ended: what agent {} may touch has changed.", agent.id))
        .hint("What is started now has the new boundary: string agent boundary")
}

/// Whether a topic has a shell that lives. One that has ended stays there until its end has been told.
pub fn has_shell(session: &Session) -> bool {
    session.shell().is_some_and(|shell| !shell.has_ended())
}

/// A command as lists and logs show it.
pub fn first_line(text: &str) -> String {
    text.trim_start().lines().next().unwrap_or_default().to_owned()
}

/// The base environment, and nothing of the daemon's own.
fn environment(settings: &Settings, agent: &Agent) -> Environment {
    let base = Environment::new().with("HOME", agent.workspace.home()).with("TERM", "dumb");
    settings.environment.iter().fold(base, |all, (name, value)| all.with(name, value))
}

/// Where output goes that is too long to show. Agents may read it there.
pub fn logs(agent: &Agent) -> LogFiles {
    LogFiles { directory: agent.workspace.home().join(crate::agent::OUTPUT), cap: shell::limits::LOG }
}

/// Removes output of an agent's commands that is too old, or too much. Returns how many files are gone.
pub fn clean_output(agent: &Agent) -> usize {
    logs(agent).clean(shell::Keep::USUAL, std::time::SystemTime::now())
}

fn no_shells() -> Error {
    Error::new(Code::NotAllowed, "This daemon was started without shells.")
}

fn failed(error: shell::Error) -> Error {
    match error {
        shell::Error::NulByte => Error::new(Code::InvalidParams, format!("This cannot be run: {error}.")),
        _ => Error::new(Code::LoadError, format!("The shell could not be used: {error}.")),
    }
}
