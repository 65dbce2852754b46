//! The HTTP client: one per daemon, cheap to clone.
//!
//! It is written over hyper's connections, not over a ready client, because such clients pool connections by
//! host name: a connection opened for someone who may reach loopback would then serve someone who may not. Here
//! each hop resolves its host once, checks the addresses, and uses a connection to exactly one of those.

mod body;
mod connect;
mod pool;
pub(crate) mod redirect;
mod resolve;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::time::Instant;
use url::Url;

pub use body::{Arrived, Watch};
pub use resolve::{Resolve, Resolving, SystemResolver};
pub use tls::Trust;

use crate::error::{Shown, host_and_port};
use crate::limits::{CONNECTION_SETTLES, MAX_REDIRECTS};
use crate::policy::{Hop, network};
use crate::request::check_scheme;
use crate::{Answer, CookieJar, Cut, Error, Policy, Request};
use connect::{Connection, connect};
use pool::{Pool, Site};
use tls::Tls;

/// Sends requests. Clones share connections.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    user_agent: HeaderValue,
    resolver: Box<dyn Resolve>,
    tls: Tls,
    pool: Arc<Pool>,
}

/// The head of an answer, with the connection its body comes from.
struct Head {
    status: StatusCode,
    headers: HeaderMap,
    body: Incoming,
    connection: Connection,
    peer: SocketAddr,
}

impl Client {
    /// A client that calls itself `user_agent`.
    pub fn new(user_agent: &str) -> Result<Client, Error> {
        Client::with(user_agent, SystemResolver, Trust::System)
    }

    /// A client with a resolver and certificates of its own.
    pub fn with(user_agent: &str, resolver: impl Resolve, trust: Trust) -> Result<Client, Error> {
        let user_agent = HeaderValue::from_str(user_agent)
            .map_err(|_| Error::BadHeader { name: "User-Agent".to_owned(), reason: "not plain text" })?;
        let pool = Arc::new(Pool::default());
        let shared = Shared { user_agent, resolver: Box::new(resolver), tls: Tls::new(trust), pool };
        Ok(Client { shared: Arc::new(shared) })
    }

    /// Sends `request` and follows redirects; any status is an answer ([`Answer::success`] sorts them). Every hop
    /// is checked against `policy`. Dropping the future ends everything it started.
    pub async fn fetch(&self, request: Request, policy: &Policy, jar: &CookieJar) -> Result<Answer, Error> {
        self.fetch_watched(request, policy, jar, &|_| {}).await
    }

    /// The same, and tells `watch` how much of the body has come.
    pub async fn fetch_watched(
        &self,
        request: Request,
        policy: &Policy,
        jar: &CookieJar,
        watch: &Watch<'_>,
    ) -> Result<Answer, Error> {
        let host = host_and_port(&request.url);
        let after = request.timeout;
        let fetch = self.follow(request, policy, jar, watch);
        tokio::time::timeout(after, fetch).await.unwrap_or(Err(Error::Timeout { host, after }))
    }

    async fn follow(
        &self,
        mut request: Request,
        policy: &Policy,
        jar: &CookieJar,
        watch: &Watch<'_>,
    ) -> Result<Answer, Error> {
        let start = Instant::now();
        check_scheme(&request.url)?;
        take_credentials(&mut request)?;
        let mut hop = Hop::First;
        for _ in 0..=MAX_REDIRECTS {
            let mut head = self.send(&request, policy, hop, jar).await?;
            jar.store(&request.url, &head.headers);
            if let Some(next) = redirect::next(&request, head.status, &head.headers)? {
                hop = Hop::RedirectedFrom(network(head.peer.ip()));
                request = next;
                continue;
            }
            let host = host_and_port(&request.url);
            let (body, cut) = body::read(&mut head.headers, head.body, request.limit, &host, watch).await?;
            self.keep(&request.url, head.connection, cut).await;
            return Ok(Answer {
                url: request.url,
                status: head.status,
                headers: head.headers,
                body,
                cut,
                elapsed: start.elapsed(),
                peer: head.peer,
            });
        }
        Err(Error::TooManyRedirects { url: Shown::from(&request.url), limit: MAX_REDIRECTS })
    }

