//! A daemon that is older than its callers makes way for a newer one when it is idle.

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use semver::Version;
use wire::header::{CLIENT_VERSION, OUTDATED};

use crate::failure::Failure;
use crate::route::App;

/// How the caller's version compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    Current,
    /// The caller is newer, but commands run: it is served, and told.
    OutdatedAndBusy,
}

/// Refuses a newer caller while nothing runs, so that it can restart the daemon before its command.
pub fn check(app: &App, request: &Request) -> Result<Age, Failure> {
    let given = request.headers().get(CLIENT_VERSION).and_then(|value| value.to_str().ok());
    let newer = given.is_some_and(|given| is_newer(given, &app.runtime.version));
    if !newer || request.uri().path() == "/shutdown" {
        return Ok(Age::Current);
    }
    if app.runtime.sessions.busy() {
        return Ok(Age::OutdatedAndBusy);
    }
    let message = format!("This daemon is {}, older than the caller.", app.runtime.version);
    Err(Failure::new(StatusCode::UPGRADE_REQUIRED, "OUTDATED", message)
        .hint("Restart it: string --daemon stop"))
}

/// Tells the caller that it was served by an older daemon.
pub fn mark(age: Age, response: &mut Response) {
    if age == Age::OutdatedAndBusy {
        response.headers_mut().insert(OUTDATED, HeaderValue::from_static("1"));
    }
}

fn is_newer(given: &str, ours: &str) -> bool {
    match (Version::parse(given), Version::parse(ours)) {
        (Ok(given), Ok(ours)) => given > ours,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_greater_version_is_newer() {
        let table = [
            ("0.2.0", "0.1.9", true),
            ("0.1.9", "0.2.0", false),
            ("0.1.0", "0.1.0", false),
            ("x", "0.1.0", false),
            ("0.10.0", "0.9.0", true),
        ];
        for (given, ours, newer) in table {
            assert_eq!(is_newer(given, ours), newer, "{given} {ours}");
        }
    }
}
