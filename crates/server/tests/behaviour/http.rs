//! HTTP by hand, since no client library sends what an attacker sends.

use std::time::Duration;

use serde_json::Value;
use server::Limits;
use testkit::{Daemon, DaemonOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request over TCP that would be let in, until a test spoils it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// One operation of the daemon.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Route {
    pub(crate) method: String,
    pub(crate) path: String,
}

impl Call {
    pub(crate) fn new(daemon: &Daemon, method: &str, target: &str) -> Self {
        let headers = [
            ("Host", format!("127.0.0.1:{}", daemon.port)),
            ("Authorization", format!("Bearer {}", daemon.token)),
            ("Connection", "close".to_owned()),
        ];
        Self {
            method: method.into(),
            target: target.into(),
            headers: headers.map(|(name, value)| (name.to_owned(), value)).into(),
            body: String::new(),
        }
    }

    pub(crate) fn to(daemon: &Daemon, route: &Route) -> Self {
        Self::new(daemon, &route.method, &route.path)
    }

    /// `POST /exec` that asks for JSON.
    pub(crate) fn exec(daemon: &Daemon, topic: &str, cmd: &str) -> Self {
        let body = serde_json::json!({ "topic": topic, "cmd": cmd });
        Self::new(daemon, "POST", "/exec").with("Accept", "application/json").json(&body.to_string())
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(given, _)| given != name);
        self
    }

    pub(crate) fn set(self, name: &str, value: &str) -> Self {
        self.without(name).with(name, value)
    }

    pub(crate) fn json(self, body: &str) -> Self {
        self.body("application/json", body)
    }

    pub(crate) fn body(mut self, content_type: &str, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self.set("Content-Type", content_type)
    }

    /// The bytes of the request.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        text + "\r\n" + &self.body
    }

    pub(crate) async fn send(&self, daemon: &Daemon) -> Answer {
        let mut stream = connect(daemon).await;
        // A daemon that has heard enough may close before it has read everything.
        let _ = stream.write_all(self.text().as_bytes()).await;
        // What never ends is read up to its beginning.
        let endless = self.target.ends_with("/stream") || (self.method == "GET" && self.target == "/mcp");
        let end = if endless { End::Head } else { End::Close };
        read_until(&mut stream, end).await.unwrap_or_else(|| panic!("no answer to {self:?}"))
    }
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The code of an error in the one shape that errors have.
    pub(crate) fn code(&self) -> String {
        let json = self.json();
        let error = json["error"].as_object().unwrap_or_else(|| panic!("{self:?}"));
        assert!(error["message"].is_string() && error["hints"].is_array(), "{self:?}");
        error["code"].as_str().unwrap().to_owned()
    }

    /// Names and data of the events in a streamed answer.
    pub(crate) fn events(&self) -> Vec<(String, Value)> {
        let field = |frame: &str, name: &str| {
            frame.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim_start().to_owned())
        };
        self.body
            .split("\n\n")
            .filter_map(|frame| {
                let data = serde_json::from_str(&field(frame, "data:")?).unwrap();
                Some((field(frame, "event:")?, data))
            })
            .collect()
    }
}

/// Sends bytes and reads what comes back until the daemon closes; none if that was nothing.
pub(crate) async fn send(daemon: &Daemon, bytes: &[u8]) -> Option<Answer> {
    let mut stream = connect(daemon).await;
    // A daemon that has heard enough may close before it has read everything.
    let _ = stream.write_all(bytes).await;
    read(&mut stream).await
}

pub(crate) async fn connect(daemon: &Daemon) -> TcpStream {
    TcpStream::connect(("127.0.0.1", daemon.port)).await.unwrap()
}

pub(crate) async fn read(stream: &mut TcpStream) -> Option<Answer> {
    read_until(stream, End::Close).await
}

/// How far an answer is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Through its headers.
    Head,
    /// Until the daemon closes.
    Close,
}

async fn read_until(stream: &mut TcpStream, end: End) -> Option<Answer> {
    let mut bytes = Vec::new();
    let complete = |bytes: &[u8]| end == End::Head && bytes.windows(4).any(|four| four == b"\r\n\r\n");
    // The end may come as a reset, after the answer.
    while !complete(&bytes) && matches!(stream.read_buf(&mut bytes).await, Ok(count) if count > 0) {}
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers: Vec<_> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let chunked = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("transfer-encoding"));
    let body = if chunked { unchunked(body) } else { body.to_owned() };
    Some(Answer { status, headers, body })
}

/// Every operation in the OpenAPI document, and some that do not exist.
pub(crate) async fn every_route(daemon: &Daemon) -> Vec<Route> {
    let mut routes = documented_routes(daemon).await;
    let others = [
        ("GET", "/openapi.json"),
        ("GET", "/"),
        ("GET", "/nothing"),
        ("POST", "/exec/"),
        ("DELETE", "/exec"),
        ("PUT", "/nothing"),
        ("OPTIONS", "/exec"),
        ("HEAD", "/health"),
        ("TRACE", "/health"),
    ];
    routes.extend(others.map(|(method, path)| Route { method: method.into(), path: path.into() }));
    routes
}

pub(crate) async fn documented_routes(daemon: &Daemon) -> Vec<Route> {
    let document = Call::new(daemon, "GET", "/openapi.json").send(daemon).await.json();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, item)| {
        item.as_object().unwrap().keys().map(move |method| (method.to_uppercase(), path.clone()))
    });
    operations.map(|(method, path)| Route { method, path: path.replace(['{', '}'], "") }).collect()
}

/// A daemon with limits that tests can reach.
pub(crate) async fn limited(change: impl FnOnce(&mut Limits)) -> Daemon {
    let mut options = DaemonOptions::default();
    change(&mut options.limits);
    Daemon::start_with(options).await
}

/// Short enough to wait for.
pub(crate) const SOON: Duration = Duration::from_millis(50);

fn unchunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 || after.len() < size {
            break;
        }
        body.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    body
}