    /// One hop: resolve, check, connect or reuse, send.
    async fn send(
        &self,
        request: &Request,
        policy: &Policy,
        hop: Hop,
        jar: &CookieJar,
    ) -> Result<Head, Error> {
        let Shared { resolver, tls, pool, .. } = &*self.shared;
        let addresses = resolve::permitted(&request.url, resolver.as_ref(), policy, hop).await?;
        let broken = |reason: String| Error::Broken { host: host_and_port(&request.url), reason };
        let mut message = self.message(request, jar)?;
        let site = Site::of(&request.url);
        while let Some(mut connection) = pool.take(&site, &addresses) {
            match connection.sender.try_send_request(message).await {
                Ok(answer) => return Ok(Head::new(answer, connection)),
                // The server closed it while it was idle, and the request never left.
                Err(mut error) => match error.take_message() {
                    Some(unsent) => message = unsent,
                    None => return Err(broken(reason(&error.into_error()))),
                },
            }
        }
        let mut connection = connect(&request.url, &addresses, tls).await?;
        let answer = connection.sender.send_request(message).await;
        Ok(Head::new(answer.map_err(|error| broken(reason(&error)))?, connection))
    }

    fn message(&self, request: &Request, jar: &CookieJar) -> Result<http::Request<Full<Bytes>>, Error> {
        let bad = |error: http::Error| Error::BadUrl { reason: error.to_string() };
        let target = &request.url[url::Position::BeforePath..url::Position::AfterQuery];
        let mut message = http::Request::builder()
            .method(&request.method)
            .uri(target.parse::<Uri>().map_err(|error| bad(error.into()))?)
            .body(Full::new(request.body.clone().unwrap_or_default()))
            .map_err(bad)?;
        let headers = message.headers_mut();
        let host = HeaderValue::try_from(host_and_port(&request.url)).map_err(|error| bad(error.into()))?;
        headers.insert(header::HOST, host);
        headers.insert(header::ACCEPT, request.accept.clone());
        headers.insert(header::USER_AGENT, self.shared.user_agent.clone());
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(body::ACCEPT_ENCODING));
        if let Some(content_type) = request.content_type() {
            headers.insert(header::CONTENT_TYPE, content_type);
        }
        // Some servers refuse such a request while they do not know that nothing follows.
        let has_body = [Method::POST, Method::PUT, Method::PATCH].contains(&request.method);
        if has_body && request.body.as_ref().is_none_or(Bytes::is_empty) {
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        // `extend` replaces ours by the caller's, and keeps a name that the caller gave twice.
        headers.extend(request.declared.clone());
        if let Some(cookies) = jar.header(&request.url).filter(|_| !headers.contains_key(header::COOKIE)) {
            headers.insert(header::COOKIE, cookies);
        }
        Ok(message)
    }

    /// Gives the connection back once it has seen the end of the answer, unless part of it was not read.
    async fn keep(&self, url: &Url, mut connection: Connection, cut: Cut) {
        let is_done = cut == Cut::Whole
            && tokio::time::timeout(CONNECTION_SETTLES, connection.sender.ready())
                .await
                .is_ok_and(|ready| ready.is_ok());
        if is_done {
            self.shared.pool.put(Site::of(url), connection);
        }
    }
}

impl Head {
    fn new(answer: http::Response<Incoming>, connection: Connection) -> Head {
        let (parts, body) = answer.into_parts();
        Head { status: parts.status, headers: parts.headers, body, peer: connection.peer, connection }
    }
}

/// `user:password@` in an address becomes a declared header, as in browsers.
fn take_credentials(request: &mut Request) -> Result<(), Error> {
    use base64::Engine;
    let (user, password) =
        (decoded(request.url.username()), decoded(request.url.password().unwrap_or_default()));
    redirect::forget_credentials(&mut request.url);
    if user.is_empty() && password.is_empty() || request.declared.contains_key(header::AUTHORIZATION) {
        return Ok(());
    }
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    let mut value = HeaderValue::try_from(format!("Basic {pair}"))
        .map_err(|_| Error::BadUrl { reason: "credentials cannot be sent".to_owned() })?;
    value.set_sensitive(true);
    request.declared.insert(header::AUTHORIZATION, value);
    Ok(())
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// hyper's words, with the cause that it keeps apart.
fn reason(error: &hyper::Error) -> String {
    use std::error::Error;
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}
