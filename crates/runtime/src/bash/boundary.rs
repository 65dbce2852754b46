//! The boundary of an agent, as the kernel can enforce it.

use std::path::PathBuf;

use shell::boundary::{Boundary, Level, Secrets};

use super::Shells;
use crate::agent::{self, Agent};
use crate::error::{Code, Error, Result};
use crate::files;

/// What is in force, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence(pub String);

impl Shells {
    /// The boundary around what an agent starts. `isolated` is refused where the kernel cannot keep it;
    /// `workspace`, the default, then falls back to what can be had, and says so.
    pub async fn boundary(&self, agent: &Agent) -> Result<(Boundary, Fence)> {
        let level = match agent.boundary {
            agent::Boundary::None => Level::None,
            agent::Boundary::Workspace => Level::Workspace,
            agent::Boundary::Isolated => Level::Isolated,
            agent::Boundary::Off => return Ok((Boundary::none(), Fence("off".into()))),
        };
        match Boundary::new(level, self.support().await?, agent.workspace.home()) {
            Ok(boundary) => {
                let words = match (level, boundary.secrets()) {
                    (Level::None, _) | (_, Secrets::Hidden) => agent.boundary.as_str().to_owned(),
                    (_, Secrets::Readable) => {
                        format!(
                            "{} (secrets are not hidden: this kernel allows no mount namespace)",
                            agent.boundary.as_str()
                        )
                    }
                };
                let fenced = if level == Level::None { boundary } else { self.around(agent, boundary) };
                Ok((fenced, Fence(words)))
            }
            Err(error) if level == Level::Workspace => {
                Ok((Boundary::none(), Fence(format!("none (workspace cannot be enforced here: {error})"))))
            }
            Err(error) => Err(Error::new(
                Code::NotAllowed,
                format!("The boundary isolated cannot be kept here: {error}."),
            )
            .hint("A person can choose another one: string agent boundary workspace")),
        }
    }

    /// The boundary for something that starts now. What must be there to be hidden is made: settings that only a
    /// person may change lie in `.string`, and a shell that finds none could make its own.
    pub(super) async fn closed_boundary(&self, agent: &Agent) -> Result<(Boundary, Fence)> {
        let (boundary, fence) = self.boundary(agent).await?;
        if boundary.level() != Level::None {
            let own = own(agent);
            let output = own.join("output");
            files::create_dir(&output).map_err(|error| {
                Error::new(Code::LoadError, format!("{} cannot be made: {error}", output.display()))
                    .hint("Shells and commands need it inside a boundary: long output is kept there.")
                    .hint(format!(
                        "Make the home writable, or choose another: string agent set-home {} DIR",
                        agent.id
                    ))
                    .hint("Or do without a boundary: string agent boundary none")
            })?;
            if own.is_symlink() {
                let message = format!(
                    "{} is a link, which a command could replace with settings of its own.",
                    own.display()
                );
                return Err(Error::new(Code::NotAllowed, message)
                    .hint("Make it a directory; to keep the files elsewhere, mount that over it.")
                    .hint("Or do without a boundary: string agent boundary none"));
            }
        }
        Ok((boundary, fence))
    }

    /// Hides String's own files and every agent's secrets, and allows what the agent may write to.
    fn around(&self, agent: &Agent, boundary: Boundary) -> Boundary {
        // Packages and tools run commands in their own folders, which hold no secrets; apps also write to theirs.
        let open = ["output", "packages", "tools"].map(|name| own(agent).join(name));
        let fenced = open.into_iter().fold(boundary, Boundary::keep).hide(&self.root);
        let fenced = fenced.allow(own(agent).join("work"));
        let fenced = agent.workspace.allowed().iter().fold(fenced, Boundary::allow);
        let others = self.agents.list();
        let homes = others.iter().filter(|other| other.id != agent.id).map(|other| other.workspace.home());
        // What lies below the root is hidden with it.
        homes.filter(|home| !home.starts_with(&self.root)).fold(fenced, Boundary::beside)
    }
}

/// Where an agent's settings lie.
fn own(agent: &Agent) -> PathBuf {
    agent.workspace.home().join(".string")
}
