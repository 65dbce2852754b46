//! `POST /exec`: one command, answered as JSON or as a stream of events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures::Stream;
use runtime::error::Code;
use runtime::sink::{Discard, Live, Sink};
use runtime::topic::{Kind, Topic};
use runtime::{Reply, Request};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use wire::{Done, ErrorBody, ExecReply, ExecRequest, Head, Meta, ServerSentEvent, TopicType, event};

use super::App;
use super::running::Begun;
use super::speaker::Speaker;
use crate::failure::Failure;
use crate::json::{JsonBody, json_event};
use crate::peer::Peer;

/// How many pieces of live output wait for a slow reader before further ones are left out.
const LIVE_MAX: usize = 256;

type Running = Pin<Box<dyn Future<Output = Reply> + Send>>;

#[utoipa::path(
    post,
    path = "/exec",
    request_body = ExecRequest,
    params(Speaker),
    responses(
        (status = 200, description = "The reply. As `text/event-stream`: head, output*, progress*, content, done. \
            With `Accept: application/json`: one object. A command that fails is a 200 with `ok: false`.",
            content((ExecReply = "application/json"), (ServerSentEvent = "text/event-stream"))),
        (status = 429, description = "too many commands wait for this topic", body = ErrorBody),
        (status = 504, description = "the topic was busy for too long", body = ErrorBody),
    )
)]
pub async fn exec(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<ExecRequest>,
) -> Result<Response, Failure> {
    let request_id = body.request_id.clone();
    let request = Request {
        agent: super::agent(&headers),
        topic: body.topic,
        payload: body.cmd,
        cwd: body.cwd.map(PathBuf::from).filter(|path| path.is_absolute()),
        task: body.task,
        origin: peer.origin(),
    };
    let begun = app.running.begin(&request.agent, request_id.as_deref());
    if wants_json(&headers) {
        let reply = app.runtime.exec_until(request, Arc::new(Discard), begun.cancel.clone()).await;
        check_queue(&reply)?;
        return Ok(Json(to_json(reply, request_id)).into_response());
    }
    stream(&app, request, request_id, begun).await
}

pub fn topic_type(kind: Kind) -> TopicType {
    match kind {
        Kind::Tab => TopicType::Tab,
        Kind::App => TopicType::App,
        Kind::Bash => TopicType::Bash,
        Kind::Hub => TopicType::Hub,
    }
}

fn wants_json(headers: &HeaderMap) -> bool {
    let accepts = |kind| {
        headers
            .get_all(header::ACCEPT)
            .iter()
            .any(|value| value.to_str().is_ok_and(|text| text.to_ascii_lowercase().contains(kind)))
    };
    accepts("application/json") && !accepts("text/event-stream")
}

/// A queue that took no more is a matter of HTTP too, so that any client backs off. If some of the commands
/// have run, the reply stays a reply: to send them all again would be wrong.
fn check_queue(reply: &Reply) -> Result<(), Failure> {
    match &reply.turned_away {
        Some(error) if matches!(error.code, Code::QueueFull | Code::QueueTimeout) => {
            Err(error.clone().into())
        }
        _ => Ok(()),
    }
}

/// Waits until there is something to say, which decides between a stream and an error.
async fn stream(
    app: &App,
    request: Request,
    request_id: Option<String>,
    begun: Begun,
) -> Result<Response, Failure> {
    let asked = Topic::parse(&request.topic).ok();
    let (sender, mut live) = mpsc::channel(LIVE_MAX);
    let runtime = Arc::clone(&app.runtime);
    // In a task of its own, which ends with this reply: the command does not stand still when its reader does.
    let mut task = JoinSet::new();
    task.spawn(
        async move { runtime.exec_until(request, Arc::new(Channel(sender)), begun.cancel.clone()).await },
    );
    let mut running: Running = Box::pin(async move {
        let ended = task.join_next().await.expect("the set has one task");
        ended.unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()))
    });
    let events = tokio::select! {
        biased;
        Some(first) = live.recv() => {
            let head = json_event(event::HEAD, &to_head(request_id, None, asked.as_ref()));
            Events { ready: VecDeque::from([head, first]), rest: Some((running, live)) }
        }
        reply = &mut running => {
            check_queue(&reply)?;
            let head = to_head(request_id, Some(&reply), reply.topic.as_ref());
            let head = json_event(event::HEAD, &head);
            Events { ready: [head].into_iter().chain(end(&reply)).collect(), rest: None }
        }
    };
    Ok(Sse::new(events.into_stream()).keep_alive(KeepAlive::default()).into_response())
}

/// Events that are ready, and where more come from.
struct Events {
    ready: VecDeque<Event>,
    rest: Option<(Running, mpsc::Receiver<Event>)>,
}

impl Events {
    fn into_stream(self) -> impl Stream<Item = Result<Event, Infallible>> {
        futures::stream::unfold(self, async |mut events| {
            let next = events.next().await?;
            Some((Ok(next), events))
        })
    }

    async fn next(&mut self) -> Option<Event> {
        if let Some(event) = self.ready.pop_front() {
            return Some(event);
        }
        let (running, live) = self.rest.as_mut()?;
        let reply = tokio::select! {
            biased;
            Some(event) = live.recv() => return Some(event),
            reply = running => reply,
        };
        // What the command showed last may still lie in the channel.
        while let Ok(event) = live.try_recv() {
            self.ready.push_back(event);
        }
        self.rest = None;
        self.ready.extend(end(&reply));
        self.ready.pop_front()
    }
}

/// Live output as events. A reader too slow to take them misses some; the content has everything.
struct Channel(mpsc::Sender<Event>);

impl Sink for Channel {
    fn send(&self, live: Live<'_>) {
        let event = match live {
            Live::Output(text) => json_event(event::OUTPUT, &text),
            Live::Progress(text) => json_event(event::PROGRESS, &text),
        };
        let _ = self.0.try_send(event);
    }
}

/// What every stream ends with.
fn end(reply: &Reply) -> [Event; 2] {
    [json_event(event::CONTENT, &reply.content), json_event(event::DONE, &to_done(reply))]
}

/// What every stream begins with; the outcome only if it is known by then.
fn to_head(request_id: Option<String>, reply: Option<&Reply>, topic: Option<&Topic>) -> Head {
    let done = reply.map(to_done);
    Head {
        ok: done.as_ref().map(|done| done.ok),
        code: done.as_ref().and_then(|done| done.code.clone()),
        topic: shown(topic),
        topic_type: kind_of(topic),
        meta: done.map(|done| done.meta).unwrap_or_default(),
        request_id,
    }
}

fn to_json(reply: Reply, request_id: Option<String>) -> ExecReply {
    let Done { ok, code, topic, topic_type, meta } = to_done(&reply);
    ExecReply { ok, code, topic, topic_type, meta, request_id, content: reply.content }
}

fn to_done(reply: &Reply) -> Done {
    Done {
        ok: reply.ok(),
        code: reply.code.map(|code| code.as_str().to_owned()),
        topic: shown(reply.topic.as_ref()),
        topic_type: kind_of(reply.topic.as_ref()),
        meta: Meta {
            uri: reply.meta.uri.clone(),
            title: reply.meta.title.clone(),
            current_block: reply.meta.current_block.clone(),
            warnings: reply.meta.warnings.clone(),
        },
    }
}

fn shown(topic: Option<&Topic>) -> String {
    topic.map(ToString::to_string).unwrap_or_default()
}

fn kind_of(topic: Option<&Topic>) -> Option<TopicType> {
    topic.map(|topic| topic_type(topic.kind()))
}
