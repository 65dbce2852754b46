//! Which agent speaks: the option, the variable, the nearest settings upwards, the daemon's own settings.

use std::path::Path;

use client::AgentId;
use runtime::agent::settings::{self, CURRENT_AGENT};
use serde_json::Value;
use wire::ExecRequest;

use crate::daemon::Link;
use crate::environment::Environment;
use crate::failure::{Failure, Status};
use crate::root::Root;

/// The agent that speaks when nothing says otherwise.
pub(crate) const DEFAULT: &str = "default";
const ID: &str = "An id has 1 to 64 letters, digits, _ and -.";

/// Finds the agent. Files are read only while nothing before them has named one.
pub(crate) fn select(
    option: Option<&str>,
    environment: &Environment,
    root: &Root,
) -> Result<AgentId, Failure> {
    if let Some(id) = option {
        return parse(id).ok_or_else(|| Failure::usage(malformed("--agent", id)));
    }
    if let Some(id) = &environment.agent {
        let id = id.to_string_lossy();
        return parse(&id).ok_or_else(|| Failure::usage(malformed("STRING_AGENT_ID", &id)));
    }
    let upwards = environment.cwd.iter().flat_map(|cwd| cwd.ancestors());
    // A directory that cannot be looked into, or a file of that name, holds no settings.
    let folders = upwards.map(|directory| directory.join(".string")).chain([root.path().to_owned()]);
    for path in folders.filter(|folder| folder.is_dir()).map(|folder| folder.join("config.json")) {
        if let Some(id) = named_in(&path)? {
            return Ok(id);
        }
    }
    Ok(parse(DEFAULT).expect("the default is well-formed"))
}

/// Asks the daemon, which alone knows its agents, whether the one that speaks is one of them.
pub(crate) async fn check(link: &Link) -> Result<Status, Failure> {
    let request = ExecRequest { topic: "agent".into(), cmd: "/current".into(), ..Default::default() };
    let answer = link.attempt(async || link.client().exec(&request).await).await?;
    if answer.reply.ok { Ok(Status::Done) } else { Err(Failure::failed(answer.reply.content)) }
}

/// The agent that a settings file names. A file that cannot be understood is never passed over: another agent
/// would speak than the one its author meant.
fn named_in(path: &Path) -> Result<Option<AgentId>, Failure> {
    let settings = settings::read(path).map_err(|error| corrupt(&error.message))?;
    match settings.get(CURRENT_AGENT) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => {
            let malformed = || Failure::settings(not_an_id(&path.display().to_string(), id), ID);
            parse(id).map(Some).ok_or_else(malformed)
        }
        Some(_) => Err(corrupt(&format!("{}: {CURRENT_AGENT} is not a string", path.display()))),
    }
}

fn parse(id: &str) -> Option<AgentId> {
    AgentId::parse(id)
}

fn malformed(place: &str, id: &str) -> String {
    format!("{}\n  {ID}", not_an_id(place, id))
}

fn not_an_id(place: &str, id: &str) -> String {
    format!("{place}: not an agent id: {}", runtime::error::quoted(id))
}

fn corrupt(problem: &str) -> Failure {
    Failure::settings(
        problem.to_owned(),
        "Repair the file, or name the agent with --agent or STRING_AGENT_ID.",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    /// `project/deep` below a temporary directory, and a root beside it.
    struct Place {
        folder: TempDir,
    }

    impl Place {
        fn new() -> Self {
            let place = Self { folder: tempfile::tempdir().unwrap() };
            fs::create_dir_all(place.path("project/deep")).unwrap();
            place
        }

        fn path(&self, name: &str) -> std::path::PathBuf {
            self.folder.path().join(name)
        }

        fn settings(self, folder: &str, text: &str) -> Self {
            let path = self.path(folder);
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("config.json"), text).unwrap();
            self
        }

        fn select(&self, option: Option<&str>, variable: Option<&str>) -> Result<String, Failure> {
            let environment = Environment {
                cwd: Some(self.path("project/deep")),
                agent: variable.map(Into::into),
                ..Default::default()
            };
            select(option, &environment, &Root::new(self.path("root"))).map(|id| id.to_string())
        }
    }

    fn names(id: &str) -> String {
        format!(r#"{{"currentAgent": "{id}", "other": 1}}"#)
    }

    #[test]
    fn the_nearest_word_wins() {
        let place = Place::new();
        assert_eq!(place.select(None, None).unwrap(), "default");
        let place = place.settings("root", &names("rooted"));
        assert_eq!(place.select(None, None).unwrap(), "rooted");
        let place = place.settings("project/.string", &names("project"));
        assert_eq!(place.select(None, None).unwrap(), "project");
        let place = place.settings("project/deep/.string", r#"{"other": 1}"#);
        assert_eq!(place.select(None, None).unwrap(), "project", "a file without the key names nobody");
        let place = place.settings("project/deep/.string", &names("deep"));
        assert_eq!(place.select(None, None).unwrap(), "deep");
        assert_eq!(place.select(None, Some("variable")).unwrap(), "variable");
        assert_eq!(place.select(Some("option"), Some("variable")).unwrap(), "option");
    }

    #[test]
    fn a_corrupt_file_on_the_way_is_named() {
        for text in ["{", "[]", r#"{"currentAgent": 7}"#, r#"{"currentAgent": "a b"}"#, "\u{feff}"] {
            let place = Place::new().settings("root", &names("rooted")).settings("project/.string", text);
            let failure = place.select(None, None).unwrap_err();
            let path = place.path("project/.string/config.json");
            assert_eq!(failure.status, Status::Failed);
            assert!(failure.message.contains(path.to_str().unwrap()), "{}", failure.message);
            assert_eq!(place.select(Some("option"), None).unwrap(), "option", "not read when not needed");
        }
    }

    #[test]
    fn a_malformed_id_is_bad_usage() {
        let place = Place::new();
        assert_eq!(place.select(Some("a b"), None).unwrap_err().status, Status::Usage);
        assert_eq!(place.select(None, Some("../x")).unwrap_err().status, Status::Usage);
    }
}
