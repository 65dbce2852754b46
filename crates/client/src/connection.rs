//! The daemon's socket, and a connection through it.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use wire::SOCKET_PATH_MAX;

use crate::Error;
use crate::witness::Witness;

/// The daemon's door for its own user.
#[derive(Debug, Clone)]
pub(crate) struct Socket(pub(crate) PathBuf);

/// A reply whose body is still coming.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) response: Response<Incoming>,
    /// Where it comes from. Dropped before the body is there, it closes, and the daemon sees that its caller left.
    pub(crate) connection: Connection,
}

/// What becomes of the connection after the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Afterwards {
    Close,
    /// It is used for something else, if the reply says so.
    Upgrade,
}

/// A connection that carries one request.
#[derive(Debug)]
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    /// Moves the bytes; aborted when dropped, which closes the socket.
    _driver: JoinSet<()>,
}

impl Socket {
    /// Sends a request through a connection of its own.
    pub(crate) async fn send(
        &self,
        request: Request<Full<Bytes>>,
        after: Afterwards,
    ) -> Result<Received, Error> {
        let unreachable = |source| Error::NotReachable { address: self.0.display().to_string(), source };
        let stream = reach(&self.0).await.map_err(unreachable)?;
        let witness = Witness::of(&stream).map_err(unreachable)?;
        let error = match Connection::over(stream, after).await?.exchange(request).await {
            Ok(received) => return Ok(received),
            Err(error) => error,
        };
        // The daemon certainly did not run it: it can be sent again.
        let unread = witness.unread(&error).await;
        Err(unread.map_or(error.into(), unreachable))
    }
}

impl Connection {
    pub(crate) async fn over(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        after: Afterwards,
    ) -> hyper::Result<Self> {
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let mut driver = JoinSet::new();
        driver.spawn(async move {
            // What breaks here breaks the request or the body too, and is reported there. The socket is closed,
            // not shut down: the witness waits for the other side's end, and must not see ours.
            let _ = match after {
                Afterwards::Close => connection.without_shutdown().await.map(drop),
                Afterwards::Upgrade => connection.with_upgrades().await,
            };
        });
        Ok(Self { sender, _driver: driver })
    }

    /// Sends the request and waits for the head of its reply. Without one, this end hangs up.
    pub(crate) async fn exchange(mut self, request: Request<Full<Bytes>>) -> hyper::Result<Received> {
        let response = self.sender.send_request(request).await?;
        Ok(Received { response, connection: self })
    }
}

async fn reach(path: &Path) -> io::Result<UnixStream> {
    if path.as_os_str().len() <= SOCKET_PATH_MAX {
        return connect(path.to_owned()).await;
    }
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    let name = path.file_name().ok_or_else(missing)?;
    let directory = File::open(path.parent().ok_or_else(missing)?)?;
    // The directory must stay open until the kernel has followed its short name.
    connect(Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name)).await
}

async fn connect(path: PathBuf) -> io::Result<UnixStream> {
    match UnixStream::connect(&path).await {
        // A full backlog makes a non-blocking connect fail; the blocking one waits for its turn.
        Err(full) if full.kind() == io::ErrorKind::WouldBlock => {
            let stream = tokio::task::spawn_blocking(|| std::os::unix::net::UnixStream::connect(path))
                .await
                .map_err(io::Error::other)??;
            stream.set_nonblocking(true)?;
            UnixStream::from_std(stream)
        }
        outcome => outcome,
    }
}
