//! Whether the daemon runs, and what it is.

use std::fs;
use std::time::{Duration, SystemTime};

use client::Error;

use super::{Link, failure, out_of_reach};
use crate::failure::{Failure, Status};
use crate::output;
use crate::root::Root;

/// `string --daemon status`: done when it runs, failed when it does not.
pub(super) async fn status(link: &Link) -> Result<Status, Failure> {
    let version = match link.client().health().await {
        Ok(health) => health.version,
        Err(Error::Outdated) => concat!("older than ", env!("CARGO_PKG_VERSION")).to_owned(),
        Err(Error::NotReachable { .. }) => {
            out_of_reach(link)?;
            output::print("String daemon is not running.")?;
            return Ok(Status::Failed);
        }
        Err(error) => return Err(failure(&error)),
    };
    let root = &link.root;
    // An older daemon does not say, and is not asked twice.
    let port = link.client().describe().await.map(|described| match described.port {
        Some(port) => format!("127.0.0.1:{port}"),
        None => "none: another program has it, so only the socket is served".to_owned(),
    });
    let rows = [
        ("pid", root.daemon_id().map(|pid| pid.to_string())),
        ("version", Some(version)),
        ("socket", Some(root.socket().display().to_string())),
        ("port", port.ok()),
        ("uptime", uptime(root).map(in_words)),
    ];
    let known =
        rows.into_iter().filter_map(|(name, value)| Some(format!("\n{:<9} {}", format!("{name}:"), value?)));
    output::print(&format!("String daemon is running.{}", known.collect::<String>()))?;
    Ok(Status::Done)
}

/// The pid file is written once, at the start.
fn uptime(root: &Root) -> Option<Duration> {
    let started = fs::metadata(root.pid()).and_then(|metadata| metadata.modified()).ok()?;
    SystemTime::now().duration_since(started).ok()
}

/// The two largest units.
fn in_words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let units = [
        (seconds / 86_400, "d"),
        (seconds / 3600 % 24, "h"),
        (seconds / 60 % 60, "min"),
        (seconds % 60, "s"),
    ];
    let first = units.iter().position(|(count, _)| *count > 0).unwrap_or(units.len() - 1);
    let shown = units.iter().skip(first).take(2).map(|(count, unit)| format!("{count} {unit}"));
    shown.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units() {
        for (seconds, words) in
            [(0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3725, "1 h 2 min"), (90_000, "1 d 1 h")]
        {
            assert_eq!(in_words(Duration::from_secs(seconds)), words);
        }
    }
}
