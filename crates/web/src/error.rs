//! What can go wrong between a request and a page.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use http::StatusCode;
use url::Url;

use crate::policy::Refusal;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("bad address: {reason}")]
    BadUrl { reason: String },
    #[error("{scheme}: addresses cannot be fetched, only http and https")]
    BadScheme { scheme: String },
    #[error("header {name} cannot be sent: {reason}")]
    BadHeader { name: String, reason: &'static str },
    #[error("{host} ({address}) was refused: {reason}")]
    Refused { host: String, address: SocketAddr, reason: Refusal },
    #[error("{from} redirects to another host ({to}), and the body of the request may not go there")]
    BodyToOtherHost { from: Shown, to: String },
    #[error("{from} redirects to another host ({to}) with a value in the address that may not go there")]
    ValueToOtherHost { from: Shown, to: String },
    #[error("no address found for {host}")]
    Dns { host: String },
    #[error("cannot connect to {host}: {reason}")]
    Connect { host: String, reason: String },
    #[error("no secure connection to {host}: {reason}")]
    Tls { host: String, reason: String },
    #[error("{host} closed the connection in the middle of its answer: {reason}")]
    Broken { host: String, reason: String },
    #[error("no answer from {host} within {} s", after.as_secs_f32())]
    Timeout { host: String, after: Duration },
    #[error("more than {limit} redirects, the last one to {url}")]
    TooManyRedirects { url: Shown, limit: usize },
    #[error("{from} redirects to an address that cannot be read")]
    BadRedirect { from: Shown },
    #[error("{from} redirects to a {scheme}: address, and only http and https can be fetched")]
    RedirectScheme { from: Shown, scheme: String },
    #[error("the answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the answer cannot be decoded ({what})")]
    Decode { what: String },
    /// 404.
    #[error("HTTP {} from {url}", status.as_u16())]
    NotFound { status: StatusCode, url: Shown },
    /// 401 and 403.
    #[error("HTTP {} from {url}{}", status.as_u16(), Aside(*blocked))]
    Auth { status: StatusCode, url: Shown, blocked: Option<&'static str> },
    /// Any other status that is no success.
    #[error("HTTP {} from {url}{}", status.as_u16(), Aside(*blocked))]
    Status { status: StatusCode, url: Shown, blocked: Option<&'static str> },
}

/// An address as it may be shown: query, fragment and credentials can hold secrets and are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(String);

impl From<&Url> for Shown {
    fn from(url: &Url) -> Shown {
        Shown(format!("{}://{}{}", url.scheme(), host_and_port(url), url.path()))
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `host`, or `host:port` where the port is not the scheme's own.
pub(crate) fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

struct Aside(Option<&'static str>);

impl fmt::Display for Aside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |text| write!(f, " (blocked: {text})"))
    }
}
