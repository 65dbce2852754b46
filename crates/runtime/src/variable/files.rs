//! The `$NAME` files: read anew for every command, so that an edit by hand counts at once.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};
use sfmd::is_variable_name;

use super::{Scope, Secret};
use crate::agent::settings;
use crate::error::{Code, Error, Result};
use crate::substitute::text_of;
use crate::topic::Name;

/// The section of `config.json` that holds the global values.
const SECTION: &str = "env";

/// What the files give a scope, after the cascade.
#[derive(Debug, Default)]
pub struct Persistent(BTreeMap<String, (Secret, Scope)>);

/// A new value for a name, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Set(String, Secret),
    Remove(String),
}

impl Persistent {
    pub fn get(&self, name: &str) -> Option<&Secret> {
        self.0.get(name).map(|(secret, _)| secret)
    }

    /// The most specific scope that has the name.
    pub fn scope_of(&self, name: &str) -> Option<&Scope> {
        self.0.get(name).map(|(_, scope)| scope)
    }

    /// Sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Secret)> {
        self.0.iter().map(|(name, (secret, _))| (name.as_str(), secret))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// Reads the file of a scope and those of the broader ones.
pub fn read(home: &Path, scope: &Scope) -> Result<Persistent> {
    let mut found = BTreeMap::new();
    let mut next = Some(scope.clone());
    while let Some(scope) = next {
        for (name, value) in values_in(&scope.file(home), &scope)? {
            found.entry(name).or_insert_with(|| (value, scope.clone()));
        }
        next = scope.broader();
    }
    Ok(Persistent(found))
}

/// Every scope that has a file, in an agent's home: the global one, apps and their configurations.
pub fn scopes(home: &Path) -> Vec<Scope> {
    let named = |dir: &Path| -> Vec<Name> {
        let entries = std::fs::read_dir(dir).into_iter().flatten();
        let mut names: Vec<Name> =
            entries.filter_map(|entry| Name::parse(entry.ok()?.file_name().to_str()?)).collect();
        names.sort();
        names
    };
    let apps = home.join(".string/apps");
    let of_apps = named(&apps).into_iter().flat_map(|app| {
        let configs = named(&apps.join(app.as_str()));
        let configs = configs.into_iter().map({
            let app = app.clone();
            move |config| Scope::Config(app.clone(), config)
        });
        std::iter::once(Scope::App(app)).chain(configs).collect::<Vec<_>>()
    });
    std::iter::once(Scope::Global).chain(of_apps).filter(|scope| scope.file(home).is_file()).collect()
}

/// Changes the file of one scope, all at once. Everything else in the file stays.
pub async fn change(home: &Path, scope: &Scope, changes: Vec<Change>) -> Result<()> {
    let (scope, path) = (scope.clone(), scope.file(home));
    let damaged = no_section(&path);
    let update = settings::update(path, move |settings| {
        let section = section(settings, &scope).ok_or(damaged)?;
        changes.iter().for_each(|change| apply(change, section));
        Ok(())
    });
    update.await
}

fn apply(change: &Change, section: &mut Map<String, Value>) {
    match change {
        Change::Set(name, value) => drop(section.insert(name.clone(), value.reveal().into())),
        Change::Remove(name) => drop(section.shift_remove(name)),
    }
}

/// The part of a file that holds the values.
fn section<'a>(settings: &'a mut Map<String, Value>, scope: &Scope) -> Option<&'a mut Map<String, Value>> {
    match scope {
        Scope::Global => settings.entry(SECTION).or_insert_with(|| Map::new().into()).as_object_mut(),
        Scope::App(_) | Scope::Config(..) => Some(settings),
    }
}

fn values_in(path: &Path, scope: &Scope) -> Result<Vec<(String, Secret)>> {
    let mut settings = settings::read(path)?;
    let section = section(&mut settings, scope).ok_or_else(|| no_section(path))?;
    let usable = section.iter().filter(|(name, value)| is_variable_name(name) && !value.is_null());
    Ok(usable.map(|(name, value)| (name.clone(), Secret::new(text_of(value)))).collect())
}

fn no_section(path: &Path) -> Error {
    Error::new(Code::LoadError, format!("{}: \"{SECTION}\" is not an object", path.display()))
        .hint("The file was left as it is. Repair it by hand, or move it away.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topic::Topic;

    fn scope(topic: &str) -> Scope {
        Scope::of(&Topic::parse(topic).unwrap())
    }

    fn set(name: &str, value: &str) -> Change {
        Change::Set(name.to_owned(), Secret::new(value))
    }

    fn all(home: &Path, topic: &str) -> String {
        let found = read(home, &scope(topic)).unwrap();
        let shown = found.iter().map(|(name, secret)| format!("{name}={}", secret.reveal()));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[tokio::test]
    async fn the_most_specific_value_wins() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        change(home, &scope("file:main"), vec![set("REGION", "KR"), set("KEY", "global")]).await.unwrap();
        change(home, &scope("app:weather"), vec![set("KEY", "app")]).await.unwrap();
        change(home, &scope("app:weather:korea"), vec![set("KEY", "config")]).await.unwrap();
        assert_eq!(all(home, "app:weather:korea"), "KEY=config REGION=KR");
        assert_eq!(all(home, "app:weather:japan"), "KEY=app REGION=KR");
        assert_eq!(all(home, "app:weather"), "KEY=app REGION=KR");
        assert_eq!(all(home, "app:gmail"), "KEY=global REGION=KR");
        assert_eq!(all(home, "bash:dev"), "KEY=global REGION=KR");
        change(home, &scope("app:weather:korea"), vec![Change::Remove("KEY".into()), set("A", "1")])
            .await
            .unwrap();
        assert_eq!(all(home, "app:weather:korea"), "A=1 KEY=app REGION=KR");
        let file = std::fs::read_to_string(home.join(".string/apps/weather/korea/env.json")).unwrap();
        assert_eq!(file, "{\n  \"A\": \"1\"\n}\n");
    }

    #[tokio::test]
    async fn what_a_person_wrote_is_read_as_text_and_kept() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join(".string");
        std::fs::create_dir(&dir).unwrap();
        let text = r#"{"mine": 1, "env": {"N": 5, "ON": true, "bad-name": "x", "NONE": null}}"#;
        std::fs::write(dir.join("config.json"), text).unwrap();
        assert_eq!(all(home.path(), "main"), "N=5 ON=true");
        change(home.path(), &Scope::Global, vec![set("NEW", "y")]).await.unwrap();
        let settings = settings::read(&dir.join("config.json")).unwrap();
        assert_eq!(settings["mine"], 1);
        assert_eq!(settings["env"]["bad-name"], "x");
    }

    #[tokio::test]
    async fn a_damaged_file_is_named_and_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join(".string/apps/weather");
        std::fs::create_dir_all(&dir).unwrap();
        for (file, content, topic) in [
            (dir.join("env.json"), "{ broken", "app:weather:korea"),
            (home.path().join(".string/config.json"), r#"{"env": []}"#, "main"),
        ] {
            std::fs::write(&file, content).unwrap();
            let scope = scope(topic);
            let error = read(home.path(), &scope).unwrap_err();
            assert_eq!(error.code, Code::LoadError);
            assert!(error.message.contains(file.to_str().unwrap()), "{error}");
            if topic == "main" {
                assert!(change(home.path(), &scope, vec![set("X", "1")]).await.is_err());
                assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
            }
        }
    }
}
