//! A person at the terminal of an agent's shell. What the person does there is told to those who watch.

use std::sync::Arc;

use shell::{Attachment, End, Shown, Size, Typing};

use crate::activity::{Person, What};
use crate::agent::Agent;
use crate::error::{Code, Error, Result};
use crate::topic::Topic;
use crate::{Origin, Runtime, audit};

/// A person who is attached, until this is dropped.
pub struct Attached {
    place: Arc<Place>,
    attachment: Attachment,
    /// A command that was run later than it was typed, and is yet to be told.
    ran: Option<String>,
}

/// Whose shell it is.
struct Place {
    runtime: Arc<Runtime>,
    agent: Arc<Agent>,
    topic: Topic,
}

impl Runtime {
    /// Puts a person at the terminal of a live shell, whose window has this many columns and rows.
    pub async fn attach(
        self: &Arc<Self>,
        origin: Origin,
        agent: &str,
        topic: Topic,
        window: (u16, u16),
    ) -> Result<Attached> {
        if !origin.is_person() {
            return Err(Error::new(Code::NotAllowed, "Only a person can attach to a shell.").hint(
                "Run it in a terminal on this machine, outside String's own shells: string --attach …",
            ));
        }
        let agent = self.agents.named(agent)?;
        let shell = match self.sessions.of(&agent.id).get(&topic) {
            Some(session) if matches!(topic, Topic::Bash(_)) && super::has_shell(&session) => session.shell(),
            _ => None,
        };
        let shell = shell.ok_or_else(|| self.no_shell(&agent, &topic))?;
        let (columns, rows) = window;
        let attachment = shell
            .attach(Size { columns, rows })
            .await
            .map_err(|error| Error::new(Code::NotFound, format!("The shell has just ended: {error}.")))?;
        let place = Arc::new(Place { runtime: Arc::clone(self), agent, topic });
        place.tell(Person::Attached);
        Ok(Attached { place, attachment, ran: None })
    }

    fn no_shell(&self, agent: &Agent, topic: &Topic) -> Error {
        let Topic::Bash(name) = topic else {
            return Error::new(Code::InvalidTarget, format!("{topic} is not a shell."))
                .hint("The topic of a shell is bash: and its name, such as bash:dev.");
        };
        let live: Vec<String> = self
            .sessions
            .of(&agent.id)
            .list()
            .iter()
            .filter(|session| super::has_shell(session))
            .map(|session| session.topic.to_string())
            .collect();
        let live = if live.is_empty() { "none".to_owned() } else { live.join(", ") };
        Error::new(Code::NotFound, format!("No shell runs in {topic} of agent {}.", agent.id))
            .hint(format!("Start one: string bash spawn {name}"))
            .hint(format!("Live shells: {live}"))
    }
}

impl Attached {
    /// The next bytes for the person's terminal; none when that is over. May be dropped while it waits.
    pub async fn output(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(command) = &self.ran {
                self.place.tell_of(command).await;
                self.ran = None;
            }
            match self.attachment.output().await? {
                Shown::Bytes(bytes) => return Some(bytes),
                Shown::Ran(command) => self.ran = Some(command),
            }
        }
    }

    /// Why there is no more output.
    pub async fn end(&self) -> String {
        match self.attachment.end().await {
            End::Ended(status) => format!("The shell has ended with status {status}."),
            End::Closed => "The shell was closed.".to_owned(),
            End::TooSlow => "This terminal was too slow. The shell goes on.".to_owned(),
        }
    }

    pub async fn keys(&self, bytes: Vec<u8>) {
        let Typing { commands, input } = self.attachment.keys(bytes).await;
        for command in commands {
            self.place.tell_of(&command).await;
        }
        if input {
            self.place.tell(Person::Typed);
        }
    }

    pub async fn resize(&self, columns: u16, rows: u16) {
        self.attachment.resize(Size { columns, rows }).await;
    }
}

impl Place {
    /// Nothing is told yet while it waits.
    async fn tell_of(&self, command: &str) {
        let command = self.runtime.conceal.line(&self.agent, &self.topic, command).await;
        self.runtime.audit.write(audit::Line {
            time: self.runtime.now(),
            agent: self.agent.id.to_string(),
            topic: self.topic.to_string(),
            command: format!("(typed by a person) {command}"),
            code: None,
            ms: 0,
        });
        self.tell(Person::Ran { command });
    }

    fn tell(&self, did: Person) {
        let what = || What::Person { topic: self.topic.to_string(), did };
        self.runtime.activity.tell(&self.agent.id, what);
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let untold: Vec<String> = self.ran.take().into_iter().chain(self.attachment.untold()).collect();
        let place = Arc::clone(&self.place);
        let tell = async move {
            for command in untold {
                place.tell_of(&command).await;
            }
            place.tell(Person::Detached);
        };
        // Outside of a runtime the daemon ends, and its log with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(tell);
        }
    }
}
