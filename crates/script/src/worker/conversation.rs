//! The worker's end of the socket.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustix::event::{Timespec, epoll};
use serde_json::value::RawValue;

use crate::frame::{self, Order, Report, Run, Source};
use crate::host::{HostError, TooLarge};

/// What a call of the host was given, or how large it would have been.
pub(super) type Arguments = Result<Box<RawValue>, TooLarge>;
pub(super) type Answer = Result<Box<RawValue>, HostError>;

/// The descriptors that a worker needs, opened while it still may.
pub(super) struct Line {
    socket: UnixStream,
    /// Unlike `poll`, waiting on it works in a process that may have no descriptors.
    watch: OwnedFd,
}

/// Clones speak over the same socket.
#[derive(Clone)]
pub(super) struct Conversation {
    shared: Rc<Shared>,
}

struct Shared {
    line: Line,
    /// Never used twice, also not by the next run: an answer may come when its run has ended.
    next_id: Cell<u64>,
    /// Answers that came while another one was waited for.
    early: RefCell<VecDeque<(u64, Answer)>>,
}

impl Line {
    pub(super) fn new(socket: UnixStream) -> io::Result<Self> {
        let watch = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&watch, &socket, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        Ok(Self { socket, watch })
    }
}

impl Conversation {
    pub(super) fn new(line: Line) -> Self {
        Self { shared: Rc::new(Shared { line, next_id: Cell::new(0), early: RefCell::default() }) }
    }

    /// Blocks for the next run; `None` when the daemon is gone.
    pub(super) fn next_run(&self) -> io::Result<Option<Run>> {
        self.shared.early.borrow_mut().clear();
        loop {
            match self.receive()? {
                Some(Order::Run(run)) => return Ok(Some(run)),
                Some(Order::Answer { .. }) => {}
                Some(Order::Module(_)) => return Err(io::Error::other("a run was expected")),
                None => return Ok(None),
            }
        }
    }

    pub(super) fn send(&self, report: &Report) -> io::Result<()> {
        frame::write(&mut &self.shared.line.socket, report)
    }

    /// Asks the host. The answer comes later, under the id.
    pub(super) fn ask(&self, id: u64, method: String, arguments: Arguments) -> io::Result<()> {
        self.send(&Report::Ask { id, method, arguments })
    }

    pub(super) fn next_id(&self) -> u64 {
        let id = self.shared.next_id.get();
        self.shared.next_id.set(id + 1);
        id
    }

    /// Asks for a module's source.
    pub(super) fn need(&self, module: &str) -> io::Result<Result<Source, String>> {
        self.send(&Report::Need { module: module.to_owned() })?;
        loop {
            match self.receive()? {
                Some(Order::Module(source)) => return Ok(source),
                Some(Order::Answer { .. }) => {}
                _ => return Err(io::Error::other("a module was expected")),
            }
        }
    }

    /// The next answer, if one comes before `until`.
    pub(super) fn answer(&self, until: Instant) -> io::Result<Option<(u64, Answer)>> {
        if let Some(early) = self.shared.early.borrow_mut().pop_front() {
            return Ok(Some(early));
        }
        if !self.readable(until)? {
            return Ok(None);
        }
        self.next_answer().map(Some)
    }

    /// Blocks for the answer to one question.
    pub(super) fn answer_to(&self, id: u64) -> io::Result<Answer> {
        loop {
            match self.next_answer()? {
                (this, answer) if this == id => return Ok(answer),
                other => self.shared.early.borrow_mut().push_back(other),
            }
        }
    }

    fn next_answer(&self) -> io::Result<(u64, Answer)> {
        match self.receive()? {
            Some(Order::Answer { id, answer }) => Ok((id, answer)),
            _ => Err(io::Error::other("an answer was expected")),
        }
    }

    fn receive(&self) -> io::Result<Option<Order>> {
        frame::read(&mut &self.shared.line.socket)
    }

    fn readable(&self, until: Instant) -> io::Result<bool> {
        let mut event =
            [epoll::Event { flags: epoll::EventFlags::empty(), data: epoll::EventData::new_u64(0) }];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match epoll::wait(&self.shared.line.watch, &mut event, Some(&timespec(left))) {
                Ok(ready) => return Ok(ready > 0),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}
