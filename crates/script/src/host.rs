//! What a script asks of the outside, and how it is answered.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::limits::MESSAGE_MAX;

/// Answers the calls of one run. Every argument is the script's and must be checked.
pub trait Host: Send + Sync {
    /// `method` is a name such as `state.get`; arguments and answer are JSON.
    fn call<'a>(
        &'a self,
        method: &'a str,
        arguments: &'a RawValue,
    ) -> Pending<'a, Result<Box<RawValue>, HostError>>;

    /// What a script catches whose arguments were too large to be sent.
    fn refuse(&self, method: &str, arguments: TooLarge) -> HostError;

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

/// The size of JSON that is longer than may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooLarge {
    pub bytes: usize,
}

impl TooLarge {
    /// The refusal of a call with such arguments.
    pub fn refused(self, method: &str) -> HostError {
        Self::refusal(format!("the arguments of {method} have {self}"))
    }

    /// The refusal of an answer of this size.
    pub(crate) fn refused_answer(self, method: &str) -> HostError {
        Self::refusal(format!("the answer of {method} has {self}"))
    }

    fn refusal(message: String) -> HostError {
        HostError { name: "FloError".to_owned(), code: "too_large".to_owned(), message, retryable: false }
    }

    /// JSON that may be sent, or what is wrong with it.
    pub(crate) fn check(json: &str) -> Result<(), Self> {
        let bytes = json.len();
        if bytes > MESSAGE_MAX { Err(Self { bytes }) } else { Ok(()) }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, at most {MESSAGE_MAX} are allowed", self.bytes)
    }
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

    fn refuse(&self, method: &str, arguments: TooLarge) -> HostError {
        arguments.refused(method)
    }

    fn log(&self, _log: Log) {}
}
