//! Our standard streams, as something that can be given away and does not block.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread::JoinHandle;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::net::SocketType;
use rustix::net::sockopt::socket_type;

/// A client's input and output.
#[derive(Debug)]
pub(super) struct Ends {
    pub(super) input: OwnedFd,
    pub(super) output: OwnedFd,
    /// Carries on what is written, where the output itself cannot be given away.
    pump: Option<Pump>,
}

type Pump = JoinHandle<io::Result<()>>;

/// Which way a stream goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

impl Ends {
    pub(super) fn of_this_process() -> io::Result<Self> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let input = match shareable(stdin.as_fd(), Way::In)? {
            Some(input) => input,
            None => pump_in(stdin.as_fd().try_clone_to_owned()?.into())?,
        };
        let (output, pump) = match shareable(stdout.as_fd(), Way::Out)? {
            Some(output) => (output, None),
            None => pump_out(stdout.as_fd().try_clone_to_owned()?.into())?,
        };
        Ok(Self { input, output, pump })
    }

    /// Waits until everything is where it belongs.
    pub(super) fn finish(self) -> io::Result<()> {
        let Self { input, output, pump } = self;
        drop((input, output));
        // It ends when nobody holds the output any more, or when nothing more can be written to it.
        pump.map_or(Ok(()), |pump| pump.join().unwrap_or_else(|_| Err(io::Error::other("the output broke"))))
    }
}

/// A stream that others can read or write without blocking. None if it is a file, a terminal or anything else.
fn shareable(stream: BorrowedFd<'_>, way: Way) -> io::Result<Option<OwnedFd>> {
    match FileType::from_raw_mode(rustix::fs::fstat(stream)?.st_mode) {
        FileType::Socket if socket_type(stream)? == SocketType::STREAM => {
            Ok(Some(stream.try_clone_to_owned()?))
        }
        FileType::Fifo => Ok(reopened(stream, way).ok()),
        _ => Ok(None),
    }
}

/// The same pipe, opened anew: whether it blocks is otherwise shared with everybody who was given this end.
fn reopened(pipe: BorrowedFd<'_>, way: Way) -> io::Result<OwnedFd> {
    use std::os::fd::AsRawFd;
    let path = format!("/proc/self/fd/{}", pipe.as_raw_fd());
    let direction = if way == Way::In { OFlags::RDONLY } else { OFlags::WRONLY };
    Ok(rustix::fs::open(path, direction | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?)
}

/// A pipe with everything that can be read from a file.
fn pump_in(mut file: File) -> io::Result<OwnedFd> {
    let (reader, mut writer): (PipeReader, PipeWriter) = io::pipe()?;
    let pump = move || {
        // Neither side has anybody to tell: an end is all that there is to see.
        let _ = io::copy(&mut file, &mut writer);
    };
    // It may wait for input for ever, and ends with us.
    std::thread::Builder::new().name("input".to_owned()).spawn(pump)?;
    unblocked(reader.into())
}

/// A pipe whose contents are written to a file.
fn pump_out(mut file: File) -> io::Result<(OwnedFd, Option<Pump>)> {
    let (mut reader, writer): (PipeReader, PipeWriter) = io::pipe()?;
    let pump = move || io::copy(&mut reader, &mut file).map(drop);
    let pump = std::thread::Builder::new().name("output".to_owned()).spawn(pump)?;
    Ok((unblocked(writer.into())?, Some(pump)))
}

fn unblocked(pipe: OwnedFd) -> io::Result<OwnedFd> {
    rustix::fs::fcntl_setfl(&pipe, rustix::fs::fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
    Ok(pipe)
}
