//! What came back.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use url::Url;

use crate::client::redirect;
use crate::error::Shown;
use crate::page::blocked::{self, Besides};
use crate::{Error, Validators};

/// An answer, decompressed, with its body read.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Where the last redirect led, without credentials.
    pub url: Url,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Whether the body is only the first part of what the server had.
    pub cut: Cut,
    /// From the request to the end of the body.
    pub elapsed: Duration,
    /// The address that answered.
    pub peer: SocketAddr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Whole,
    /// After so many bytes.
    At(usize),
}

impl Answer {
    pub fn validators(&self) -> Validators {
        Validators::of(&self.headers)
    }

    /// `Content-Type` as it was sent.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get(header::CONTENT_TYPE)?.to_str().ok()
    }

    /// Whether it sends the caller elsewhere.
    pub fn is_redirect(&self) -> bool {
        redirect::is_redirect(self.status) && self.headers.contains_key(header::LOCATION)
    }

    /// The answer if its status is a success or "not modified", else what the status means.
    pub fn success(self) -> Result<Answer, Error> {
        if self.status.is_success() || self.not_modified() {
            return Ok(self);
        }
        let (status, url) = (self.status, Shown::from(&self.url));
        Err(match status {
            StatusCode::NOT_FOUND => Error::NotFound { status, url },
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Error::Auth { status, url, blocked: blocked::by(&self.body, Besides::Nothing) }
            }
            _ => Error::Status { status, url, blocked: blocked::by(&self.body, Besides::Nothing) },
        })
    }
}
