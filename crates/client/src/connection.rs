//! The daemon's two doors, and a connection through one of them.

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
use tokio::net::{TcpStream, UnixStream};
use tokio::task::JoinSet;

use crate::witness::Witness;
use crate::{Error, Token};

/// `sun_path` has 108 bytes, the last of them zero.
const SOCKET_PATH_MAX: usize = 107;

#[derive(Debug, Clone)]
pub(crate) enum Endpoint {
    Unix(PathBuf),
    Tcp { port: u16, token: Token },
}

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
    /// Only a Unix socket can tell what the other side left unread.
    witness: Option<Witness>,
}

/// Why there is no reply.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// The daemon certainly did not run the request: it can be sent again.
    Unread(io::Error),
    Broken(hyper::Error),
}

impl Endpoint {
    /// The `Host` header: the TCP door looks at it.
    pub(crate) fn host(&self) -> String {
        match self {
            Self::Unix(_) => "localhost".to_owned(),
            Self::Tcp { port, .. } => format!("127.0.0.1:{port}"),
        }
    }

    async fn connect(&self, after: Afterwards) -> Result<Connection, Error> {
        match self {
            Self::Unix(path) => {
                let unreachable = |source| self.not_reachable(source);
                let stream = unix(path).await.map_err(unreachable)?;
                let witness = Witness::of(&stream).map_err(unreachable)?;
                Ok(Connection::over(stream, Some(witness), after).await?)
            }
            Self::Tcp { port, .. } => {
                let connected = TcpStream::connect(("127.0.0.1", *port)).await;
                let stream = connected
                    .and_then(|stream| stream.set_nodelay(true).map(|()| stream))
                    .map_err(|source| self.not_reachable(source))?;
                Ok(Connection::over(stream, None, after).await?)
            }
        }
    }

    /// Sends a request through a connection of its own.
    pub(crate) async fn send(
        &self,
        request: Request<Full<Bytes>>,
        after: Afterwards,
    ) -> Result<Received, Error> {
        match self.connect(after).await?.exchange(request).await {
            Ok(received) => Ok(received),
            Err(Unanswered::Unread(source)) => Err(self.not_reachable(source)),
            Err(Unanswered::Broken(error)) => Err(error.into()),
        }
    }

    fn not_reachable(&self, source: io::Error) -> Error {
        let address = match self {
            Self::Unix(path) => path.display().to_string(),
            Self::Tcp { .. } => self.host(),
        };
        Error::NotReachable { address, source }
    }
}

impl Connection {
    pub(crate) async fn over(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        witness: Option<Witness>,
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
        Ok(Self { sender, _driver: driver, witness })
    }

    /// Sends the request and waits for the head of its reply.
    pub(crate) async fn exchange(mut self, request: Request<Full<Bytes>>) -> Result<Received, Unanswered> {
        let error = match self.sender.send_request(request).await {
            Ok(response) => return Ok(Received { response, connection: self }),
            Err(error) => error,
        };
        let unread = match self.hang_up() {
            Some(witness) => witness.unread(&error).await,
            None => None,
        };
        Err(unread.map_or(Unanswered::Broken(error), Unanswered::Unread))
    }

    fn hang_up(self) -> Option<Witness> {
        self.witness
    }
}

async fn unix(path: &Path) -> io::Result<UnixStream> {
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
