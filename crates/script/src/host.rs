//! What a script asks of the outside, and how it is answered.

use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Answers the calls of one run. Every argument is the script's and must be checked.
pub trait Host: Send + Sync {
    /// `method` is a name such as `state.get`; arguments and answer are JSON.
    fn call<'a>(
        &'a self,
        method: &'a str,
        arguments: &'a RawValue,
    ) -> Pending<'a, Result<Box<RawValue>, HostError>>;

    /// A line that the script wrote with `console`.
    fn log(&self, log: Log);
}

/// What [`Host::call`] returns; boxed so that the trait can be used as `dyn Host`. Dropped when the run ends first.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A refusal, as the script catches it: an `Error` with these properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostError {
    pub name: String,
    pub code: String,
    pub message: String,
    pub retryable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    pub level: Level,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

/// For programs that are not run.
pub(crate) struct NoHost;

impl Host for NoHost {
    fn call<'a>(
        &'a self,
        method: &'a str,
        _arguments: &'a RawValue,
    ) -> Pending<'a, Result<Box<RawValue>, HostError>> {
        let (name, code) = ("FloError".to_owned(), "unavailable".to_owned());
        let refusal =
            HostError { name, code, message: format!("{method} cannot be called"), retryable: false };
        Box::pin(std::future::ready(Err(refusal)))
    }

    fn log(&self, _log: Log) {}
}
