//! `flo.vault` and `string.env`: values of the `$NAME` files and of the daemon's vault, as far as declared.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::host::{Answer, Host, raw, refusal, typed};
use super::session::Declared;
use crate::agent::settings;
use crate::blocking;
use crate::state::Kind;
use crate::variable::Secret;

/// The section of the daemon's `config.json` that holds shared secrets.
const SECTION: &str = "vault";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Get {
    scope: Kind,
    #[serde(default)]
    scope_id: Option<String>,
    key: String,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Host<'_> {
    pub(super) async fn vault(&self, arguments: &str) -> Answer {
        let Get { scope, scope_id, key } = typed(arguments)?;
        let declared = self.tool.vault.iter().find(|declared| declared.key == key);
        if !declared.is_some_and(|declared| declared.kinds.contains(&scope)) {
            let message = format!("{} declares no {} secret {key:?}", self.tool.name, scope.as_str());
            return Err(refusal("vault_denied", message));
        }
        let secret = match (scope, scope_id) {
            (Kind::Profile, None) => self.setting(&key).await?,
            (Kind::Profile, Some(_)) => {
                return Err(refusal("invalid_argument", "scope_id belongs to shared secrets"));
            }
            (_, id) => self.shared(&key, id.as_deref()).await?,
        };
        self.show(&key, secret, Declared::Secret)
    }

    pub(super) async fn env(&self, arguments: &str) -> Answer {
        let Named { name } = typed(arguments)?;
        let is_key = self.tool.vault.iter().any(|key| key.key == name && key.kinds.contains(&Kind::Profile));
        let declared = self.tool.env.iter().find(|declared| declared.name == name);
        if !is_key && declared.is_none() {
            let message = format!("{} declares no ${name}: name it in env or vault", self.tool.name);
            return Err(refusal("env_denied", message));
        }
        match (self.setting(&name).await?, declared.and_then(|declared| declared.default.as_ref())) {
            // A default is written in the document, and no secret.
            (None, Some(default)) => raw(default),
            (secret, _) => {
                self.show(&name, secret, if is_key { Declared::Secret } else { Declared::Setting })
            }
        }
    }

    async fn setting(&self, name: &str) -> Result<Option<Secret>, script::HostError> {
        let settings = self.calls.settings().await;
        let settings = settings.map_err(|error| refusal("unavailable", error.message))?;
        Ok(settings.get(name).or_else(|| settings.get(&name.to_uppercase())).cloned())
    }

    /// `vault: { "key": "…" }`, or `vault: { "scope_id": { "key": "…" } }`.
    async fn shared(&self, key: &str, id: Option<&str>) -> Result<Option<Secret>, script::HostError> {
        let file = self.calls.runtime.root.join("config.json");
        let read = file.clone();
        let settings = blocking::run(move || settings::read(&read)).await;
        let settings = settings.map_err(|error| refusal("unavailable", error.message))?;
        shared_secret(&settings, key, id).map_err(|why| {
            let form = "vault is {\"KEY\": \"text\"}, or {\"ID\": {\"KEY\": \"text\"}} for a scope_id";
            refusal("unavailable", format!("{}: {why}: {form}", file.display()))
        })
    }

    fn show(&self, name: &str, secret: Option<Secret>, declared: Declared) -> Answer {
        if let Some(secret) = &secret {
            self.calls.shared.reveal(name, secret, declared);
        }
        raw(&secret.as_ref().map(Secret::reveal))
    }
}

/// A secret of the vault; none if it has none of that name, and an error if it is not written as it should be.
fn shared_secret(
    settings: &Map<String, Value>,
    key: &str,
    id: Option<&str>,
) -> Result<Option<Secret>, String> {
    let mut place = SECTION.to_owned();
    let mut section = settings.get(SECTION);
    for name in id.into_iter().chain([key]) {
        let Some(found) = section else { return Ok(None) };
        let Value::Object(object) = found else { return Err(format!("{place} is no object")) };
        section = object.get(name);
        place = format!("{place}.{name}");
    }
    match section {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(Secret::new(text.as_str()))),
        Some(_) => Err(format!("{place} is no text")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_wrong_in_the_vault_is_named() {
        let vault = json!({"KEY": "a", "N": 5, "team": {"KEY": "b"}});
        for (vault, key, id, expected) in [
            (&vault, "KEY", None, Ok(Some("a"))),
            (&vault, "KEY", Some("team"), Ok(Some("b"))),
            (&vault, "OTHER", None, Ok(None)),
            (&vault, "KEY", Some("other"), Ok(None)),
            (&vault, "N", None, Err("vault.N is no text")),
            (&vault, "team", None, Err("vault.team is no text")),
            (&vault, "KEY", Some("KEY"), Err("vault.KEY is no object")),
            (&json!("x"), "KEY", None, Err("vault is no object")),
        ] {
            let settings = Map::from_iter([(SECTION.to_owned(), vault.clone())]);
            let found = shared_secret(&settings, key, id);
            let found = found.as_ref().map(|found| found.as_ref().map(Secret::reveal));
            assert_eq!(found.map_err(String::as_str), expected, "{key} {id:?}");
        }
    }
}
