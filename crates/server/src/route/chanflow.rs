//! `POST /chanflow`: any text with command blocks in, one reply block for each out.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use futures::{StreamExt, stream};
use runtime::error::{Code, Error};
use runtime::sink::Discard;
use runtime::topic::Topic;
use runtime::{Reply, Request, Runtime};
use serde::Deserialize;
use wire::ErrorBody;
use wire::chanflow::{Block, Payload, envelope, parse};

use super::App;
use super::speaker::Speaker;
use crate::failure::Failure;
use crate::json::TextBody;
use crate::peer::Peer;

/// More blocks than any model writes in one go.
const BLOCKS_MAX: usize = 1_000;
/// Topics that one text may keep busy at once.
const PARALLEL_MAX: usize = 64;

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The caller's working directory.
    cwd: Option<String>,
}

#[utoipa::path(
    post,
    path = "/chanflow",
    request_body(content = String, content_type = "text/plain"),
    params(Place, Speaker),
    responses(
        (status = 200, description = "one reply block per request block, in their order", body = String, content_type = "text/plain"),
        (status = 413, description = "too many blocks", body = ErrorBody),
    )
)]
pub async fn chanflow(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    place: Result<Query<Place>, QueryRejection>,
    headers: HeaderMap,
    TextBody(text): TextBody,
) -> Result<String, Failure> {
    let Query(place) = place?;
    let blocks = parse(&text);
    if blocks.len() > BLOCKS_MAX {
        let message = format!("{} blocks are too many; at most {BLOCKS_MAX} go in one text.", blocks.len());
        return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", message));
    }
    let request = Request {
        agent: super::agent(&headers),
        topic: String::new(),
        payload: String::new(),
        cwd: place.cwd.map(PathBuf::from).filter(|path| path.is_absolute()),
        task: None,
        origin: peer.origin(),
    };
    let lanes = lanes(blocks);
    let run = |lane| run_lane(Arc::clone(&app.runtime), request.clone(), lane);
    let mut replies: Vec<(usize, String)> =
        stream::iter(lanes).map(run).buffer_unordered(PARALLEL_MAX).flat_map(stream::iter).collect().await;
    replies.sort_unstable_by_key(|(number, _)| *number);
    Ok(replies.into_iter().map(|(_, reply)| reply + "\n").collect())
}

/// Blocks of one topic, each with its number in the text. Lanes run beside each other, blocks in one lane in order.
type Lane = Vec<(usize, Block)>;

fn lanes(blocks: Vec<Block>) -> Vec<Lane> {
    let mut by_topic: HashMap<Option<Topic>, usize> = HashMap::new();
    let mut lanes: Vec<Lane> = Vec::new();
    for (number, block) in blocks.into_iter().enumerate() {
        let lane = *by_topic.entry(Topic::parse(&block.topic).ok()).or_insert_with(|| {
            lanes.push(Lane::new());
            lanes.len() - 1
        });
        lanes[lane].push((number, block));
    }
    lanes
}

async fn run_lane(runtime: Arc<Runtime>, request: Request, lane: Lane) -> Vec<(usize, String)> {
    let mut replies = Vec::with_capacity(lane.len());
    for (number, Block { topic, payload }) in lane {
        let reply = match payload {
            Payload::Closed(payload) => {
                runtime.exec(Request { topic, payload, ..request.clone() }, Arc::new(Discard)).await
            }
            Payload::Unclosed => Reply::failed(Topic::parse(&topic).ok(), &unclosed()),
        };
        let topic = reply.topic.map(|topic| topic.to_string()).unwrap_or_default();
        replies.push((number, envelope(&topic, &reply.content)));
    }
    replies
}

fn unclosed() -> Error {
    Error::new(Code::InvalidParams, "This block is not closed, so it was not run.")
        // A tag in a reply would be escaped, and so be wrong as it is read.
        .hint("End every block with the tag that ends this reply. Inside a block, a tag needs a backslash after its <.")
}
