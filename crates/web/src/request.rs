//! A request as the caller describes it, and the addresses it may name.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use url::Url;

use crate::limits::{MAX_BODY, MAX_URL, TIMEOUT};
use crate::{Answer, Error};

const ACCEPT_PAGE: HeaderValue = HeaderValue::from_static(
    "text/markdown, text/plain;q=0.9, text/html;q=0.8, application/json;q=0.7, */*;q=0.1",
);
const ACCEPT_ANY: HeaderValue = HeaderValue::from_static("application/json, text/plain;q=0.9, */*;q=0.5");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// One request. Headers declared with [`Request::header`] go to the host they were meant for and to no other.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) accept: HeaderValue,
    pub(crate) declared: HeaderMap,
    pub(crate) body: Option<Bytes>,
    /// What the body is where no `Content-Type` is declared.
    pub(crate) body_type: Option<HeaderValue>,
    /// Values that no address of another host may hold.
    pub(crate) confined: Vec<String>,
    pub(crate) redirects: Redirects,
    pub timeout: Duration,
    pub limit: Limit,
}

/// How much of a body is wanted, and what more than that means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub bytes: usize,
    pub beyond: Beyond,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// The rest is left out, and the answer says so.
    Cut,
    /// [`Error::TooLarge`].
    Fail,
}

/// What becomes of an answer that sends us elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redirects {
    Followed,
    /// It is the answer.
    Kept,
}

/// What a server gave to ask later whether a page changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    pub(crate) etag: Option<HeaderValue>,
    pub(crate) last_modified: Option<HeaderValue>,
}

impl Request {
    /// To read a page: GET, with everything [`page::render`](crate::page::render) can show accepted.
    pub fn page(url: Url) -> Request {
        Request {
            method: Method::GET,
            url,
            accept: ACCEPT_PAGE,
            declared: HeaderMap::new(),
            body: None,
            body_type: None,
            confined: Vec::new(),
            redirects: Redirects::Followed,
            timeout: TIMEOUT,
            limit: Limit { bytes: MAX_BODY, beyond: Beyond::Cut },
        }
    }

    /// To call an API.
    pub fn call(method: Method, url: Url) -> Request {
        let limit = Limit { bytes: MAX_BODY, beyond: Beyond::Fail };
        Request { method, accept: ACCEPT_ANY, limit, ..Request::page(url) }
    }

    /// Adds a header. A name given twice is sent twice.
    pub fn header(mut self, name: &str, value: &str) -> Result<Request, Error> {
        let bad = |reason| Error::BadHeader { name: name.escape_debug().take(80).collect(), reason };
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("not a header name"))?;
        if is_framing(&known) {
            return Err(bad("it belongs to the connection"));
        }
        let value = HeaderValue::from_bytes(value.as_bytes())
            .map_err(|_| bad("its value holds a line break or another control character"))?;
        self.declared.append(known, value);
        Ok(self)
    }

    /// Sends `body`, as JSON unless a `Content-Type` is declared.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Request {
        self.body_type = Some(JSON);
        self.bytes(body)
    }

    /// Sends `body` as what is declared, or as nothing in particular.
    #[must_use]
    pub fn bytes(mut self, body: impl Into<Bytes>) -> Request {
        self.body = Some(body.into());
        self
    }

    /// Refuses redirects that carry one of these values to another host.
    #[must_use]
    pub fn confining(self, values: Vec<String>) -> Request {
        Request { confined: values, ..self }
    }

    /// Takes an answer that sends us elsewhere as the answer.
    #[must_use]
    pub fn without_redirects(self) -> Request {
        Request { redirects: Redirects::Kept, ..self }
    }

    /// Asks only for a page newer than the one these came with: see [`Answer::not_modified`].
    #[must_use]
    pub fn if_changed(mut self, validators: &Validators) -> Request {
        let pairs = [
            (header::IF_NONE_MATCH, &validators.etag),
            (header::IF_MODIFIED_SINCE, &validators.last_modified),
        ];
        for (name, value) in pairs {
            if let Some(value) = value {
                self.declared.insert(name, value.clone());
            }
        }
        self
    }

    /// Content type of the body, where none was declared.
    pub(crate) fn content_type(&self) -> Option<HeaderValue> {
        let is_missing = self.body.is_some() && !self.declared.contains_key(header::CONTENT_TYPE);
        self.body_type.clone().filter(|_| is_missing)
    }
}

