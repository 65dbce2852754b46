//! The daemon's routes as calls.

use std::os::fd::BorrowedFd;
use std::path::Path;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, CONNECTION, CONTENT_TYPE, HOST, HeaderValue, UPGRADE};
use hyper::upgrade::Upgraded;
use hyper::{Method, Request, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use wire::stdio::{DESCRIPTORS, Seat};
use wire::{
    Describe, ErrorBody, ExecReply, ExecRequest, Health, Offer, REQUEST_MAX, Shutdown, Typed, header,
};

use crate::connection::{Afterwards, Received, Socket};
use crate::terminal::{self, Keyboard, Screen};
use crate::{Activities, AgentId, Conversation, Error, Execution, stdio};

/// What the client says its version is; all crates of the workspace share it.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const TEXT: &str = "text/plain; charset=utf-8";

/// The daemon's socket, and who speaks. Cheap to clone; holds no connection.
#[derive(Debug, Clone)]
pub struct Client {
    socket: Socket,
    agent: Option<AgentId>,
    speaker: Speaker,
}

/// Who decides what is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    /// Whoever runs this program.
    Caller,
    /// An agent: what it sends never counts as a person's.
    Agent,
}

/// A whole reply, and which daemon gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub reply: ExecReply,
    pub daemon: Daemon,
}

/// How the daemon's version compares with the client's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Daemon {
    Current,
    /// Older, and too busy to make way: it ran the command.
    Outdated,
}

impl Client {
    /// Through the Unix socket. The path may be longer than the kernel's limit for socket addresses.
    pub fn unix(socket: impl AsRef<Path>) -> Self {
        Self { socket: Socket(socket.as_ref().to_owned()), agent: None, speaker: Speaker::Caller }
    }

    /// Speaks as this agent instead of `default`.
    pub fn agent(self, id: AgentId) -> Self {
        Self { agent: Some(id), ..self }
    }

    /// The agent that speaks.
    pub fn speaks_as(&self) -> &str {
        self.agent.as_ref().map_or("default", AgentId::as_str)
    }

    /// Passes on what an agent says, which never counts as a person's word.
    pub fn for_agent(self) -> Self {
        Self { speaker: Speaker::Agent, ..self }
    }

    /// Runs a command and waits for its whole reply.
    pub async fn exec(&self, request: &ExecRequest) -> Result<Answer, Error> {
        let received = self.send(Method::POST, "/exec", JSON, Body::json(request)?).await?;
        let daemon = Daemon::of(&received);
        Ok(Answer { reply: self.json(received).await?, daemon })
    }

    /// Runs a command and hands out its reply as it comes.
    pub async fn stream(&self, request: &ExecRequest) -> Result<Execution, Error> {
        let received = self.send(Method::POST, "/exec", EVENTS, Body::json(request)?).await?;
        let daemon = Daemon::of(&received);
        Ok(Execution::new(received, daemon))
    }

