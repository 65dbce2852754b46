//! The boundary of an agent, as the kernel can enforce it.

use shell::boundary::{Boundary, Level, Secrets};

use super::Shells;
use crate::agent::{self, Agent};
use crate::error::{Code, Error, Result};

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
        let workspace = &agent.workspace;
        match Boundary::new(level, self.support().await?, workspace.home()) {
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
                let own = workspace.home().join(".string");
                // Apps and tools run commands in their own folders, which hold no secrets.
                let open = ["output", "work", "packages", "tools"];
                let fenced = open.iter().fold(boundary, |fenced, name| fenced.keep(own.join(name)));
                let fenced = fenced.hide(own).hide(&self.root);
                let fenced = workspace.allowed().iter().fold(fenced, |fenced, path| fenced.allow(path));
                Ok((if level == Level::None { Boundary::none() } else { fenced }, Fence(words)))
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
}
