//! The system hub: how the daemon is, and how to stop it.

mod words;

use std::path::Path;
use std::time::Duration;

use serde_json::json;

pub use words::{Command, Verb, WORDS};

use super::{environment, logs};
use crate::command::{Context, Format};
use crate::error::Result;
use crate::logs::Which;
use crate::reply::with_body;

/// Where the store is, below the daemon's own directory.
const STORE: &str = "store/string.db";

pub async fn run(command: Command, context: &Context<'_>) -> Result<String> {
    Ok(match command {
        Command::Status(Format::Text) => with_body("System", &status(context).await),
        Command::Status(Format::Json) => status_json(context).await,
        Command::Env(format) => environment::show(format, context).await,
        Command::Logs(asked) => logs::show(asked, context).await?,
        Command::Doctor(format) => super::doctor::run(format, context).await,
        Command::Stop => {
            context.runtime.stop.cancel();
            "Stopping.".to_owned()
        }
    })
}

/// The state of the daemon, a line each.
pub async fn status(context: &Context<'_>) -> String {
    let runtime = context.runtime;
    let memory =
        resident_bytes().map_or("unknown".to_owned(), |bytes| format!("{:.1} MB", bytes as f64 / 1e6));
    let rows = [
        ["version:", &runtime.version],
        ["pid:", &std::process::id().to_string()],
        ["uptime:", &duration(runtime.uptime())],
        ["memory:", &memory],
        ["agents:", &runtime.agents.list().len().to_string()],
        ["topics:", &runtime.sessions.count().to_string()],
        ["store:", &store(&runtime.root)],
        ["port:", &port(runtime.port)],
        ["boundary:", &boundary(context).await],
        ["root:", &runtime.root.display().to_string()],
        ["log:", &Which::Daemon.path(&runtime.root).display().to_string()],
        ["audit:", &Which::Audit.path(&runtime.root).display().to_string()],
    ];
    super::columns(&rows.map(|row| row.map(str::to_owned)))
}

fn port(port: Option<u16>) -> String {
    port.map_or_else(
        || "taken by another program; set STRING_PORT to a free one and restart".to_owned(),
        |port| format!("127.0.0.1:{port}"),
    )
}

async fn status_json(context: &Context<'_>) -> String {
    let runtime = context.runtime;
    let status = json!({
        "version": runtime.version,
        "pid": std::process::id(),
        "uptime_seconds": runtime.uptime().as_secs(),
        "memory_bytes": resident_bytes(),
        "agents": runtime.agents.list().len(),
        "topics": runtime.sessions.count(),
        "store": runtime.root.join(STORE),
        "store_bytes": store_bytes(&runtime.root),
        "boundary": boundary(context).await,
        "port": runtime.port,
        "root": runtime.root,
        "log": Which::Daemon.path(&runtime.root),
        "audit": Which::Audit.path(&runtime.root),
    });
    format!("{status:#}")
}

/// What is in force around shells, in words.
async fn boundary(context: &Context<'_>) -> String {
    match context.runtime.shells.boundary(context.agent).await {
        Ok((_, fence)) => fence.0,
        Err(error) => error.message,
    }
}

fn store(root: &Path) -> String {
    let path = root.join(STORE);
    match store_bytes(root) {
        0 => format!("{} (in memory)", path.display()),
        bytes => format!("{} ({:.1} MB)", path.display(), bytes as f64 / 1e6),
    }
}

/// The database with what is not yet merged into it.
fn store_bytes(root: &Path) -> u64 {
    let size =
        |suffix: &str| std::fs::metadata(root.join(format!("{STORE}{suffix}"))).map_or(0, |file| file.len());
    size("") + size("-wal")
}

/// Memory of this process that is in RAM, where the kernel tells.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, s) => format!("{s} s"),
        (0, 0, m, s) => format!("{m} min {s} s"),
        (0, h, m, _) => format!("{h} h {m} min"),
        (d, h, _, _) => format!("{d} d {h} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_show_their_two_largest_parts() {
        let table = [(5, "5 s"), (65, "1 min 5 s"), (3_725, "1 h 2 min"), (90_061, "1 d 1 h")];
        for (seconds, expected) in table {
            assert_eq!(duration(Duration::from_secs(seconds)), expected);
        }
    }
}
