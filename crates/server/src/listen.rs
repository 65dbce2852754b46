//! The two doors: a Unix socket and a loopback port, served by one loop each.

use std::convert::Infallible;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::Error;
use crate::doorway::{Door, Doorway};
use crate::limits::{HEADER_BYTES, HEADERS, Limits};
use crate::peer::Peer;
use crate::root::{Root, SocketPath};
use crate::unread::Rest;

#[derive(Debug)]
pub struct Listeners {
    pub doorway: Doorway,
    pub local: Door,
    /// None when another program has the port: the command line works all the same.
    pub tcp: Option<TcpListener>,
}

/// Binds the socket of a root whose lock is held, in place of whatever a dead daemon left there.
pub fn bind_socket(root: &Root) -> Result<UnixListener, Error> {
    let path = root.socket();
    let bind = || {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let short = SocketPath::of(&path)?;
        let listener = UnixListener::bind(&short.path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    };
    bind().map_err(|source| Error::File { path: root.socket(), source })
}

/// Binds the loopback port, never another interface.
pub async fn bind_loopback(port: u16) -> Option<TcpListener> {
    match TcpListener::bind(("127.0.0.1", port)).await {
        Ok(listener) => Some(listener),
        Err(error) => {
            tracing::warn!(port, %error, "the port cannot be used; only the socket is served");
            None
        }
    }
}

/// Serves both doors until told to stop, then lets replies that are on their way arrive.
pub async fn serve(listeners: Listeners, router: Router, limits: Limits, stop: CancellationToken) {
    let Listeners { doorway, local, tcp } = listeners;
    let hall = Arc::new(Hall {
        router,
        limits,
        local_places: Arc::new(Semaphore::new(limits.connections)),
        network_places: Arc::new(Semaphore::new(limits.connections)),
        closing: CancellationToken::new(),
    });
    tokio::select! {
        () = stop.cancelled() => {}
        () = accept_local(local, &doorway, &hall) => {}
        () = accept_network(tcp, &hall) => {}
    }
    // Without doors there is nothing to go on for.
    stop.cancel();
    hall.closing.cancel();
    if tokio::time::timeout(limits.drain_time, hall.emptied()).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
}

/// Where connections are received.
struct Hall {
    router: Router,
    limits: Limits,
    /// Each door has its own places: whoever crowds the port leaves the socket free.
    local_places: Arc<Semaphore>,
    network_places: Arc<Semaphore>,
    /// Cancelled when connections are to end after the reply they are at.
    closing: CancellationToken,
}

async fn accept_local(mut door: Door, doorway: &Doorway, hall: &Arc<Hall>) {
    loop {
        // Nobody who has come in is turned out by it.
        door = tokio::select! {
            reopened = doorway.reopened(&door) => match reopened {
                Some(door) => door,
                None => return,
            },
            () = accept_at(&door, hall) => return,
        };
    }
}

async fn accept_at(door: &Door, hall: &Arc<Hall>) {
    loop {
        let place = take(&hall.local_places).await;
        match door.listener.accept().await {
            Ok((stream, _)) => match local_peer(&stream) {
                Some(peer) => hall.receive(stream, peer, place),
                None => tracing::warn!("a connection by another user was refused"),
            },
            Err(error) => pause_after(&error).await,
        }
    }
}

async fn accept_network(listener: Option<TcpListener>, hall: &Arc<Hall>) {
    let Some(listener) = listener else { return std::future::pending().await };
    loop {
        let place = take(&hall.network_places).await;
        match listener.accept().await {
            Ok((stream, _)) => {
                // Without this, every small reply waits for the other side's delayed acknowledgement.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "no delay could not be set");
                }
                hall.receive(stream, Peer::Network, place);
            }
            Err(error) => pause_after(&error).await,
        }
    }
}

/// The process at the other end, if it runs as the user this daemon runs as.
fn local_peer(stream: &UnixStream) -> Option<Peer> {
    let credentials = stream.peer_cred().ok()?;
    let pid = u32::try_from(credentials.pid().unwrap_or(0)).unwrap_or(0);
    (credentials.uid() == rustix::process::geteuid().as_raw()).then_some(Peer::Local { pid })
}

/// Running out of descriptors passes when connections end; until then a tight loop would only burn.
async fn pause_after(error: &std::io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
}

async fn take(places: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    let place = Arc::clone(places).acquire_owned().await;
    place.expect("the semaphore is never closed")
}

impl Hall {
    fn receive(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: Peer,
        place: OwnedSemaphorePermit,
    ) {
        let router = self.router.clone();
        let service = service_fn(move |request| answer(router.clone(), peer, request));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_time)
            .max_headers(HEADERS)
            // The buffer alone grows past its bound before it is looked at.
            .max_header_size(HEADER_BYTES)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let closing = self.closing.clone();
        tokio::spawn(async move {
            let mut connection = std::pin::pin!(connection);
            let ended = match closing.run_until_cancelled(connection.as_mut()).await {
                Some(ended) => ended,
                None => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }

    /// Waits until every connection has given its place back.
    async fn emptied(&self) {
        let all = u32::try_from(self.limits.connections).unwrap_or(u32::MAX);
        for places in [&self.local_places, &self.network_places] {
            // A semaphore that is never closed always gives.
            let _ = places.acquire_many(all).await;
        }
    }
}

/// One request through the door.
async fn answer(
    router: Router,
    peer: Peer,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    // Whoever asks first whether the body is wanted does not send one that is not.
    let asks_first = request.headers().contains_key(header::EXPECT);
    let mut request =
        request.map(|body| if asks_first { Body::new(body) } else { Body::new(Rest::new(body)) });
    request.extensions_mut().insert(peer);
    router.oneshot(request).await
}
