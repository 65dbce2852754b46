//! Which agent speaks.

use std::fmt;

/// Longest id, in characters.
const ID_MAX: usize = 64;

/// A well-formed agent id, `[a-zA-Z0-9_-]{1,64}`. Whether such an agent exists, the daemon knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentId(Box<str>);

impl AgentId {
    pub fn parse(text: &str) -> Option<Self> {
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        ((1..=ID_MAX).contains(&text.len()) && text.chars().all(legal)).then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_letters_digits_underscores_and_hyphens() {
        for (text, legal) in [
            ("default", true),
            ("_-9", true),
            (&"x".repeat(ID_MAX), true),
            (&"x".repeat(ID_MAX + 1), false),
            ("", false),
            ("a b", false),
            ("a\r\nx-evil: 1", false),
            ("é", false),
            ("../x", false),
        ] {
            assert_eq!(AgentId::parse(text).is_some(), legal, "{text}");
        }
    }
}
