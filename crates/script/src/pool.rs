//! Warm workers: who has one, how many there are, and their end.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use tokio::sync::Semaphore;

use crate::call::{self, Call};
use crate::error::{Error, Result};
use crate::host::Host;
use crate::limits::{CALLS_PER_DEPTH, IDLE_MAX};
use crate::process::Process;
use crate::program::Program;

/// What it takes to start workers, as the binary knows it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The executable, whose `main` must call [`crate::worker::main`] when its first argument is
    /// [`crate::worker::ARGUMENT`].
    pub program: PathBuf,
    /// How deep calls may nest: a call, the calls of its script, and so on.
    pub depth_max: usize,
}

/// Runs scripts. Dropping it ends the workers that idle; each that runs ends with its call.
pub struct Pool {
    program: PathBuf,
    idle: Mutex<Vec<Process>>,
    /// One for each depth.
    places: Vec<Semaphore>,
}

impl Pool {
    pub fn new(settings: Settings) -> Self {
        let places = (0..=settings.depth_max).map(|_| Semaphore::new(CALLS_PER_DEPTH)).collect();
        Self { program: settings.program, idle: Mutex::default(), places }
    }

    /// Runs one call to its end. Dropping the future kills the worker.
    pub async fn call(&self, call: Call<'_>, host: &dyn Host) -> Result<Box<RawValue>> {
        let places = self.places.get(call.depth).ok_or(Error::Closed)?;
        let _place = places.acquire().await.map_err(|_| Error::Closed)?;
        let mut worker = self.worker()?;
        let outcome = call::run(&call, &mut worker, host).await?;
        // One that was filled to the brim may never give the memory back.
        if !matches!(outcome, Err(Error::OutOfMemory { .. })) {
            self.keep(worker);
        }
        outcome
    }

    /// The names of all modules of a program, which compile. Nothing of it is run.
    pub async fn modules(&self, program: &Program) -> Result<Vec<String>> {
        let places = self.places.first().ok_or(Error::Closed)?;
        let _place = places.acquire().await.map_err(|_| Error::Closed)?;
        let mut worker = self.worker()?;
        let outcome = call::modules(program, &mut worker).await?;
        self.keep(worker);
        outcome
    }

    /// Refuses further calls and ends the workers that idle.
    pub fn close(&self) {
        self.places.iter().for_each(Semaphore::close);
        self.idle().clear();
    }

    fn worker(&self) -> Result<Process> {
        let idle = self.idle().pop();
        idle.map_or_else(|| Process::start(&self.program), Ok)
    }

    fn keep(&self, worker: Process) {
        let mut idle = self.idle();
        if idle.len() < IDLE_MAX && !self.places.iter().any(Semaphore::is_closed) {
            idle.push(worker);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Process>> {
        // Each critical section is one push, pop or clear.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("program", &self.program).finish_non_exhaustive()
    }
}
