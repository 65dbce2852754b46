//! Giving the standard streams of an MCP client to the daemon.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use wire::stdio::{DESCRIPTORS, Farewell, Seat};

use crate::Error;

/// A conversation that the daemon holds.
#[derive(Debug)]
pub struct Conversation {
    connection: UnixStream,
}

impl Conversation {
    /// Waits for its end. None: the daemon has left it, and somebody else must go on.
    pub async fn end(mut self) -> Option<Farewell> {
        let mut last = Vec::new();
        // A daemon that was killed resets the connection; one that stops closes it without a word.
        self.connection.read_to_end(&mut last).await.ok()?;
        serde_json::from_slice(&last).ok()
    }
}

pub(crate) async fn give(
    upgraded: Upgraded,
    seat: &Seat,
    descriptors: [BorrowedFd<'_>; DESCRIPTORS],
) -> Result<Conversation, Error> {
    let parts = upgraded.downcast::<TokioIo<UnixStream>>().map_err(|_| Error::Incomplete)?;
    let mut connection = parts.io.into_inner();
    let mut line = serde_json::to_vec(seat)?;
    line.push(b'\n');
    let sent = connection
        .async_io(Interest::WRITABLE, || send(&connection, &line, &descriptors))
        .await
        .map_err(Error::Upgraded)?;
    connection.write_all(&line[sent..]).await.map_err(Error::Upgraded)?;
    Ok(Conversation { connection })
}

/// The descriptors go with the first bytes, as many as there are.
fn send(connection: &UnixStream, line: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<usize> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut room);
    if !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("the descriptors do not fit into a message"));
    }
    Ok(sendmsg(connection, &[IoSlice::new(line)], &mut control, SendFlags::NOSIGNAL)?)
}
