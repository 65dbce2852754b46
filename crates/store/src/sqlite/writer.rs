//! Group commit: writes that wait at the same time share one transaction and one sync.
//!
//! A write that finds nobody else commits in its own thread, because handing it over would cost half as much again as
//! the sync itself. As soon as writes meet, they go through a queue to one writer thread.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::batch::Batch;
use super::database::{Database, Job};
use super::thread::{Thread, blocking, current_thread};
use crate::{Error, Result};

/// How long a group waits for more writes when the one before it had company: those who were just answered are about
/// to write again, and a group twice as large costs hardly more.
const LINGER: Duration = Duration::from_micros(80);

/// Writes one at a time or in groups; ends its thread when closed.
pub(super) struct Writer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    queue: Mutex<Queue>,
    /// Signalled when the queue is no longer empty, or closed.
    ready: Condvar,
    /// None once closed. Who holds this may lock `queue`; who holds `queue` may only try to lock this.
    database: Mutex<Option<Database>>,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Box<dyn Job>>,
    /// How many were written together last.
    last_group: usize,
    closed: bool,
}

impl Writer {
    pub(super) fn start(database: Database, path: &Path) -> Result<Self> {
        let (queue, ready) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(Shared { queue, ready, database: Mutex::new(Some(database)) });
        let thread = thread::Builder::new().name("store-writer".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || shared.write_groups()
        });
        let thread = thread.map_err(|error| Error::io(path, error))?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Runs `work` in a transaction and returns its result once that is on disk. `work` runs again if the group that
    /// it was part of failed.
    pub(super) async fn run<T, W>(&self, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: FnMut(&mut Batch<'_>) -> rusqlite::Result<T> + Send + 'static,
    {
        match self.shared.lead(work) {
            Lead::Done(result) => result,
            Lead::Crowded(work) => {
                let (reply, answer) = oneshot::channel();
                self.shared.enqueue(Box::new(Write { work, result: None, reply }))?;
                answer.await.unwrap_or(Err(Error::Closed))
            }
        }
    }

    /// Finishes the writes that wait, refuses new ones, closes the connection.
    pub(super) fn close(&self) {
        lock(&self.shared.queue).closed = true;
        self.shared.ready.notify_one();
        if let Some(thread) = lock(&self.thread).take() {
            // A panic of the writer thread was reported where it happened, and its callers were told.
            let _ = thread.join();
        }
        *lock(&self.shared.database) = None;
    }
}

/// What became of an attempt to write in the calling thread.
enum Lead<T, W> {
    Done(Result<T>),
    Crowded(W),
}

impl Shared {
    fn lead<T, W>(&self, work: W) -> Lead<T, W>
    where
        W: FnMut(&mut Batch<'_>) -> rusqlite::Result<T>,
    {
        if current_thread() == Thread::Sole {
            return Lead::Crowded(work);
        }
        let queue = lock(&self.queue);
        if queue.closed || queue.last_group > 1 || !queue.waiting.is_empty() {
            return Lead::Crowded(work);
        }
        let Ok(mut database) = self.database.try_lock() else {
            return Lead::Crowded(work);
        };
        drop(queue);
        Lead::Done(match database.as_mut() {
            Some(database) => blocking(|| database.transact(work)),
            None => Err(Error::Closed),
        })
    }

    fn enqueue(&self, job: Box<dyn Job>) -> Result<()> {
        let mut queue = lock(&self.queue);
        if queue.closed {
            return Err(Error::Closed);
        }
        queue.waiting.push(job);
        // The thread sleeps only while the queue is empty.
        if queue.waiting.len() == 1 {
            self.ready.notify_one();
        }
        Ok(())
    }

    /// The life of the writer thread.
    fn write_groups(&self) {
        let _refusal = RefuseAtEnd(self);
        let mut group = Vec::new();
        while self.wait_for_work() {
            let mut database = lock(&self.database);
            self.linger();
            {
                let mut queue = lock(&self.queue);
                std::mem::swap(&mut queue.waiting, &mut group);
                queue.last_group = group.len();
            }
            match database.as_mut() {
                Some(database) => database.write(&mut group),
                None => group.clear(),
            }
        }
    }

    /// False when there is none and will be none.
    fn wait_for_work(&self) -> bool {
        let queue = lock(&self.queue);
        let idle = |queue: &mut Queue| queue.waiting.is_empty() && !queue.closed;
        let queue = self.ready.wait_while(queue, idle).unwrap_or_else(PoisonError::into_inner);
        !queue.waiting.is_empty()
    }

    fn linger(&self) {
        let begun = Instant::now();
        let expects_more = || {
            let queue = lock(&self.queue);
            queue.last_group > 1 && queue.waiting.len() < 2 * queue.last_group && !queue.closed
        };
        while expects_more() && begun.elapsed() < LINGER {
            thread::yield_now();
        }
    }
}

/// Tells those who wait, and those who will come, that nobody writes any more: also after a panic.
struct RefuseAtEnd<'a>(&'a Shared);

impl Drop for RefuseAtEnd<'_> {
    fn drop(&mut self) {
        let mut queue = lock(&self.0.queue);
        queue.closed = true;
        queue.waiting.clear();
    }
}

/// A write in the queue, with somebody who waits for its result.
struct Write<T, W> {
    work: W,
    result: Option<T>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T, W> Job for Write<T, W>
where
    T: Send,
    W: FnMut(&mut Batch<'_>) -> rusqlite::Result<T> + Send,
{
    fn apply(&mut self, batch: &mut Batch<'_>) -> rusqlite::Result<()> {
        self.result = Some((self.work)(batch)?);
        Ok(())
    }

    fn answer(self: Box<Self>, outcome: Result<()>) {
        let Self { result, reply, .. } = *self;
        // A job is answered with success only after it was applied, so there is a result.
        let result = outcome.and_then(|()| result.ok_or(Error::Closed));
        // Who gave up waiting does not want to know.
        let _ = reply.send(result);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
