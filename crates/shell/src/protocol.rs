//! What the caller's process and its guards say to each other: length-prefixed
//! JSON frames over one socket, with descriptors beside the first report.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncWriteExt as _, Interest};
use tokio::net::UnixStream;

use crate::boundary::{Boundary, Support};
use crate::limits;
use crate::status::Status;

/// The most descriptors one report carries.
const DESCRIPTORS: usize = 3;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    Launch(Box<Launch>),
    /// TERM to the whole tree, KILL after the grace.
    Terminate,
    /// Hide the secrets that have appeared.
    Hide,
    /// KILL to the whole tree.
    Close,
    /// Try out what this kernel allows.
    Probe,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Launch {
    pub(crate) job: Job,
    // Not paths, which serde takes only as UTF-8.
    pub(crate) bash: OsString,
    pub(crate) directory: OsString,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) boundary: Boundary,
    pub(crate) open_files: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Job {
    /// Interactive bash on a new terminal.
    Terminal,
    /// `bash -c` with the guard's own standard output and error.
    Command { text: OsString },
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Comes with the terminal's master, the control socket and the turn file.
    Started {
        pid: i32,
    },
    /// The process has ended and nothing of its tree is left.
    Exited {
        status: Status,
    },
    /// All secrets that are there are hidden.
    Hidden,
    Failed {
        stage: String,
        message: String,
    },
    Support(Support),
}

/// The guard's end: blocking, since the guard has nothing else to do.
pub(crate) struct GuardEnd {
    socket: OwnedFd,
}

impl GuardEnd {
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self { socket }
    }

    /// The next order, or nothing when the other side is gone.
    pub(crate) fn receive(&self) -> io::Result<Option<Order>> {
        let mut length = [0; 4];
        if !self.fill(&mut length)? {
            return Ok(None);
        }
        let mut body = vec![0; frame_length(length)?];
        if !self.fill(&mut body)? {
            return Ok(None);
        }
        decode(&body).map(Some)
    }

    pub(crate) fn send(&self, report: &Report, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let frame = encode(report)?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        let slices = [IoSlice::new(&frame)];
        let sent = rustix::net::sendmsg(&self.socket, &slices, &mut ancillary, SendFlags::NOSIGNAL)?;
        // Reports are far smaller than a socket buffer, so a short write means a broken peer.
        if sent == frame.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    fn fill(&self, mut buffer: &mut [u8]) -> io::Result<bool> {
        while !buffer.is_empty() {
            match rustix::io::read(&self.socket, &mut *buffer) {
                Ok(0) => return Ok(false),
                Ok(count) => buffer = &mut buffer[count..],
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }
}

impl AsFd for GuardEnd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The caller's end.
pub(crate) struct CallerEnd {
    stream: UnixStream,
    received: Vec<u8>,
    descriptors: Vec<OwnedFd>,
}

impl CallerEnd {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self { stream, received: Vec::new(), descriptors: Vec::new() }
    }

    pub(crate) async fn send(&mut self, order: &Order) -> io::Result<()> {
        self.stream.write_all(&encode(order)?).await
    }

    /// The next report, or nothing when the guard is gone. Dropping the future loses nothing.
    pub(crate) async fn receive(&mut self) -> io::Result<Option<Report>> {
        loop {
            if let Some(report) = self.buffered()? {
                return Ok(Some(report));
            }
            let Self { stream, received, descriptors } = self;
            let count = stream
                .async_io(Interest::READABLE, || receive_into(stream.as_fd(), received, descriptors))
                .await?;
            if count == 0 {
                return Ok(None);
            }
        }
    }

    /// The descriptors that came with the reports so far.
    pub(crate) fn take_descriptors(&mut self) -> Vec<OwnedFd> {
        std::mem::take(&mut self.descriptors)
    }

    fn buffered(&mut self) -> io::Result<Option<Report>> {
        let Some((length, rest)) = self.received.split_first_chunk::<4>() else { return Ok(None) };
        let length = frame_length(*length)?;
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let report = decode(body)?;
        self.received.drain(..4 + length);
        Ok(Some(report))
    }
}

fn receive_into(
    socket: BorrowedFd<'_>,
    received: &mut Vec<u8>,
    descriptors: &mut Vec<OwnedFd>,
) -> io::Result<usize> {
    let mut buffer = [0; 4096];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut slices = [IoSliceMut::new(&mut buffer)];
    let message = rustix::net::recvmsg(
        socket,
        &mut slices,
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT,
    )?;
    for item in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = item {
            descriptors.extend(rights);
        }
    }
    received.extend_from_slice(&buffer[..message.bytes]);
    Ok(message.bytes)
}

fn frame_length(prefix: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(prefix) as usize;
    if length > limits::FRAME { Err(io::ErrorKind::InvalidData.into()) } else { Ok(length) }
}

fn encode<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message)?;
    let length = u32::try_from(frame.len() - 4).map_err(|_| io::ErrorKind::InvalidInput)?;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    Ok(frame)
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(body)?)
}