impl Validators {
    pub(crate) fn of(headers: &HeaderMap) -> Validators {
        let first = |name| headers.get(name).cloned();
        Validators { etag: first(header::ETAG), last_modified: first(header::LAST_MODIFIED) }
    }

    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

impl Answer {
    /// The server has nothing newer than the validators of the request said.
    pub fn not_modified(&self) -> bool {
        self.status == StatusCode::NOT_MODIFIED
    }
}

/// Reads an http or https address as browsers do.
pub fn parse_url(text: &str) -> Result<Url, Error> {
    if text.len() > MAX_URL {
        return Err(Error::BadUrl { reason: format!("longer than {MAX_URL} bytes") });
    }
    let url = Url::parse(text.trim()).map_err(|error| Error::BadUrl { reason: error.to_string() })?;
    check_scheme(&url)?;
    Ok(url)
}

pub(crate) fn check_scheme(url: &Url) -> Result<(), Error> {
    match url.scheme() {
        "http" | "https" => Ok(()),
        other => Err(Error::BadScheme { scheme: other.chars().take(40).collect() }),
    }
}

/// Headers that say how bytes travel: set by a caller, they could smuggle a second request.
fn is_framing(name: &HeaderName) -> bool {
    const FRAMING: [HeaderName; 7] = [
        header::HOST,
        header::CONNECTION,
        header::CONTENT_LENGTH,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
        header::TE,
        header::TRAILER,
    ];
    FRAMING.contains(name)
        || matches!(name.as_str(), "keep-alive" | "expect" | "accept-encoding")
        || name.as_str().starts_with("proxy-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_addresses_are_read() {
        for text in ["http://a.example/", "https://a.example", " http://127.1/ "] {
            assert!(parse_url(text).is_ok(), "{text}");
        }
        for text in
            ["file:///etc/passwd", "data:text/html,x", "javascript:alert(1)", "ftp://a/", "gopher://a/"]
        {
            assert!(matches!(parse_url(text), Err(Error::BadScheme { .. })), "{text}");
        }
        let long = format!("http://a.example/{}", "x".repeat(MAX_URL));
        for text in ["", "a.example", "http://", "http://a b/", "http://[::1", "//a.example/", &long] {
            assert!(matches!(parse_url(text), Err(Error::BadUrl { .. })), "{text:.40}");
        }
    }

    #[test]
    fn odd_spellings_of_an_address_are_that_address() {
        for (text, host) in [
            ("http://127.1/", "127.0.0.1"),
            ("http://127.0.1/", "127.0.0.1"),
            ("http://2130706433/", "127.0.0.1"),
            ("http://0x7f000001/", "127.0.0.1"),
            ("http://0x7f.0.0.1/", "127.0.0.1"),
            ("http://0177.0.0.1/", "127.0.0.1"),
            ("http://017700000001/", "127.0.0.1"),
            ("http://127.0.0.1./", "127.0.0.1"),
            ("http://127.1./", "127.0.0.1"),
            ("http://①②⑦.⓪.⓪.①/", "127.0.0.1"),
            ("http://%31%32%37.0.0.1/", "127.0.0.1"),
            ("http://0/", "0.0.0.0"),
            ("http://0xa9fea9fe/", "169.254.169.254"),
            ("http://[::ffff:7f00:1]/", "[::ffff:7f00:1]"),
            ("http://[0:0:0:0:0:0:0:1]/", "[::1]"),
            ("http:\\\\127.1\\x", "127.0.0.1"),
            ("http://a@127.1:80@127.0.0.2/", "127.0.0.2"),
        ] {
            assert_eq!(parse_url(text).unwrap().host_str(), Some(host), "{text}");
        }
    }

    #[test]
    fn headers_cannot_break_out_of_their_line() {
        let request = || Request::page(parse_url("http://a.example/").unwrap());
        for (name, value) in [
            ("X-A", "a\r\nX-B: c"),
            ("X-A", "a\nb"),
            ("X-A", "a\0"),
            ("X A", "a"),
            ("", "a"),
            ("X-A:", "a"),
            ("X\r\nB", "a"),
            ("Host", "other"),
            ("content-length", "3"),
            ("Transfer-Encoding", "chunked"),
            ("Proxy-Authorization", "x"),
        ] {
            let result = request().header(name, value);
            assert!(matches!(result, Err(Error::BadHeader { .. })), "{name:?}: {value:?}");
        }
        assert!(request().header("X-Name", "Łódź & # ü").is_ok());
    }
}
