//! `flo.vault` and `string.env`: values of the `$NAME` files and of the daemon's vault, as far as declared.

use serde::Deserialize;
use serde_json::Value;

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
        let settings = blocking::run(move || settings::read(&file)).await;
        let settings = settings.map_err(|error| refusal("unavailable", error.message))?;
        let section = settings.get(SECTION).cloned().unwrap_or_default();
        let section = id.map_or(Some(&section), |id| section.get(id));
        Ok(section.and_then(|section| section.get(key)).and_then(Value::as_str).map(Secret::new))
    }

    fn show(&self, name: &str, secret: Option<Secret>, declared: Declared) -> Answer {
        if let Some(secret) = &secret {
            self.calls.shared.reveal(name, secret, declared);
        }
        raw(&secret.as_ref().map(Secret::reveal))
    }
}
