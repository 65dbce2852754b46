//! One call, as the daemon sees it: what goes to the worker, what it asks, how it ends.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde_json::value::RawValue;
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use crate::error::{Error, Result};
use crate::frame::{self, Order, Report, Run};
use crate::host::{Host, HostError, NoHost, TooLarge};
use crate::limits::{COMPILE_TIME, GRACE, IN_FLIGHT_MAX, MEMORY_MAX};
use crate::process::Process;
use crate::program::Program;

/// What to run.
#[derive(Debug)]
pub struct Call<'a> {
    pub program: &'a Program,
    /// The exported function to call.
    pub entrypoint: &'a str,
    pub input: Box<RawValue>,
    pub limits: Limits,
    /// How many calls are above this one.
    pub depth: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub time: Duration,
    pub memory_bytes: usize,
}

/// Runs a call on a worker. An outer error means that the worker cannot be used again.
pub(crate) async fn run(
    call: &Call<'_>,
    worker: &mut Process,
    host: &dyn Host,
) -> Result<Result<Box<RawValue>>> {
    let run = Run {
        module: call.program.main().to_owned(),
        versions: call.program.versions(),
        entrypoint: Some(call.entrypoint.to_owned()),
        input: call.input.clone(),
        time_ms: u64::try_from(call.limits.time.as_millis()).unwrap_or(u64::MAX),
        memory_bytes: call.limits.memory_bytes,
    };
    order(run, call.program, worker, host).await
}

/// Has a worker compile a program, and gives the names of its modules.
pub(crate) async fn modules(program: &Program, worker: &mut Process) -> Result<Result<Vec<String>>> {
    let run = Run {
        module: program.main().to_owned(),
        versions: Vec::new(),
        entrypoint: None,
        input: RawValue::NULL.to_owned(),
        time_ms: u64::try_from(COMPILE_TIME.as_millis()).unwrap_or(u64::MAX),
        memory_bytes: MEMORY_MAX,
    };
    let names = order(run, program, worker, &NoHost).await?;
    Ok(names.and_then(|names| {
        serde_json::from_str(names.get()).map_err(|error| Error::program(error.to_string()))
    }))
}

async fn order(
    run: Run,
    program: &Program,
    worker: &mut Process,
    host: &dyn Host,
) -> Result<Result<Box<RawValue>>> {
    if let Err(large) = TooLarge::check(run.input.get()) {
        return Ok(Err(Error::InputTooLarge(large)));
    }
    let time_ms = run.time_ms;
    let deadline = Instant::now() + Duration::from_millis(time_ms) + GRACE;
    let conversation = converse(Order::Run(run), program, worker, host);
    match tokio::time::timeout_at(deadline, conversation).await {
        Ok(Ok(outcome)) => Ok(outcome),
        // Whatever broke the conversation, the process at its other end is of no more use.
        Ok(Err(_)) => Err(Error::Lost),
        Err(_) => Err(Error::TimedOut { limit_ms: time_ms }),
    }
}

/// Reads at all times, also while it has something to write: the worker does not read while it writes.
async fn converse(
    order: Order,
    program: &Program,
    worker: &mut Process,
    host: &dyn Host,
) -> io::Result<Result<Box<RawValue>>> {
    let Process { socket, frames, .. } = worker;
    let (mut from, mut to) = socket.split();
    let mut outbox = VecDeque::from(frame::encode(&order)?);
    let mut asked = FuturesUnordered::new();
    loop {
        let report: Option<Report> = tokio::select! {
            biased;
            written = to.write_buf(&mut outbox), if !outbox.is_empty() => {
                written?;
                continue;
            }
            Some((id, answer)) = asked.next(), if outbox.is_empty() && !asked.is_empty() => {
                outbox.extend(frame::encode(&Order::Answer { id, answer })?);
                continue;
            }
            report = frames.next(&mut from) => report?,
        };
        match report.ok_or(io::ErrorKind::UnexpectedEof)? {
            Report::Need { module } => {
                let source = program.source(&module).map(|source| (*source).clone());
                outbox.extend(frame::encode(&Order::Module(source))?);
            }
            Report::Ask { .. } if asked.len() >= IN_FLIGHT_MAX => {
                return Err(io::Error::other("more calls at a time than agreed"));
            }
            Report::Ask { id, method, arguments } => asked.push(answer(host, id, method, arguments)),
            Report::Log(log) => host.log(log),
            Report::Done(outcome) => {
                // Half an answer would garble the next run.
                to.write_all_buf(&mut outbox).await?;
                return Ok(outcome);
            }
        }
    }
}

async fn answer(
    host: &dyn Host,
    id: u64,
    method: String,
    arguments: Result<Box<RawValue>, TooLarge>,
) -> (u64, Result<Box<RawValue>, HostError>) {
    let answer = match arguments {
        Ok(arguments) => host.call(&method, &arguments).await,
        Err(large) => Err(host.refuse(&method, large)),
    };
    let answer = answer.and_then(|json| match TooLarge::check(json.get()) {
        Ok(()) => Ok(json),
        Err(large) => Err(large.refused_answer(&method)),
    });
    (id, answer)
}
