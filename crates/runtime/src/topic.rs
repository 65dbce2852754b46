//! The address of a session: its grammar and its canonical form.

use std::fmt;

use crate::error::{Code, Error};

/// Longest segment of a topic, in characters; file systems stop at the same number.
const SEGMENT_MAX: usize = 255;

/// A well-formed topic in its canonical form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Topic {
    Tab(Name),
    App { name: Name, config: Option<Name> },
    Bash(Name),
    Hub(Hub),
}

/// One segment: `[a-zA-Z0-9_-]+`, at most 255 characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Box<str>);

/// The reserved bare names: managed views over their kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hub {
    App,
    Bash,
    Tool,
    Event,
    System,
    Agent,
}

/// What a topic is, without its name: the filter of `/topics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Tab,
    App,
    Bash,
    Hub,
}

impl Topic {
    pub fn main() -> Self {
        Self::Tab(Name("main".into()))
    }

    /// Reads a topic as a caller wrote it. Empty is `main`; `file:NAME` is the tab `NAME`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let trimmed = text.trim();
        Self::canonical(trimmed).ok_or_else(|| malformed(trimmed))
    }

    /// The topic that `/open WORD` belongs to, if the word names one that is not a tab.
    pub fn canonical_target(word: &str) -> Option<Result<Self, Error>> {
        match word.split_once(':') {
            Some(("app" | "bash", _)) => Some(Self::parse(word)),
            Some(_) => None,
            None => Hub::parse(word).map(|hub| Ok(Self::Hub(hub))),
        }
    }

    /// The app that an app topic belongs to.
    pub fn app_name(&self) -> Option<&Name> {
        match self {
            Self::App { name, .. } => Some(name),
            _ => None,
        }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::Tab(_) => Kind::Tab,
            Self::App { .. } => Kind::App,
            Self::Bash(_) => Kind::Bash,
            Self::Hub(_) => Kind::Hub,
        }
    }

    /// What commands begin with here: in a shell one slash begins a path.
    pub fn slashes(&self) -> &'static str {
        if self.kind() == Kind::Bash { "//" } else { "/" }
    }

    fn canonical(text: &str) -> Option<Self> {
        let mut segments = text.split(':');
        let topic = match (segments.next()?, segments.next(), segments.next()) {
            ("", None, None) => Self::main(),
            (bare, None, None) => match Hub::parse(bare) {
                Some(hub) => Self::Hub(hub),
                None => Self::Tab(Name::parse(bare)?),
            },
            // A hub's name stays reserved behind `file:` too: there is no tab of that name.
            ("file", Some(tab), None) if Hub::parse(tab).is_none() => Self::Tab(Name::parse(tab)?),
            ("bash", Some(name), None) => Self::Bash(Name::parse(name)?),
            ("app", Some(name), None) => Self::App { name: Name::parse(name)?, config: None },
            ("app", Some(name), Some(config)) => {
                Self::App { name: Name::parse(name)?, config: Some(Name::parse(config)?) }
            }
            _ => return None,
        };
        segments.next().is_none().then_some(topic)
    }
}

impl Name {
    pub fn parse(text: &str) -> Option<Self> {
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        ((1..=SEGMENT_MAX).contains(&text.len()) && text.chars().all(legal)).then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Hub {
    pub const ALL: [Self; 6] = [Self::App, Self::Bash, Self::Tool, Self::Event, Self::System, Self::Agent];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hub| hub.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Bash => "bash",
            Self::Tool => "tool",
            Self::Event => "event",
            Self::System => "system",
            Self::Agent => "agent",
        }
    }
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Tab, Self::App, Self::Bash, Self::Hub];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tab => "tab",
            Self::App => "app",
            Self::Bash => "bash",
            Self::Hub => "hub",
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tab(name) => f.write_str(&name.0),
            Self::App { name, config: None } => write!(f, "app:{}", name.0),
            Self::App { name, config: Some(config) } => write!(f, "app:{}:{}", name.0, config.0),
            Self::Bash(name) => write!(f, "bash:{}", name.0),
            Self::Hub(hub) => f.write_str(hub.as_str()),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn malformed(text: &str) -> Error {
    let tool = text.strip_prefix("tool:").filter(|name| Name::parse(name).is_some());
    let tool = tool.map(|name| format!("A tool is called in a topic: string main '/tool:{name}'"));
    Error::new(Code::InvalidTarget, format!("Not a topic: {}", crate::error::quoted(text)))
        .hints(tool)
        .hint("A topic is a tab (main), an app (app:gmail, app:gmail:work), a shell (bash:dev)")
        .hint("or a hub: app, bash, tool, event, system, agent.")
        .hint("Names are letters, digits, _ and -, at most 255 of them.")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn topics_have_one_canonical_form() {
        let long = "x".repeat(SEGMENT_MAX);
        let table = [
            ("", "main"),
            ("  main ", "main"),
            ("Main", "Main"),
            ("file:notes", "notes"),
            ("app:gmail", "app:gmail"),
            ("app:gmail:work", "app:gmail:work"),
            ("bash:dev", "bash:dev"),
            ("event", "event"),
            ("_-9", "_-9"),
            (&long, &long),
        ];
        for (text, canonical) in table {
            assert_eq!(Topic::parse(text).unwrap().to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let long = "x".repeat(SEGMENT_MAX + 1);
        let table = [
            "intro.md",
            "my session",
            "app:",
            "app::x",
            "app:x:",
            "app:a:b:c",
            "bash:",
            "bash:a:b",
            "ftp:x",
            "file:",
            "file:a:b",
            "file:app",
            "tab:x",
            "../x",
            "a/b",
            "a\0b",
            "é",
            "Ａ",
            "a\nb",
            ":",
            "main:",
            &long,
        ];
        for text in table {
            let error = Topic::parse(text).unwrap_err();
            assert_eq!(error.code, Code::InvalidTarget, "{text}");
        }
    }

    #[test]
    fn only_whole_words_are_canonical_targets() {
        let table = [
            ("app:x", Some("app:x")),
            ("bash:x", Some("bash:x")),
            ("system", Some("system")),
            ("app-notes.md", None),
            ("agent.md", None),
            ("main", None),
            ("https://x", None),
            ("./app", None),
        ];
        for (word, expected) in table {
            let found = Topic::canonical_target(word).map(|topic| topic.unwrap().to_string());
            assert_eq!(found.as_deref(), expected, "{word}");
        }
        assert!(Topic::canonical_target("app:a b").unwrap().is_err());
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_a_fixed_point(text in any::<String>()) {
            if let Ok(topic) = Topic::parse(&text) {
                prop_assert_eq!(Topic::parse(&topic.to_string()).unwrap(), topic);
            }
        }
    }
}
