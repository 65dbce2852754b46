//! Scopes: whom an entry belongs to, which binding lets a tool reach it, and where it is kept.

use std::fmt;

use serde::Deserialize;
use store::Space;

use super::Durable;
use super::error::{Code, Error, Result};
use crate::agent;
use crate::topic::{Name, Topic};

/// Longest `scope_id`.
const SCOPE_ID_MAX: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Profile,
    Session,
    Task,
    Shared,
}

/// What a tool declares to be allowed to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub name: String,
    pub key_prefix: String,
    pub kind: Kind,
    /// Of `shared`, and of nothing else.
    pub scope_id: Option<String>,
}

/// All that a tool declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings(pub Vec<Binding>);

/// For whom a tool runs.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    pub agent: &'a agent::Id,
    pub topic: &'a Topic,
    pub task: &'a str,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Profile, Self::Session, Self::Task, Self::Shared];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Session => "session",
            Self::Task => "task",
            Self::Shared => "shared",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// What the names of an agent's spaces of this kind begin with. That of its profile is nothing else; those of the
    /// others go on with a topic, a task or a `scope_id`. What is shared belongs to no agent.
    pub fn prefix(self, agent: &agent::Id) -> String {
        let kind = self.as_str();
        match self {
            Self::Profile => format!("state/{kind}/{agent}"),
            Self::Session | Self::Task => format!("state/{kind}/{agent}/"),
            Self::Shared => format!("state/{kind}/"),
        }
    }

    /// Where entries of this kind are kept, by the name of their topic, of their task, or their `scope_id`.
    pub fn space(self, agent: &agent::Id, name: impl fmt::Display) -> Space {
        Space::new(format!("{}{name}", self.prefix(agent)))
    }
}

impl Bindings {
    /// The binding that covers a key, or a prefix of keys. One shorter than the binding's own is not covered.
    pub fn covering(&self, kind: Kind, key: &str) -> Result<&Binding> {
        let covers = |binding: &&Binding| binding.kind == kind && key.starts_with(&binding.key_prefix);
        self.0.iter().find(covers).ok_or_else(|| {
            let own = self.0.iter().filter(|binding| binding.kind == kind);
            let own: Vec<String> = own.map(|binding| format!("{:?}", binding.key_prefix)).collect();
            let declared = if own.is_empty() { "none".to_owned() } else { own.join(", ") };
            let kind = kind.as_str();
            let message = format!("no {kind} binding of this tool covers {key:?}; it declares {declared}");
            Error::new(Code::BindingDenied, message)
        })
    }

    /// Two bindings whose keys overlap but that lead to different scopes, if there are any.
    pub fn ambiguous(&self) -> Option<(&Binding, &Binding)> {
        let pairs = self
            .0
            .iter()
            .enumerate()
            .flat_map(|(n, one)| self.0[n + 1..].iter().map(move |other| (one, other)));
        let overlap = |one: &Binding, other: &Binding| {
            one.key_prefix.starts_with(&other.key_prefix) || other.key_prefix.starts_with(&one.key_prefix)
        };
        let mut clashes = pairs.filter(|(one, other)| {
            one.kind == other.kind && one.scope_id != other.scope_id && overlap(one, other)
        });
        clashes.next()
    }
}

impl Binding {
    /// Where the entries of this binding are kept.
    pub fn space(&self, owner: Owner<'_>) -> Space {
        let (kind, Owner { agent, topic, task }) = (self.kind, owner);
        match kind {
            Kind::Profile => kind.space(agent, ""),
            Kind::Session => kind.space(agent, topic),
            Kind::Task => kind.space(agent, task),
            Kind::Shared => kind.space(agent, self.scope_id.as_deref().unwrap_or_default()),
        }
    }
}

/// Where the session state of every topic of an app is kept, open or not.
pub async fn app_spaces(durable: &Durable, agent: &agent::Id, app: &Name) -> Result<Vec<Space>> {
    let first = Kind::Session.space(agent, Topic::App { name: app.clone(), config: None });
    let configured = format!("{}:", first.as_str());
    let mut spaces = durable.spaces(first.as_str()).await?;
    spaces.retain(|space| *space == first || space.as_str().starts_with(&configured));
    Ok(spaces)
}

/// A `scope_id` is a word: it becomes part of a name.
pub fn check_scope_id(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':' | '@');
    (1..=SCOPE_ID_MAX).contains(&text.len()) && text.chars().all(legal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(kind: Kind, key_prefix: &str, scope_id: Option<&str>) -> Binding {
        Binding {
            name: "b".into(),
            key_prefix: key_prefix.into(),
            kind,
            scope_id: scope_id.map(str::to_owned),
        }
    }

    #[test]
    fn a_binding_covers_its_kind_and_its_prefix() {
        let bindings = Bindings(vec![
            binding(Kind::Session, "counter.", None),
            binding(Kind::Shared, "cache.service.", Some("service")),
            binding(Kind::Shared, "cache.billing.", Some("billing")),
        ]);
        let scope = |kind, key| bindings.covering(kind, key).map(|binding| binding.scope_id.clone());
        assert_eq!(scope(Kind::Session, "counter.x"), Ok(None));
        assert_eq!(scope(Kind::Session, "counter."), Ok(None));
        assert_eq!(scope(Kind::Shared, "cache.billing.a"), Ok(Some("billing".into())));
        for (kind, key) in [
            (Kind::Session, "counter"),
            (Kind::Session, "Counter.x"),
            (Kind::Session, "../counter.x"),
            (Kind::Profile, "counter.x"),
            (Kind::Task, "counter.x"),
            (Kind::Shared, "cache."),
            (Kind::Shared, ""),
        ] {
            assert_eq!(scope(kind, key).unwrap_err().code, Code::BindingDenied, "{kind:?} {key}");
        }
    }

    #[test]
    fn overlapping_bindings_must_lead_to_one_scope() {
        let check = |bindings: Vec<Binding>| Bindings(bindings).ambiguous().is_some();
        use Kind::{Profile, Session, Shared};
        assert!(check(vec![binding(Shared, "a.", Some("x")), binding(Shared, "a.b.", Some("y"))]));
        assert!(check(vec![binding(Shared, "", Some("x")), binding(Shared, "q", Some("y"))]));
        assert!(!check(vec![binding(Shared, "a.", Some("x")), binding(Shared, "a.b.", Some("x"))]));
        assert!(!check(vec![binding(Shared, "a.", Some("x")), binding(Shared, "b.", Some("y"))]));
        assert!(!check(vec![binding(Session, "a.", None), binding(Profile, "a.", None)]));
    }

    #[test]
    fn scopes_are_kept_apart() {
        let agent = agent::Id::parse("codex").unwrap();
        let topic = Topic::parse("app:gmail:work").unwrap();
        let owner = Owner { agent: &agent, topic: &topic, task: "job-1" };
        for (kind, id, expected) in [
            (Kind::Profile, None, "state/profile/codex"),
            (Kind::Session, None, "state/session/codex/app:gmail:work"),
            (Kind::Task, None, "state/task/codex/job-1"),
            (Kind::Shared, Some("service"), "state/shared/service"),
        ] {
            assert_eq!(binding(kind, "", id).space(owner).as_str(), expected);
        }
        for id in ["a/b", "", "..\n", "é", &"x".repeat(129)] {
            assert!(!check_scope_id(id), "{id}");
        }
    }
}
