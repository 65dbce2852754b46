//! The system hub: how the daemon is, and how to stop it.

use std::time::Duration;

use serde_json::json;

use super::agent::Format;
use crate::command::table::Verb;
use crate::command::{Arguments, Context};
use crate::error::Result;
use crate::reply::with_body;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Status(Format),
    Doctor(Format),
    Stop,
}

impl Command {
    pub fn parse(verb: Verb, arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let command = match verb {
            Verb::SystemStatus if words.switch("--json") => Self::Status(Format::Json),
            Verb::SystemStatus => Self::Status(Format::Text),
            Verb::SystemDoctor if words.switch("--json") => Self::Doctor(Format::Json),
            Verb::SystemDoctor => Self::Doctor(Format::Text),
            Verb::SystemStop => Self::Stop,
            other => unreachable!("{other:?} is not a word of the system hub"),
        };
        words.done()?;
        Ok(command)
    }
}

pub async fn run(command: Command, context: &Context<'_>) -> String {
    match command {
        Command::Status(Format::Text) => with_body("System", &status(context)),
        Command::Status(Format::Json) => status_json(context),
        Command::Doctor(format) => super::doctor::run(format, context).await,
        Command::Stop => {
            context.runtime.stop.cancel();
            "Stopping.".to_owned()
        }
    }
}

/// The state of the daemon, a line each.
pub fn status(context: &Context<'_>) -> String {
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
        ["port:", &port(runtime.port)],
        ["boundary:", context.agent.boundary.as_str()],
        ["root:", &runtime.root.display().to_string()],
        ["log:", &runtime.root.join("log/daemon.log").display().to_string()],
        ["audit:", &runtime.root.join("log/audit.jsonl").display().to_string()],
    ];
    super::columns(&rows.map(|row| row.map(str::to_owned)))
}

fn port(port: Option<u16>) -> String {
    port.map_or_else(
        || "taken by another program; set STRING_PORT to a free one and restart".to_owned(),
        |port| format!("127.0.0.1:{port}"),
    )
}

fn status_json(context: &Context<'_>) -> String {
    let runtime = context.runtime;
    let status = json!({
        "version": runtime.version,
        "pid": std::process::id(),
        "uptime_seconds": runtime.uptime().as_secs(),
        "memory_bytes": resident_bytes(),
        "agents": runtime.agents.list().len(),
        "topics": runtime.sessions.count(),
        "boundary": context.agent.boundary.as_str(),
        "port": runtime.port,
        "root": runtime.root,
    });
    format!("{status:#}")
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
