//! `GET /sessions/{topic}/terminal`: a person at the terminal of a live shell, over an upgraded connection.

use axum::Extension;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use runtime::bash::Attached;
use runtime::topic::Topic;
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;
use wire::ErrorBody;
use wire::terminal::{Decoder, Frame, PROTOCOL};

use super::speaker::Speaker;
use super::{App, upgrade};
use crate::failure::Failure;
use crate::peer::Peer;

/// The person's window.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Window {
    columns: u16,
    rows: u16,
}

#[utoipa::path(
    get,
    path = "/sessions/{topic}/terminal",
    params(
        ("topic" = String, Path, description = "the topic of a live shell, such as bash:dev"),
        Window,
        Speaker,
    ),
    responses(
        (status = 101, description = "The connection is a terminal from now on: frames both ways."),
        (status = 400, description = "a malformed topic, or the request does not ask for the upgrade", body = ErrorBody),
        (status = 403, description = "not a person, or not over the socket", body = ErrorBody),
        (status = 404, description = "no such agent, or no shell runs there", body = ErrorBody),
    )
)]
pub async fn attach(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    topic: Result<Path<String>, PathRejection>,
    window: Result<Query<Window>, QueryRejection>,
    headers: HeaderMap,
    mut request: Request,
) -> Result<Response, Failure> {
    let topic = Topic::parse(&topic?.0)?;
    let Query(Window { columns, rows }) = window?;
    let upgrade = upgrade::asked_for(PROTOCOL, &mut request)?;
    let agent = super::agent(&headers);
    let attached = app.runtime.attach(peer.origin(), &agent, topic, (columns, rows)).await?;
    let stop = app.runtime.stop.clone();
    tokio::spawn(async move {
        match upgrade.await {
            Ok(connection) => Terminal::new(connection, attached).run(&stop).await,
            Err(error) => tracing::debug!(%error, "a terminal was asked for and not taken"),
        }
    });
    upgrade::granted(PROTOCOL)
}

/// One person's connection.
struct Terminal {
    connection: TokioIo<Upgraded>,
    attached: Attached,
    decoder: Decoder,
}

impl Terminal {
    fn new(connection: Upgraded, attached: Attached) -> Self {
        Self { connection: TokioIo::new(connection), attached, decoder: Decoder::default() }
    }

    /// Until either side has had enough.
    async fn run(mut self, stop: &CancellationToken) {
        let mut buffer = vec![0; 4096];
        let why = loop {
            tokio::select! {
                output = self.attached.output() => match output {
                    Some(bytes) => if self.send(&Frame::Bytes(bytes)).await.is_err() { return },
                    None => break self.attached.end().await,
                },
                read = self.connection.read(&mut buffer) => match read {
                    Ok(count) if count > 0 => {
                        self.decoder.feed(&buffer[..count]);
                        if !self.hear().await {
                            return;
                        }
                    }
                    _ => return,
                },
                () = stop.cancelled() => break "The daemon stops.".to_owned(),
            }
        };
        // Whoever is gone need not be told.
        let _ = self.send(&Frame::End(why)).await;
        let _ = self.connection.shutdown().await;
    }

    /// Takes in what the person's side has sent; whether it made sense.
    async fn hear(&mut self) -> bool {
        loop {
            match self.decoder.take() {
                Ok(Some(Frame::Bytes(keys))) => self.attached.keys(keys).await,
                Ok(Some(Frame::Size { columns, rows })) => self.attached.resize(columns, rows).await,
                Ok(None) => return true,
                Ok(Some(Frame::End(_))) | Err(_) => return false,
            }
        }
    }

    async fn send(&mut self, frame: &Frame) -> std::io::Result<()> {
        self.connection.write_all(&frame.encode()).await?;
        self.connection.flush().await
    }
}
