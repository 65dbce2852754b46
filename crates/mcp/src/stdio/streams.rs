//! The two streams of a client, as pipes or sockets that never block.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{FileType, OFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::net::{RecvFlags, SendFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// A client's standard input and output, seen from the other side.
#[derive(Debug)]
pub struct Streams {
    pub(super) input: Input,
    pub(super) output: Output,
}

/// How a stream is told not to block. A socket is told with every call: its flags belong to everybody who holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pipe,
    Socket,
}

#[derive(Debug)]
pub(super) struct Input {
    kind: Kind,
    stream: AsyncFd<OwnedFd>,
}

/// Takes one message after the other.
#[derive(Debug, Clone)]
pub(super) struct Output(Arc<Mutex<Sink>>);

#[derive(Debug)]
struct Sink {
    kind: Kind,
    /// None once nothing more may be written.
    stream: Option<OwnedFd>,
}

/// What came of a message that was given to [`Output::write`].
pub(super) enum Written {
    Whole,
    /// The rest takes time.
    Rest(Rest),
}

/// The part of a message that did not fit, and those before it.
pub(super) struct Rest {
    output: Output,
    /// Held since the first byte was written.
    begun: Option<OwnedMutexGuard<Sink>>,
    bytes: Vec<u8>,
    written: usize,
}

impl Streams {
    /// Pipes must have been opened not to block; anything but a pipe or a socket is refused.
    pub fn new(input: OwnedFd, output: OwnedFd) -> io::Result<Self> {
        let (kind_in, kind_out) = (kind(&input)?, kind(&output)?);
        // Only what is asked for: to be told that there is room again would wake somebody after each message.
        let input = Input { kind: kind_in, stream: register(input, Interest::READABLE)? };
        let sink = Sink { kind: kind_out, stream: Some(output) };
        Ok(Self { input, output: Output(Arc::new(Mutex::new(sink))) })
    }

    /// Waits for bytes of the client; none means that it has closed its side.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer).await
    }

    pub async fn write(&self, bytes: Vec<u8>) -> io::Result<()> {
        match self.output.write(bytes)? {
            Written::Whole => Ok(()),
            Written::Rest(rest) => rest.finish().await,
        }
    }
}

impl Input {
    /// Waits for bytes; none means the end. What is dropped while it waits has taken nothing.
    pub(super) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        // A pipe that was opened again after its writer had left never says that it has ended, unless it is asked.
        if self.kind == Kind::Pipe {
            match self.read_now(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
        loop {
            let mut ready = self.stream.readable().await?;
            let Ok(read) = ready.try_io(|_| self.read_now(buffer)) else { continue };
            // There was no more, so it need not be asked again before more comes. An end is not forgotten.
            if read.as_ref().is_ok_and(|count| (1..buffer.len()).contains(count)) {
                ready.clear_ready();
            }
            return read;
        }
    }

    /// Bytes that come within a short time. Whoever else wants the processor gets it meanwhile.
    pub(super) fn look(&self, buffer: &mut [u8], limit: Duration) -> Option<io::Result<usize>> {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            match self.read_now(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::yield_now(),
                read => return Some(read),
            }
        }
        None
    }

    fn read_now(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let stream = self.stream.get_ref();
        Ok(retry_on_intr(|| match self.kind {
            Kind::Pipe => rustix::io::read(stream, &mut *buffer),
            Kind::Socket => Ok(rustix::net::recv(stream, &mut *buffer, RecvFlags::DONTWAIT)?.0),
        })?)
    }
}

impl Output {
    /// Writes what fits at once. Whoever gets a rest must see to it.
    pub(super) fn write(&self, bytes: Vec<u8>) -> io::Result<Written> {
        let Ok(sink) = Arc::clone(&self.0).try_lock_owned() else {
            return Ok(Written::Rest(Rest { output: self.clone(), begun: None, bytes, written: 0 }));
        };
        let written = sink.write_now(&bytes)?;
        if written == bytes.len() {
            return Ok(Written::Whole);
        }
        Ok(Written::Rest(Rest { output: self.clone(), begun: Some(sink), bytes, written }))
    }

    /// Closes the stream once nobody is writing.
    pub(super) async fn close(&self) {
        self.0.lock().await.stream = None;
    }
}

impl Rest {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) async fn finish(self) -> io::Result<()> {
        let Self { output, begun, bytes, mut written } = self;
        let sink = match begun {
            Some(sink) => sink,
            None => Arc::clone(&output.0).lock_owned().await,
        };
        loop {
            written += sink.write_now(&bytes[written..])?;
            if written == bytes.len() {
                return Ok(());
            }
            let stream = sink.stream.as_ref().ok_or(io::ErrorKind::NotConnected)?;
            // Registered anew each time, so what it says is true now.
            let writable = register(stream.try_clone()?, Interest::WRITABLE)?;
            let _ = writable.writable().await?;
        }
    }
}

impl Sink {
    /// How many bytes went out without waiting.
    fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        let stream = self.stream.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let mut written = 0;
        while written < bytes.len() {
            let rest = &bytes[written..];
            let outcome = retry_on_intr(|| match self.kind {
                Kind::Pipe => rustix::io::write(stream, rest),
                Kind::Socket => rustix::net::send(stream, rest, SendFlags::DONTWAIT | SendFlags::NOSIGNAL),
            });
            match outcome {
                Ok(count) => written += count,
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(written)
    }
}

fn kind(stream: impl AsFd) -> io::Result<Kind> {
    let stream = stream.as_fd();
    match FileType::from_raw_mode(rustix::fs::fstat(stream)?.st_mode) {
        FileType::Fifo if does_not_block(stream)? => Ok(Kind::Pipe),
        FileType::Socket => Ok(Kind::Socket),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "neither a socket nor a pipe that does not block",
        )),
    }
}

fn does_not_block(stream: BorrowedFd<'_>) -> io::Result<bool> {
    Ok(rustix::fs::fcntl_getfl(stream)?.contains(OFlags::NONBLOCK))
}

#[allow(unsafe_code, reason = "the runtime cannot tell by itself who closes a descriptor")]
fn register(stream: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open, stays the same descriptor, and is closed only by being dropped, which the
    // `AsyncFd` that owns it from here on does.
    Ok(unsafe { AsyncFd::register_with_interest(stream, interest) }?)
}
