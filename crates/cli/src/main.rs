//! The `string` binary: parse, call, map to an exit code.

mod agent;
mod arguments;
mod attach;
mod call;
mod chanflow;
mod daemon;
mod descriptors;
mod environment;
mod failure;
mod interrupt;
mod logs;
mod mcp;
mod output;
mod plan;
mod progress;
mod repl;
mod root;
mod setup;
mod start_page;
mod stdin;
mod words;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::arguments::Arguments;
use crate::daemon::Link;
use crate::environment::{Environment, Role};
use crate::failure::{Failure, Status};
use crate::plan::Plan;

fn main() -> ExitCode {
    match environment::role() {
        Role::Guard => return shell::guard::main(),
        Role::Worker => return script::worker::main(),
        Role::Command => {}
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(shown) => return show(&shown),
    };
    told(run(&arguments, &Environment::read()))
}

/// The exit code, after saying what failed.
fn told(outcome: Result<Status, Failure>) -> ExitCode {
    let status = outcome.unwrap_or_else(|failure| {
        if !failure.message.is_empty() {
            output::notice(&failure.message);
        }
        failure.status
    });
    status.into()
}

fn run(arguments: &Arguments, environment: &Environment) -> Result<Status, Failure> {
    match plan::plan(arguments, environment)? {
        Plan::StartPage => output::print(start_page::START_PAGE).map(|()| Status::Done),
        Plan::Completions(shell) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "string", &mut script);
            output::print(&String::from_utf8_lossy(&script)).map(|()| Status::Done)
        }
        Plan::Declarations(None) => output::print(script::TYPES).map(|()| Status::Done),
        Plan::Declarations(Some(file)) => match std::fs::write(&file, script::TYPES) {
            Ok(()) => Ok(Status::Done),
            Err(error) => Err(Failure::failed(format!("{}: {error}", file.display()))),
        },
        Plan::Daemon(action) => daemon::manage(action, environment),
        Plan::Setup(client, act, listing) => {
            if arguments.agent.is_some() {
                block_on(agent::check(&link(arguments, environment)?))?;
            }
            setup::run(client, act, arguments.agent.as_deref(), listing, environment)
        }
        Plan::Chanflow => {
            let cwd = environment.cwd_text();
            block_on(chanflow::run(&link(arguments, environment)?, cwd.as_deref()))
        }
        Plan::Mcp(listing) => {
            block_on(mcp::run(link(arguments, environment)?, environment.cwd_text(), listing))
        }
        Plan::Follow(follow) => logs::run(follow, environment.root()?.path(), &environment.home()?),
        Plan::Attach(topic) => block_on(attach::run(&link(arguments, environment)?, &topic)),
        Plan::Call(call) => match link(arguments, environment) {
            Ok(link) => block_on(call::run(&link, call, environment)),
            Err(Failure { reply: Some(error), .. }) => call::refused(&call, &error),
            Err(failure) => Err(failure),
        },
        Plan::Repl(topic) => repl::run(&link(arguments, environment)?, &topic, environment),
    }
}

/// `--help`, `--version`, or what is wrong with the arguments.
fn show(message: &clap::Error) -> ExitCode {
    if message.use_stderr() {
        let text = message.render().to_string();
        output::notice(text.strip_prefix("error: ").unwrap_or(&text).trim_end());
        return Status::Usage.into();
    }
    told(output::written(message.print()).map(|()| Status::Done))
}

/// The way to the daemon, for the agent that speaks.
fn link(arguments: &Arguments, environment: &Environment) -> Result<Link, Failure> {
    // The daemon inherits both; a mistake in them is the caller's to see.
    environment.home()?;
    environment.port()?;
    let root = environment.root()?;
    let agent = agent::select(arguments.agent.as_deref(), environment, &root)?;
    Ok(Link::new(root).agent(agent))
}

/// One thread is enough for one caller.
fn block_on(work: impl Future<Output = Result<Status, Failure>>) -> Result<Status, Failure> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(work);
    // A start that was left by Ctrl-C must not be waited for.
    runtime.shutdown_background();
    outcome
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("cannot set up: {error}")))
}
