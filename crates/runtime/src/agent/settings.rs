//! `config.json`: settings that people may edit by hand. Unknown keys stay, a corrupt file is never overwritten.

mod change;

use std::io;
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

pub use change::input;

use crate::action::long_numbers_as_text;
use crate::blocking;
use crate::error::{Code, Error, Result};
use crate::files;

/// The key that names the agent of calls which name none.
pub const CURRENT_AGENT: &str = "currentAgent";

/// Reads the settings; a file that does not exist has none.
pub fn read(path: &Path) -> Result<Map<String, Value>> {
    understood(path, &text(path)?)
}

/// What the file holds; one that does not exist is an empty object.
fn text(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok("{}\n".to_owned()),
        read => read.map_err(|error| unreadable(path, &error)),
    }
}

/// Whole numbers with more digits than a number keeps are read as texts, which keep them.
fn understood(path: &Path, text: &str) -> Result<Map<String, Value>> {
    let is_json = serde_json::from_str(text).map(|IgnoredAny| ());
    is_json.and_then(|()| serde_json::from_str(&long_numbers_as_text(text))).map_err(|error| {
        unreadable(path, &error).hint("The file was left as it is. Repair it by hand, or move it away.")
    })
}

/// Changes the settings; other processes that do the same at the same time lose nothing. A change that fails leaves
/// them as they are.
pub async fn update(
    path: PathBuf,
    change: impl FnOnce(&mut Map<String, Value>) -> Result<()> + Send + 'static,
) -> Result<()> {
    blocking::run(move || update_here(&path, change)).await
}

fn update_here(path: &Path, change: impl FnOnce(&mut Map<String, Value>) -> Result<()>) -> Result<()> {
    let dir = path.parent().unwrap_or(path);
    // The file itself is replaced by every write, so the lock lies beside it.
    let _lock = files::lock(dir).map_err(|error| unreadable(path, &error))?;
    let text = text(path)?;
    let before = understood(path, &text)?;
    let mut settings = before.clone();
    change(&mut settings)?;
    if settings == before {
        return Ok(());
    }
    let text = change::changed(&text, &before, &settings).map_err(|error| unreadable(path, &error))?;
    files::write_atomic(path, text.as_bytes()).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::LoadError, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_stay() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        std::fs::write(&path, r#"{"mine": {"keep": 1}, "env": {"A": "b"}}"#).unwrap();
        update_here(&path, |settings| {
            settings.insert(CURRENT_AGENT.into(), "codex".into());
            Ok(())
        })
        .unwrap();
        let settings = read(&path).unwrap();
        assert_eq!(settings["mine"]["keep"], 1);
        assert_eq!(settings[CURRENT_AGENT], "codex");
        assert_eq!(settings.keys().collect::<Vec<_>>(), ["mine", "env", CURRENT_AGENT]);
    }

    #[test]
    fn other_numbers_stay_as_they_are_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        let written = r#"{"n": 12345678901234567890123, "e": 1e2, "env": {"ID": 12345678901234567890123}}"#;
        std::fs::write(&path, written).unwrap();
        assert_eq!(read(&path).unwrap()["env"]["ID"], "12345678901234567890123");
        update_here(&path, |settings| {
            settings["env"]["Q"] = "1".into();
            Ok(())
        })
        .unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for kept in
            [r#"{"n": 12345678901234567890123, "e": 1e2, "env": {"#, r#""ID": 12345678901234567890123,"#]
        {
            assert!(text.contains(kept), "{text}");
        }
        assert_eq!(read(&path).unwrap()["env"]["Q"], "1");
    }

    #[test]
    fn a_corrupt_file_is_reported_by_name_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        for corrupt in ["{ broken", "[1]", "", "{} x"] {
            std::fs::write(&path, corrupt).unwrap();
            let error = update_here(&path, |_| Ok(())).unwrap_err();
            assert_eq!(error.code, Code::LoadError);
            assert!(error.message.contains("config.json"), "{}", error.message);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), corrupt);
        }
    }

    #[test]
    fn writers_at_the_same_time_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        std::thread::scope(|scope| {
            for n in 0..16 {
                let path = &path;
                scope.spawn(move || {
                    update_here(path, |settings| {
                        settings.insert(format!("k{n}"), n.into());
                        Ok(())
                    })
                    .unwrap();
                });
            }
        });
        assert_eq!(read(&path).unwrap().len(), 16);
    }
}
