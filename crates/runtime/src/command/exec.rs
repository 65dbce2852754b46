//! `/exec`: a command, clean each time, from the topic's base path.

use std::path::{Path, PathBuf};
use std::time::Duration;

use shell::Directory;
use shell::exec::End;
use tokio::sync::broadcast;

use super::Context;
use super::terminal::parse_time;
use crate::bash::{self, Cwd, Job, text};
use crate::error::{Code, Error, Result};
use crate::files;
use crate::reply::with_body;
use crate::topic::Topic;

/// Pieces of live output that may wait for a slow reader.
const LIVE_MAX: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exec {
    pub text: String,
    pub limit: Duration,
}

impl Exec {
    /// Every line of the payload belongs to the command.
    pub fn parse(arguments: &str, body: Option<&str>) -> Result<Self> {
        let missing = || {
            Error::new(Code::InvalidParams, "There is no command to run.")
                .hint("Usage: /exec [--timeout 10m] CMD")
        };
        let given = arguments.strip_prefix("--timeout").filter(|rest| rest.starts_with([' ', '=']));
        let (limit, first) = match given.map(|rest| &rest[1..]) {
            Some(rest) => {
                let (time, rest) =
                    rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
                (parse_time(time)?, rest)
            }
            None => (bash::EXEC_LIMIT, arguments),
        };
        let text = body.map_or_else(|| first.to_owned(), |body| format!("{first}\n{body}"));
        if text.trim().is_empty() { Err(missing()) } else { Ok(Self { text, limit }) }
    }
}

pub async fn run(exec: Exec, context: &Context<'_>) -> Result<String> {
    let directory = base_path(context)?;
    let (live, watched) = match context.sink.wants_live() {
        true => broadcast::channel(LIVE_MAX),
        false => broadcast::channel(1),
    };
    let live = context.sink.wants_live().then_some(live);
    let job =
        Job { text: exec.text, directory: directory.clone(), limit: exec.limit, values: Vec::new(), live };
    let running = context.runtime.shells.exec(context.agent, job, context.interrupted.cancelled());
    let executed = bash::pass_on(watched, context.sink, running).await?;
    let workspace = &context.agent.workspace;
    let output = Some(text(&executed.output, workspace)).filter(|text| !text.is_empty());
    let output = output.unwrap_or_else(|| "(no output)".to_owned());
    let directory = Directory { path: directory, deleted: false };
    let cwd = Cwd(&directory, workspace);
    match executed.end {
        End::Finished(status) if status.is_success() => {
            Ok(with_body(&format!("exit: 0 | cwd: {cwd}"), &output))
        }
        End::Finished(status) => {
            let code = u8::try_from(status.code()).unwrap_or(u8::MAX);
            Err(Error::new(Code::Exit(code), format!("cwd: {cwd}")).body(output))
        }
        End::Stopped => {
            let command = context.session.running().unwrap_or_default();
            Err(Error::new(Code::Interrupted, format!("Stopped: {command}")).body(output))
        }
        End::TimedOut => {
            let message = format!("Stopped after {} s | cwd: {cwd}", exec.limit.as_secs_f64());
            Err(Error::new(Code::Timeout, message)
                .hint("Give it longer with /exec --timeout 10m CMD, or run it in a shell such as bash:dev.")
                .body(output))
        }
    }
}

/// The directory of the document, or the one opened last; an app's own workspace; else home.
pub fn base_path(context: &Context<'_>) -> Result<PathBuf> {
    let home = context.agent.workspace.home();
    if let Some(dir) = work_directory(&context.session.topic, home) {
        files::create_dir(&dir)
            .map_err(|error| Error::new(Code::LoadError, format!("{}: {error}", dir.display())))?;
        return Ok(dir);
    }
    let page = context.state.page.as_ref().and_then(|page| page.location.source.directory());
    Ok(page.or(context.state.directory.as_deref()).unwrap_or(home).to_owned())
}

/// An app's own workspace, which may not exist yet.
pub fn work_directory(topic: &Topic, home: &Path) -> Option<PathBuf> {
    let Topic::App { name, config } = topic else { return None };
    let config = config.as_ref().map(|config| format!(":{config}")).unwrap_or_default();
    Some(home.join(".string/work").join(format!("{name}{config}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_belongs_to_the_command() {
        let table = [
            ("npm test", None, "npm test", 120),
            ("for i in 1 2", Some("do echo $i\ndone"), "for i in 1 2\ndo echo $i\ndone", 120),
            ("--timeout 10m make -j2", None, "make -j2", 600),
            ("--timeout 1h30m", Some("make"), "\nmake", 5_400),
            ("--timeout=10m make -j2", None, "make -j2", 600),
            ("--timeouts", None, "--timeouts", 120),
        ];
        for (arguments, body, text, seconds) in table {
            let exec = Exec::parse(arguments, body).unwrap();
            assert_eq!((exec.text.as_str(), exec.limit.as_secs()), (text, seconds), "{arguments}");
        }
        for arguments in [
            "",
            "--timeout 10m",
            "--timeout soon ls",
            "--timeout -5s ls",
            "--timeout 48h ls",
            "--timeout= ls",
        ] {
            assert_eq!(Exec::parse(arguments, None).unwrap_err().code, Code::InvalidParams, "{arguments}");
        }
    }
}
