//! One connection for one request.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
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
    /// Moves the bytes; aborted when the reply is dropped, which closes the connection.
    pub(crate) driver: JoinSet<()>,
}

/// What becomes of the connection after the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Afterwards {
    Close,
    /// It is used for something else, if the reply says so.
    Upgrade,
}

impl Endpoint {
    /// The `Host` header: the TCP door looks at it.
    pub(crate) fn host(&self) -> String {
        match self {
            Self::Unix(_) => "localhost".to_owned(),
            Self::Tcp { port, .. } => format!("127.0.0.1:{port}"),
        }
    }

    pub(crate) async fn send(
        &self,
        request: Request<Full<Bytes>>,
        after: Afterwards,
    ) -> Result<Received, Error> {
        match self {
            Self::Unix(path) => {
                let unreachable = |source| not_reachable(path.display(), source);
                let stream = unix(path).await.map_err(unreachable)?;
                let witness = Witness::of(&stream).map_err(unreachable)?;
                match exchange(stream, request, after).await {
                    Ok(received) => Ok(received),
                    Err(error) => Err(match witness.unread(&error).await {
                        Some(source) => unreachable(source),
                        None => error.into(),
                    }),
                }
            }
            Self::Tcp { port, .. } => {
                let connected = TcpStream::connect(("127.0.0.1", *port)).await;
                let stream = connected
                    .and_then(|stream| stream.set_nodelay(true).map(|()| stream))
                    .map_err(|source| not_reachable(self.host(), source))?;
                Ok(exchange(stream, request, after).await?)
            }
        }
    }
}

fn not_reachable(address: impl std::fmt::Display, source: io::Error) -> Error {
    Error::NotReachable { address: address.to_string(), source }
}

/// Sends the request and waits for the head of its reply.
pub(crate) async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: Request<Full<Bytes>>,
    after: Afterwards,
) -> hyper::Result<Received> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        // What breaks here breaks the request or the body too, and is reported there. The socket is closed, not
        // shut down: the witness waits for the other side's end, and must not see ours.
        let _ = match after {
            Afterwards::Close => connection.without_shutdown().await.map(drop),
            Afterwards::Upgrade => connection.with_upgrades().await,
        };
    });
    let response = sender.send_request(request).await?;
    Ok(Received { response, driver })
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
