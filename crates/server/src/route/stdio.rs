//! `GET /mcp/stdio`: the standard streams of an MCP client, given to the daemon.
//!
//! The client talks to the daemon itself from then on: what stands between them only waits. See `wire::stdio`.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::sync::OwnedSemaphorePermit;
use wire::ErrorBody;
use wire::stdio::{DESCRIPTORS, PROTOCOL, SEAT_MAX, Seat};

use super::speaker::Speaker;
use super::{App, upgrade};
use crate::conversation::{Conversation, Given};
use crate::failure::Failure;
use crate::inside::Inside;
use crate::peer::Peer;

#[utoipa::path(
    get,
    path = "/mcp/stdio",
    params(Speaker),
    responses(
        (status = 101, description = "The daemon waits for the streams."),
        (status = 400, description = "the request does not ask for the upgrade", body = ErrorBody),
        (status = 403, description = "not over the socket", body = ErrorBody),
        (status = 429, description = "too many conversations", body = ErrorBody),
    )
)]
pub async fn take_over(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    mut request: Request,
) -> Result<Response, Failure> {
    if peer == Peer::Network {
        return Err(Failure::forbidden("Streams are given over the socket only."));
    }
    let upgrade = upgrade::asked_for(PROTOCOL, &mut request)?;
    let place = Arc::clone(&app.stdio_places).try_acquire_owned().map_err(|_| too_many(&app))?;
    let (conversations, agent) = (app.conversations.clone(), super::agent(&headers));
    conversations.spawn(async move {
        if let Err(error) = converse(&app, upgrade, agent, place).await {
            tracing::debug!(%error, "a client's streams could not be taken");
        }
    });
    upgrade::granted(PROTOCOL)
}

fn too_many(app: &App) -> Failure {
    let message = format!("{} MCP clients are connected, which is the limit.", app.limits.mcp_sessions);
    Failure::new(StatusCode::TOO_MANY_REQUESTS, "QUEUE_FULL", message).hint("Close one of them.")
}

/// Takes the streams and serves the client behind them to the end.
async fn converse(
    app: &App,
    upgrade: OnUpgrade,
    agent: String,
    _place: OwnedSemaphorePermit,
) -> io::Result<()> {
    let given = async {
        let front = connection(upgrade.await.map_err(io::Error::other)?)?;
        let given = receive(&front).await?;
        Ok::<_, io::Error>((front, given))
    };
    // A front that gives nothing would keep its place, and the daemon from stopping.
    let given = tokio::time::timeout(app.limits.header_time, given);
    let Some(given) = app.runtime.stop.run_until_cancelled(given).await else { return Ok(()) };
    let (front, (seat, [input, output, record])) = given??;
    let conversation = Conversation {
        host: Inside::seated(Arc::clone(&app.runtime), agent, seat),
        given: Given { front: front.into_std()?, input, output, record },
        version: app.runtime.version.clone(),
        stop: app.runtime.stop.clone(),
    };
    conversation.on_a_thread_of_its_own().await
}

/// The socket under an upgraded connection.
fn connection(upgraded: Upgraded) -> io::Result<UnixStream> {
    let parts = upgraded.downcast::<TokioIo<UnixStream>>().map_err(|_| io::ErrorKind::InvalidInput)?;
    // What came in early has lost its descriptors.
    if parts.read_buf.is_empty() { Ok(parts.io.into_inner()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// The seat, and the descriptors that came with it.
async fn receive(front: &UnixStream) -> io::Result<(Seat, [OwnedFd; DESCRIPTORS])> {
    let (mut line, mut descriptors) = (Vec::new(), Vec::new());
    while !line.ends_with(b"\n") {
        let (bytes, came) = front.async_io(Interest::READABLE, || receive_some(front)).await?;
        if bytes.is_empty() || line.len() + bytes.len() > SEAT_MAX {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.extend(bytes);
        descriptors.extend(came);
        if descriptors.len() > DESCRIPTORS {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    let seat = serde_json::from_slice(&line)?;
    let count = |given: Vec<OwnedFd>| io::Error::other(format!("{} descriptors were given", given.len()));
    Ok((seat, descriptors.try_into().map_err(count)?))
}

fn receive_some(front: &UnixStream) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let mut bytes = vec![0; SEAT_MAX];
    let received = recvmsg(front, &mut [IoSliceMut::new(&mut bytes)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    bytes.truncate(received.bytes);
    let came = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok((bytes, came.flatten().collect()))
}
