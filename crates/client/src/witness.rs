//! Whether a request that got no reply was read at all. A daemon that is just stopping hangs up on callers it has
//! not listened to; their commands can safely be sent again, unlike those that may have run.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

/// Between a daemon's last word on a connection and its end lies no waiting; more than this means that it is stuck.
const HANG_UP: Duration = Duration::from_secs(2);

/// A second descriptor of the socket, which outlives the exchange.
#[derive(Debug)]
pub(crate) struct Witness(OwnedFd);

impl Witness {
    pub(crate) fn of(stream: &impl AsFd) -> io::Result<Self> {
        stream.as_fd().try_clone_to_owned().map(Self)
    }

    /// Why the request certainly did not run, if that is so.
    pub(crate) async fn unread(self, error: &hyper::Error) -> Option<io::Error> {
        let cause = std::error::Error::source(error).and_then(|source| source.downcast_ref::<io::Error>());
        match cause.map(io::Error::kind) {
            // What a Unix socket says when the other side closed it without reading all that was sent.
            Some(kind @ (io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)) => Some(kind.into()),
            _ if error.is_canceled() => Some(io::ErrorKind::ConnectionAborted.into()),
            // The other side first ends its own half, which looks like a reply that never came. What it left
            // unread shows when it closes the socket.
            _ if error.is_incomplete_message() => {
                tokio::task::spawn_blocking(move || self.reset_at_the_end()).await.ok().flatten()
            }
            _ => None,
        }
    }

    fn reset_at_the_end(self) -> Option<io::Error> {
        self.hung_up(HANG_UP).ok()?;
        UnixStream::from(self.0).take_error().ok().flatten()
    }

    /// Whether the other side has closed the socket, at the latest after so long.
    fn hung_up(&self, limit: Duration) -> io::Result<bool> {
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        // No event is asked for: the end of the connection is always reported.
        let mut events = [PollFd::new(&self.0, PollFlags::empty())];
        Ok(retry_on_intr(|| poll(&mut events, Some(&limit)))? > 0)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;
    use hyper::Request;
    use hyper::body::Bytes;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;

    use super::*;
    use crate::connection::{Afterwards, Connection};

    /// What the witness says when the other side ends its half first and the connection after that, having read
    /// the request or not.
    async fn testimony(read_the_request: bool) -> Option<io::ErrorKind> {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let witness = Witness::of(&ours).unwrap();
        let request = Request::new(Full::new(Bytes::from_static(b"/info")));
        let connection = Connection::over(ours, Afterwards::Close).await.unwrap();
        let call = tokio::spawn(connection.exchange(request));
        theirs.readable().await.unwrap();
        if read_the_request {
            let mut request = Vec::new();
            while !request.ends_with(b"/info") {
                theirs.read_buf(&mut request).await.unwrap();
            }
        }
        theirs.shutdown().await.unwrap();
        let Err(error) = call.await.unwrap() else { panic!("nobody answered") };
        assert!(error.is_incomplete_message(), "{error:?}");
        assert!(!witness.hung_up(Duration::ZERO).unwrap(), "half of the connection is still there");
        drop(theirs);
        witness.unread(&error).await.map(|error| error.kind())
    }

    #[tokio::test]
    async fn a_request_that_nobody_read_can_be_told_from_one_that_may_have_run() {
        assert_eq!(testimony(false).await, Some(io::ErrorKind::ConnectionReset));
        assert_eq!(testimony(true).await, None);
    }
}