    /// Stops the command that was sent with this request id, and no other. One that has ended is no error.
    pub async fn cancel(&self, request_id: &str) -> Result<(), Error> {
        let path = format!("/exec/{request_id}");
        match self.send(Method::DELETE, &path, JSON, Body::empty()).await {
            Ok(_) | Err(Error::Refused { status: 404, .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Runs every block of a text, with paths from `cwd` on; the answer has one reply block for each.
    pub async fn chanflow(&self, text: impl Into<String>, cwd: Option<&str>) -> Result<String, Error> {
        let query = cwd.map(|cwd| format!("?cwd={}", utf8_percent_encode(cwd, NON_ALPHANUMERIC)));
        let path = format!("/chanflow{}", query.unwrap_or_default());
        let received = self.send(Method::POST, &path, TEXT, Body::text(text.into())).await?;
        Ok(String::from_utf8_lossy(&self.whole(received).await?).into_owned())
    }

    pub async fn health(&self) -> Result<Health, Error> {
        self.get("/health").await
    }

    pub async fn describe(&self) -> Result<Describe, Error> {
        self.get("/describe").await
    }

    /// What a command that is being typed may become.
    pub async fn complete(&self, typed: &Typed) -> Result<Offer, Error> {
        self.json(self.send(Method::POST, "/complete", JSON, Body::json(typed)?).await?).await
    }

    /// Asks the daemon to stop. It ends after its answer: wait for the process.
    pub async fn shutdown(&self) -> Result<Shutdown, Error> {
        self.json(self.send(Method::POST, "/shutdown", JSON, Body::empty()).await?).await
    }

    /// What happens in the daemon from now on.
    pub async fn activity(&self) -> Result<Activities, Error> {
        Ok(Activities::new(self.send(Method::GET, "/activity/stream", EVENTS, Body::empty()).await?))
    }

    /// Puts a person at the terminal of a live shell.
    pub async fn attach(&self, topic: &str, columns: u16, rows: u16) -> Result<(Screen, Keyboard), Error> {
        let path = format!("/sessions/{topic}/terminal?columns={columns}&rows={rows}");
        Ok(terminal::split(self.upgrade(&path, wire::terminal::PROTOCOL).await?))
    }

    /// Lets the daemon talk to an MCP client itself: its input, its output, and the record of their conversation.
    pub async fn converse(
        &self,
        seat: &Seat,
        descriptors: [BorrowedFd<'_>; DESCRIPTORS],
    ) -> Result<Conversation, Error> {
        let upgraded = self.upgrade("/mcp/stdio", wire::stdio::PROTOCOL).await?;
        stdio::give(upgraded, seat, descriptors).await
    }

    async fn upgrade(&self, path: &str, protocol: &'static str) -> Result<Upgraded, Error> {
        let mut request = self.request(Method::GET, path, JSON, Body::empty())?;
        request.headers_mut().insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        request.headers_mut().insert(UPGRADE, HeaderValue::from_static(protocol));
        let received = self.socket.send(request, Afterwards::Upgrade).await?;
        if received.response.status() != StatusCode::SWITCHING_PROTOCOLS {
            self.accepted(received).await?;
            return Err(Error::Incomplete);
        }
        // What moves the bytes hands the connection over, so it must live until then.
        let Received { response, connection: _connection } = received;
        Ok(hyper::upgrade::on(response).await?)
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        self.json(self.send(Method::GET, path, JSON, Body::empty()).await?).await
    }

    async fn send(&self, method: Method, path: &str, accept: &str, body: Body) -> Result<Received, Error> {
        let request = self.request(method, path, accept, body)?;
        self.accepted(self.socket.send(request, Afterwards::Close).await?).await
    }

    /// Lets good statuses through and turns the others into errors.
    async fn accepted(&self, received: Received) -> Result<Received, Error> {
        let status = received.response.status();
        if status == StatusCode::UPGRADE_REQUIRED {
            return Err(Error::Outdated);
        }
        if status.is_success() {
            return Ok(received);
        }
        let body = self.whole(received).await?;
        let error = match serde_json::from_slice::<ErrorBody>(&body) {
            Ok(body) => body.error,
            Err(_) => unexplained(status, &body),
        };
        Err(Error::Refused { status: status.as_u16(), error })
    }

    async fn json<T: DeserializeOwned>(&self, received: Received) -> Result<T, Error> {
        Ok(serde_json::from_slice(&self.whole(received).await?)?)
    }

    async fn whole(&self, received: Received) -> Result<Bytes, Error> {
        let Received { response, connection: _connection } = received;
        Ok(response.into_body().collect().await?.to_bytes())
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        accept: &str,
        body: Body,
    ) -> Result<Request<Full<Bytes>>, Error> {
        if body.bytes.len() > REQUEST_MAX {
            return Err(Error::TooLarge);
        }
        let mut request = Request::new(Full::new(body.bytes));
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().map_err(|_| Error::Name)?;
        let headers = request.headers_mut();
        let value = |text: &str| HeaderValue::from_str(text).map_err(|_| Error::Name);
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        headers.insert(ACCEPT, value(accept)?);
        headers.insert(header::CLIENT_VERSION, value(VERSION)?);
        if let Some(content_type) = body.content_type {
            headers.insert(CONTENT_TYPE, value(content_type)?);
        }
        if let Some(agent) = &self.agent {
            headers.insert(header::AGENT, value(agent.as_str())?);
        }
        if self.speaker == Speaker::Agent {
            headers.insert(header::FOR_AGENT, value("1")?);
        }
        Ok(request)
    }
}

impl Daemon {
    fn of(received: &Received) -> Self {
        match received.response.headers().contains_key(header::OUTDATED) {
            true => Self::Outdated,
            false => Self::Current,
        }
    }
}

struct Body {
    bytes: Bytes,
    content_type: Option<&'static str>,
}

impl Body {
    fn empty() -> Self {
        Self { bytes: Bytes::new(), content_type: None }
    }

    fn json(request: &impl serde::Serialize) -> Result<Self, Error> {
        Ok(Self { bytes: serde_json::to_vec(request)?.into(), content_type: Some(JSON) })
    }

    fn text(text: String) -> Self {
        Self { bytes: text.into(), content_type: Some(TEXT) }
    }
}

/// A layer below the daemon's own code refused: there is a status and perhaps a line of text.
fn unexplained(status: StatusCode, body: &[u8]) -> wire::Error {
    let text = String::from_utf8_lossy(body);
    let message = match text.lines().next().map(str::trim) {
        Some(line) if !line.is_empty() => format!("The daemon answered {status}: {line}"),
        _ => format!("The daemon answered {status}."),
    };
    wire::Error { code: "INTERNAL_ERROR".to_owned(), message, hints: Vec::new() }
}
