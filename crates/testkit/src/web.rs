//! A fake web: pages by path, a record of what was asked, and answers that wait until they are released.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};

pub struct Web {
    port: u16,
    site: Arc<Site>,
    _stop: DropGuard,
}

/// What the server saw of a request.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
}

#[derive(Default)]
struct Site {
    pages: Mutex<HashMap<String, Page>>,
    seen: Mutex<Vec<Seen>>,
}

#[derive(Clone)]
struct Page {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
    gate: Option<Arc<Semaphore>>,
}

impl Web {
    pub async fn start() -> Self {
        let site = Arc::new(Site::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let stop = CancellationToken::new();
        let app = Router::new().fallback(answer).with_state(Arc::clone(&site));
        let stopped = stop.clone();
        tokio::spawn(async move {
            let serving =
                axum::serve(listener, app).with_graceful_shutdown(async move { stopped.cancelled().await });
            serving.await
        });
        Self { port, site, _stop: stop.drop_guard() }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Answers a path with 200.
    pub fn page(&self, path: &str, content_type: &str, body: impl Into<Bytes>) {
        self.answer(path, 200, &[("content-type", content_type)], body);
    }

    /// Answers a path in any way.
    pub fn answer(&self, path: &str, status: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) {
        self.put(path, status, headers, body.into(), None);
    }

    /// Answers a path only once per permit that is added to the gate.
    pub fn gated(&self, path: &str, content_type: &str, body: impl Into<Bytes>) -> Arc<Semaphore> {
        let gate = Arc::new(Semaphore::new(0));
        self.put(path, 200, &[("content-type", content_type)], body.into(), Some(Arc::clone(&gate)));
        gate
    }

    /// Every request so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.site.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put(
        &self,
        path: &str,
        status: u16,
        headers: &[(&str, &str)],
        body: Bytes,
        gate: Option<Arc<Semaphore>>,
    ) {
        let status = StatusCode::from_u16(status).expect("a valid status");
        let header = |(name, value): &(&str, &str)| {
            (name.parse().expect("a valid name"), value.parse().expect("a valid value"))
        };
        let page = Page { status, headers: headers.iter().map(header).collect(), body, gate };
        self.site.pages.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), page);
    }
}

async fn answer(State(site): State<Arc<Site>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let path = parts.uri.path().to_owned();
    let seen = Seen { method: parts.method.to_string(), uri: parts.uri, headers: parts.headers, body };
    site.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
    let page = site.pages.lock().unwrap_or_else(PoisonError::into_inner).get(&path).cloned();
    let Some(page) = page else { return (StatusCode::NOT_FOUND, "no such page").into_response() };
    if let Some(gate) = &page.gate {
        gate.acquire().await.expect("never closed").forget();
    }
    let mut response = (page.status, page.body).into_response();
    for (name, value) in page.headers {
        response.headers_mut().insert(name, value);
    }
    response
}
