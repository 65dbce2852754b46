//! Requirements: the `$NAME` values that a document declares in `env:`.

use sfmd::Requirement;

use super::Persistent;
use crate::document::Setup;
use crate::error::{Code, Error};

/// Who requires a value, as errors say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimant {
    Document,
    App,
    Tool,
}

impl Claimant {
    fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::App => "app",
            Self::Tool => "tool",
        }
    }
}

/// The requirements without a value and without a default.
pub fn missing<'r>(
    requirements: impl IntoIterator<Item = &'r Requirement>,
    persistent: &Persistent,
) -> Vec<&'r Requirement> {
    let unmet = |requirement: &&Requirement| {
        requirement.default.is_none() && persistent.get(&requirement.name).is_none()
    };
    requirements.into_iter().filter(unmet).collect()
}

/// The error that names everything that is missing, and the commands that repair it; none if nothing is.
pub fn required(claimant: Claimant, missing: &[&Requirement], setup: Option<&Setup>) -> Option<Error> {
    let (first, others) = missing.split_first()?;
    let who = claimant.as_str();
    let error = Error::new(Code::EnvRequired, format!("{who} requires {first}"));
    let others = others.iter().map(|requirement| format!("{who} requires {requirement}"));
    let repairs = missing.iter().map(|requirement| format!("/set ${} = \"…\"", requirement.name));
    let setup = setup.map(|setup| format!("What it needs: /open {}", setup.target));
    Some(error.hints(others).hints(repairs).hints(setup))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_missing_is_named_with_its_repair() {
        let document = sfmd::parse(
            "---\nenv:\n  - API_KEY: \"OpenWeather API key\"\n  - REGION: \"Region\"\n    default: US\n  - BARE\n---\n",
        );
        let missing = missing(&document.frontmatter.env, &Persistent::default());
        let error = required(Claimant::Tool, &missing, None).unwrap();
        assert_eq!(
            error.to_string(),
            "ERROR(ENV_REQUIRED): tool requires $API_KEY — \"OpenWeather API key\"\n  tool requires $BARE\n  \
             /set $API_KEY = \"…\"\n  /set $BARE = \"…\""
        );
        assert_eq!(required(Claimant::App, &[], None), None);
    }
}
