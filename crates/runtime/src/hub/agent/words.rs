//! The words of the agent hub, and how they are typed.

use super::split_list;
use crate::agent::{Boundary, Id};
use crate::command::table::Verb::{Agent, Capability};
use crate::command::table::{Place, Spec, row};
use crate::command::{Format, Words};
use crate::error::Result;
use crate::topic::Hub;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    List,
    Current,
    Add,
    Use,
    SetHome,
    Boundary,
    Allow,
    AllowHost,
    Remove,
}

const HERE: Place = Place::Hub(Hub::Agent);

/// In the order `/help` shows them.
pub static WORDS: &[Spec] = &[
    row(Agent(Verb::List), "list", "/list [--json]", "all agents", HERE),
    row(Agent(Verb::Current), "current", "/current [--json]", "the agent that speaks", HERE),
    row(
        Agent(Verb::Add),
        "add",
        "/add ID [--home DIR] [--allow P1,P2] [--boundary B]",
        "register an agent",
        HERE,
    ),
    row(Agent(Verb::Use), "use", "/use ID [--local]", "make an agent the current one", HERE),
    row(Agent(Verb::SetHome), "set-home", "/set-home [ID] DIR", "give an agent another home", HERE),
    row(Agent(Verb::Boundary), "boundary", "/boundary [VALUE]", "show or set what shells may touch", HERE),
    row(
        Agent(Verb::Allow),
        "allow",
        "/allow [PATH…] [--remove PATH] [--json]",
        "show or change the paths outside the home",
        HERE,
    ),
    row(
        Agent(Verb::AllowHost),
        "allow-host",
        "/allow-host PAGE HOST",
        "let web pages send variables to a host",
        HERE,
    ),
    row(
        Capability,
        "capability",
        "/capability [mint|list|revoke …]",
        "let other programs reach certain files over HTTP",
        HERE,
    ),
    row(Agent(Verb::Remove), "rm", "/rm ID", "forget an agent; its files stay", HERE),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    List(Format),
    Current(Format),
    Add { id: Id, home: Option<String>, allow: Vec<String>, boundary: Boundary },
    Use { id: Id, reach: Reach },
    SetHome { id: Option<Id>, home: String },
    ShowBoundary,
    SetBoundary(Boundary),
    Allow { add: Vec<String>, remove: Option<String>, format: Format },
    AllowHost { page: String, host: String },
    Remove(Id),
}

/// Where a choice of agent counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Everywhere,
    /// In the caller's directory and below.
    Directory,
}

impl Command {
    pub fn format(&self) -> Format {
        match self {
            Self::List(format) | Self::Current(format) | Self::Allow { format, .. } => *format,
            _ => Format::Text,
        }
    }

    pub fn parse(verb: Verb, mut words: Words) -> Result<Self> {
        let command = match verb {
            Verb::List => Self::List(Format::asked(&mut words)),
            Verb::Current => Self::Current(Format::asked(&mut words)),
            Verb::Add => {
                let home = words.value("--home")?;
                let allow = words.value("--allow")?.map(|list| split_list(&list)).unwrap_or_default();
                let boundary = words.value("--boundary")?;
                let boundary = boundary.map_or(Ok(Boundary::default()), |text| Boundary::parse(&text))?;
                Self::Add { id: Id::parse(&words.required("ID")?)?, home, allow, boundary }
            }
            Verb::Use => {
                let reach = if words.switch("--local") { Reach::Directory } else { Reach::Everywhere };
                Self::Use { id: Id::parse(&words.required("ID")?)?, reach }
            }
            Verb::SetHome => {
                let first = words.required("DIR")?;
                match words.take() {
                    Some(home) => Self::SetHome { id: Some(Id::parse(&first)?), home },
                    None => Self::SetHome { id: None, home: first },
                }
            }
            Verb::Boundary => match words.take() {
                Some(value) => Self::SetBoundary(Boundary::parse(&value)?),
                None => Self::ShowBoundary,
            },
            Verb::Allow => {
                let (remove, format) = (words.value("--remove")?, Format::asked(&mut words));
                return Ok(Self::Allow { remove, format, add: words.rest()? });
            }
            Verb::AllowHost => {
                Self::AllowHost { page: words.required("PAGE")?, host: words.required("HOST")? }
            }
            Verb::Remove => Self::Remove(Id::parse(&words.required("ID")?)?),
        };
        words.done()?;
        Ok(command)
    }
}
