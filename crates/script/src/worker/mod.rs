//! The worker process: it waits for a run, compiles, runs, reports, and waits again.

mod compile;
mod conversation;
mod engine;
mod globals;
mod jail;
mod modules;
mod native;
mod position;
mod refuse;
mod tasks;
mod text;
mod thrown;

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::{Duration, Instant};

use self::conversation::{Conversation, Line};
use self::modules::{Compiled, Library};
use crate::frame::Report;
use crate::limits::THREAD_STACK;

/// The first argument that makes a binary call [`main`].
pub const ARGUMENT: &str = "__script";

/// Runs scripts for the process at the other end of standard input. To be called first thing in `main`, before
/// any thread exists.
pub fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn start() -> io::Result<()> {
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    let line = Line::new(UnixStream::from(socket))?;
    jail::enter()?;
    // The main thread's stack is whatever the user's limits say; the compiler needs to know its own.
    let thread = std::thread::Builder::new().stack_size(THREAD_STACK);
    let served = thread.spawn(move || serve(&Conversation::new(line)))?.join();
    served.unwrap_or_else(|_| Err(io::Error::other("the worker has a bug")))
}

fn serve(conversation: &Conversation) -> io::Result<()> {
    let (mut compiled, library) = (Compiled::default(), Library::default());
    while let Some(run) = conversation.next_run()? {
        let deadline = Instant::now() + Duration::from_millis(run.time_ms);
        jail::end_by_itself_after(run.time_ms);
        let outcome = match compiled.program(&run, conversation)? {
            Ok(program) if run.entrypoint.is_none() => Ok(modules::names(&program)?),
            Ok(program) => engine::run(&run, Rc::new(program), &library, conversation, deadline)?,
            Err(error) => Err(error),
        };
        jail::live_on();
        conversation.send(&Report::Done(outcome))?;
    }
    Ok(())
}
