//! How long events are kept.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use store::Timestamp;

use super::State;
use crate::agent::settings;
use crate::blocking;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Long enough to look up what was done last week.
const ACKED_DAYS: u64 = 7;
/// Long enough for an agent that is away for a month.
const OTHER_DAYS: u64 = 30;
/// More than ten years is a slip.
const DAYS_MAX: u64 = 3_660;

const KEEP_ACKED: &str = "keepAckedDays";
const KEEP: &str = "keepDays";
const KEYS: [&str; 2] = [KEEP_ACKED, KEEP];

/// Reads `{"events": {"keepAckedDays": 7, "keepDays": 30}}` in the daemon's `config.json` at each use, so that
/// edits by hand count at once.
#[derive(Debug)]
pub struct Retention {
    config: PathBuf,
}

impl Retention {
    pub fn new(root: &std::path::Path) -> Self {
        Self { config: root.join("config.json") }
    }

    /// When an event that is in this state from now on is forgotten.
    pub async fn expiry(&self, state: State, now: Timestamp) -> Timestamp {
        let (key, usual) = match state {
            State::Acked => (KEEP_ACKED, ACKED_DAYS),
            State::Pending | State::Delivered => (KEEP, OTHER_DAYS),
        };
        now.saturating_add(DAY * u32::try_from(self.days(key).await.unwrap_or(usual)).unwrap_or(u32::MAX))
    }

    /// A file or a value that makes no sense must not lose an event: then the usual time holds.
    async fn days(&self, key: &str) -> Option<u64> {
        let config = self.config.clone();
        let settings = blocking::run(move || settings::read(&config))
            .await
            .inspect_err(|error| tracing::warn!(error = %error.message, "events are kept for the usual time"))
            .ok()?;
        days(settings.get("events")?.get(key)?)
    }
}

/// What in the settings is about events and has no effect, because it makes no sense.
pub fn nonsense(settings: &Map<String, Value>) -> Option<String> {
    let events = settings.get("events")?;
    let Some(events) = events.as_object() else {
        return Some("events is not an object".to_owned());
    };
    let wrong = KEYS.into_iter().filter(|key| events.get(*key).is_some_and(|value| days(value).is_none()));
    let said: Vec<_> =
        wrong.map(|key| format!("events.{key} is not a number of days from 1 to {DAYS_MAX}")).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn days(value: &Value) -> Option<u64> {
    value.as_u64().filter(|days| (1..=DAYS_MAX).contains(days))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_settings_decide_and_nonsense_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let retention = Retention::new(dir.path());
        let days = async |state| {
            let millis = retention.expiry(state, Timestamp::from_millis(0)).await.as_millis();
            u64::try_from(millis).unwrap() / u64::try_from(DAY.as_millis()).unwrap()
        };
        for (config, acked, other) in [
            (None, 7, 30),
            (Some(r#"{"events": {"keepAckedDays": 1, "keepDays": 90}}"#), 1, 90),
            (Some(r#"{"events": {"keepAckedDays": 0, "keepDays": -1}}"#), 7, 30),
            (Some(r#"{"events": {"keepDays": 1e30}}"#), 7, 30),
            (Some("{ broken"), 7, 30),
        ] {
            if let Some(text) = config {
                std::fs::write(dir.path().join("config.json"), text).unwrap();
            }
            assert_eq!((days(State::Acked).await, days(State::Pending).await), (acked, other), "{config:?}");
            assert_eq!(days(State::Delivered).await, other);
            let read = settings::read(&dir.path().join("config.json"));
            let usual = (acked, other) == (ACKED_DAYS, OTHER_DAYS);
            assert_eq!(
                read.is_ok_and(|read| nonsense(&read).is_none()),
                config.is_none() || !usual,
                "{config:?}"
            );
        }
    }
}
