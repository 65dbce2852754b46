//! Opening a connection to an address that was checked, and to nothing else.

use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio_rustls::rustls::pki_types::ServerName;
use url::{Host, Url};

use super::tls::Tls;
use crate::Error;
use crate::error::host_and_port;
use crate::limits::{MAX_HEAD, MAX_HEADERS, NEXT_ADDRESS_AFTER};

/// An open connection. Dropping it closes it.
pub(super) struct Connection {
    pub(super) sender: SendRequest<Full<Bytes>>,
    pub(super) peer: SocketAddr,
    driver: AbortHandle,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Connects to the first of `addresses` that answers.
pub(super) async fn connect(url: &Url, addresses: &[SocketAddr], tls: &Tls) -> Result<Connection, Error> {
    let (stream, peer) = race(addresses)
        .await
        .map_err(|error| Error::Connect { host: host_and_port(url), reason: plain(&error) })?;
    // Small requests must not wait for the acknowledgement of the ones before them.
    let _ = stream.set_nodelay(true);
    if url.scheme() == "https" {
        secure(url, stream, peer, tls).await
    } else {
        drive(url, stream, peer).await
    }
}

async fn secure(url: &Url, stream: TcpStream, peer: SocketAddr, tls: &Tls) -> Result<Connection, Error> {
    let failed = |reason: String| Error::Tls { host: host_and_port(url), reason };
    let name = match url.host() {
        Some(Host::Domain(name)) => ServerName::try_from(name.trim_end_matches('.').to_owned())
            .map_err(|_| failed("its name cannot be in a certificate".to_owned()))?,
        Some(Host::Ipv4(address)) => ServerName::from(std::net::IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => ServerName::from(std::net::IpAddr::V6(address)),
        None => return Err(failed("it has no name".to_owned())),
    };
    let connector = tls.connector().await.map_err(|error| failed(error.to_string()))?;
    let stream = connector.connect(name, stream).await.map_err(|error| failed(plain(&error)))?;
    drive(url, stream, peer).await
}

/// Speaks HTTP/1.1 over `stream`, in a task that ends with the connection.
async fn drive<S>(url: &Url, stream: S, peer: SocketAddr) -> Result<Connection, Error>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let handshake =
        http1::Builder::new().max_buf_size(MAX_HEAD).max_headers(MAX_HEADERS).handshake(TokioIo::new(stream));
    let (sender, connection) = handshake
        .await
        .map_err(|error| Error::Broken { host: host_and_port(url), reason: error.to_string() })?;
    // Its failures reach us through the request.
    let driver = tokio::spawn(async move { drop(connection.await) }).abort_handle();
    Ok(Connection { sender, peer, driver })
}

/// Starts with the first address and adds the next one whenever nothing has answered for a moment.
async fn race(addresses: &[SocketAddr]) -> io::Result<(TcpStream, SocketAddr)> {
    let attempt = |address: SocketAddr| async move { (TcpStream::connect(address).await, address) };
    let mut waiting = addresses.iter().copied();
    let mut running = FuturesUnordered::new();
    running.extend(waiting.next().map(attempt));
    let mut first_error = None;
    loop {
        let next = tokio::time::timeout(NEXT_ADDRESS_AFTER, running.next()).await;
        match next {
            Ok(Some((Ok(stream), address))) => return Ok((stream, address)),
            Ok(Some((Err(error), _))) => {
                first_error.get_or_insert(error);
                running.extend(waiting.next().map(attempt));
            }
            Ok(None) => return Err(first_error.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into())),
            Err(_) => running.extend(waiting.next().map(attempt)),
        }
    }
}

/// The operating system's words without their number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(words, _)| words.to_lowercase())
}
