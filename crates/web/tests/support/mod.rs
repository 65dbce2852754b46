//! A small web on loopback: servers that answer as told and remember what they were asked, and names for them.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses a part, and a failure here is a failed test"
)]

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::stream;
use http::{HeaderMap, Method, Response};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use web::{Client, Resolve, Resolving, Trust, Url, parse_url};

pub const AGENT: &str = "String/0.1.0 (+https://string.example)";

/// A request as the server saw it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: Method,
    /// Path and query.
    pub target: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// What to answer.
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Body,
}

enum Body {
    Bytes(Bytes),
    /// Never ends.
    Endless,
    /// Sends this and then nothing.
    Stalls(Bytes),
}

impl Reply {
    pub fn ok(body: impl Into<Bytes>) -> Reply {
        Reply::status(200, body)
    }

    pub fn status(status: u16, body: impl Into<Bytes>) -> Reply {
        Reply { status, headers: Vec::new(), body: Body::Bytes(body.into()) }
    }

    pub fn redirect(status: u16, location: impl Into<String>) -> Reply {
        Reply::status(status, "moved").with("Location", location)
    }

    pub fn endless() -> Reply {
        Reply { body: Body::Endless, ..Reply::ok("") }
    }

    pub fn stalls(start: impl Into<Bytes>) -> Reply {
        Reply { body: Body::Stalls(start.into()), ..Reply::ok("") }
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Reply {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    fn into_response(self) -> Response<BoxBody<Bytes, Infallible>> {
        let mut response = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            response = response.header(name, value);
        }
        let frame = |bytes| Ok(Frame::data(bytes));
        let body = match self.body {
            Body::Bytes(bytes) => Full::new(bytes).boxed(),
            Body::Endless => {
                let chunk = Bytes::from(vec![b'x'; 64 << 10]);
                StreamBody::new(stream::repeat_with(move || frame(chunk.clone()))).boxed()
            }
            Body::Stalls(start) => {
                let start = stream::iter([frame(start)]);
                StreamBody::new(futures::StreamExt::chain(start, stream::pending())).boxed()
            }
        };
        response.body(body).unwrap()
    }
}

/// Answers on loopback until dropped.
pub struct Server {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
    _task: JoinSet<()>,
}

impl Server {
    pub async fn start(respond: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Server {
        Server::on("127.0.0.1:0", respond).await
    }

    pub async fn on(address: &str, respond: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Server {
        Server::over(address, respond, |stream| async { Ok(stream) }).await
    }

    /// With something between TCP and HTTP.
    pub async fn over<S, F>(
        address: &str,
        respond: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
        accept: impl Fn(TcpStream) -> F + Send + Sync + 'static,
    ) -> Server
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        F: Future<Output = io::Result<S>> + Send,
    {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let (log, count, respond) = (seen.clone(), connections.clone(), Arc::new(respond));
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let Ok(stream) = accept(stream).await else { continue };
                let (log, respond) = (log.clone(), respond.clone());
                let service = service_fn(move |request| answer(request, log.clone(), respond.clone()));
                open.spawn(async move {
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        Server { address, seen, connections, _task: task }
    }

    /// Sends `bytes` to whoever connects, then closes.
    pub async fn raw(bytes: impl Into<Vec<u8>>) -> SocketAddr {
        let bytes = bytes.into();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.readable().await;
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
            }
        });
        address
    }

    pub fn url(&self, path: &str) -> Url {
        parse_url(&format!("http://{}{path}", self.address)).unwrap()
    }

    /// The same server under a name.
    pub fn url_at(&self, host: &str, path: &str) -> Url {
        parse_url(&format!("http://{host}:{}{path}", self.address.port())).unwrap()
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn last(&self) -> Seen {
        self.seen().pop().expect("the server was asked")
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn answer(
    request: http::Request<Incoming>,
    log: Arc<Mutex<Vec<Seen>>>,
    respond: Arc<impl Fn(&Seen) -> Reply>,
) -> Result<Response<BoxBody<Bytes, Infallible>>, hyper::Error> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let seen = Seen { method: parts.method, target: parts.uri.to_string(), headers: parts.headers, body };
    let reply = respond(&seen);
    log.lock().unwrap().push(seen);
    Ok(reply.into_response())
}

/// Names for tests: a fixed list of answers per name, one per call, the last one for good.
#[derive(Clone, Default)]
pub struct Names {
    answers: Arc<Mutex<HashMap<String, Vec<Vec<IpAddr>>>>>,
    calls: Arc<AtomicUsize>,
}

impl Names {
    pub fn new(names: &[(&str, &[&str])]) -> Names {
        let answer = |addresses: &str| addresses.split(' ').map(|address| address.parse().unwrap()).collect();
        let answers = names
            .iter()
            .map(|(name, answers)| ((*name).to_owned(), answers.iter().map(|one| answer(one)).collect()))
            .collect();
        Names { answers: Arc::new(Mutex::new(answers)), calls: Arc::default() }
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a> {
        Box::pin(async move {
            self.calls.fetch_add(1, Ordering::SeqCst);
            let mut names = self.answers.lock().unwrap();
            let answers = names.get_mut(host).ok_or(io::ErrorKind::NotFound)?;
            let addresses = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
            Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
        })
    }
}

pub fn client() -> Client {
    client_with(Names::default())
}

pub fn client_with(names: Names) -> Client {
    Client::with(AGENT, names, Trust::Only(Vec::new())).unwrap()
}
