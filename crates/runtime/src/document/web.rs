//! Pages from the web: fetched under a policy, and shown as Markdown.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::Instant;
use url::Url;
use web::html::Extent;
use web::limits::TIMEOUT;
use web::page::Kind;
use web::{Answer, Arrived, Beyond, Client, CookieJar, Cut, Limit, Policy, Request, Validators};

use super::load::{Content, Loaded, Text};
use super::{Reading, Source};
use crate::blocking;
use crate::error::{Code, Error, Result};
use crate::sink::{Live, Sink};

/// How much of a page must have come before it is said again: most pages are smaller.
const STEP: usize = 256 * 1024;

/// How a session reaches the web.
#[derive(Clone, Copy)]
pub struct Web<'a> {
    pub client: &'a Client,
    pub cookies: &'a CookieJar,
    /// The daemon's own port, which no page may reach.
    pub port: Option<u16>,
    pub asker: Asker<'a>,
    /// Values in the address that no redirect may take to another host.
    pub confined: &'a [String],
    /// Told how much of a large page has come.
    pub sink: &'a dyn Sink,
    /// When all that a page names must have come. None: each fetch has its own time.
    pub until: Option<Instant>,
}

/// Who names the address: that decides what it may be.
#[derive(Debug, Clone, Copy)]
pub enum Asker<'a> {
    /// A person or an agent, in a command, or a local document.
    Local,
    /// A page from the web, which may reach public places and where it came from itself.
    Page { url: &'a Url, from: SocketAddr },
    /// A page from the web that is no longer open.
    Left,
}

/// What a page from the web brought with it.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The text as it was sent.
    pub source: String,
    /// The address that answered.
    pub from: SocketAddr,
    pub validators: Validators,
    /// The part that a redirect led to.
    pub fragment: Option<String>,
    /// What addresses call the headings of a page of HTML, in their order.
    pub heading_ids: Option<Vec<Vec<String>>>,
}

impl Web<'_> {
    /// Fetches and converts a page. None: it has not changed since the validators were given out.
    pub async fn load(
        &self,
        url: &Url,
        reading: Reading,
        known: Option<&Validators>,
    ) -> Result<Option<Loaded>> {
        let mut request = Request::page(url.clone()).confining(self.confined.to_vec());
        if let Some(until) = self.until {
            request.timeout = until.saturating_duration_since(Instant::now());
        }
        let request = match known.filter(|known| !known.is_empty()) {
            Some(known) => request.if_changed(known),
            None => request,
        };
        let said = AtomicUsize::new(0);
        let watch = |arrived: Arrived| {
            if arrived.bytes >= said.load(Ordering::Relaxed) + STEP {
                said.store(arrived.bytes, Ordering::Relaxed);
                self.sink.send(Live::Progress(&progress(arrived)));
            }
        };
        let answer = self.client.fetch_watched(request, &self.policy(), self.cookies, &watch).await;
        let answer = answer.map_err(|error| self.not_fetched(&error)).and_then(succeeded);
        let answer = answer.map_err(|error| elsewhere(error, url))?;
        if answer.not_modified() {
            return Ok(None);
        }
        // A large page takes tens of milliseconds.
        Ok(Some(blocking::run(move || convert(&answer, reading)).await))
    }

    /// A file as it is, whatever it holds. One of more bytes than the limit fails.
    pub async fn file(&self, url: &Url, limit: u64) -> Result<Vec<u8>> {
        let mut request = Request::page(url.clone());
        let bytes = usize::try_from(limit).unwrap_or(usize::MAX);
        request.limit = Limit { bytes, beyond: Beyond::Fail };
        Ok(succeeded(self.ask(request).await?)?.body.to_vec())
    }

    /// Any answer, whatever its status.
    pub async fn ask(&self, request: Request) -> Result<Answer> {
        let answer = self.client.fetch(request, &self.policy(), self.cookies).await;
        answer.map_err(|error| failed(&error))
    }

    /// What was left of the time says nothing about a host that got no more of it.
    fn not_fetched(&self, error: &web::Error) -> Error {
        match error {
            web::Error::Timeout { host, .. } if self.until.is_some() => {
                let message = format!(
                    "{host} did not answer in time: a page and all that it names have {} s together.",
                    TIMEOUT.as_secs()
                );
                Error::new(Code::LoadError, message)
            }
            error => failed(error),
        }
    }

    fn policy(&self) -> Policy {
        let ports: Vec<u16> = self.port.into_iter().collect();
        match self.asker {
            Asker::Local => Policy::local(ports),
            Asker::Page { url, from } => Policy::web(ports).for_page(url.clone(), from),
            Asker::Left => Policy::web(ports),
        }
    }
}

fn convert(answer: &Answer, reading: Reading) -> Loaded {
    let extent = match reading {
        Reading::Main => Extent::Main,
        Reading::Whole => Extent::Whole,
    };
    let rendered = web::page::render(answer, extent);
    let heading_ids = match &rendered.kind {
        Kind::Html { heading_ids } => Some(heading_ids.clone()),
        _ => None,
    };
    let content = match rendered.kind {
        Kind::Binary { media_type, size, dimensions } => {
            let is_cut = answer.cut != Cut::Whole;
            Content::Binary { media_type: media_type.into(), bytes: size as u64, is_cut, dimensions }
        }
        // What its reader does not see is not shown to an agent either.
        Kind::Markdown => Content::Text(Text::Document(sfmd::without_comments(&rendered.markdown))),
        kind if kind.is_document() => Content::Text(Text::Document(rendered.markdown)),
        _ => Content::Text(Text::Plain(rendered.markdown)),
    };
    Loaded {
        source: Source::Web(without_fragment(&answer.url)),
        real: None,
        content,
        notes: rendered.notes,
        title: rendered.title,
        fetched: Some(Fetched {
            source: rendered.source,
            from: answer.peer,
            validators: answer.validators(),
            fragment: answer.url.fragment().map(str::to_owned),
            heading_ids,
        }),
    }
}

/// `512 of 2048 KB`, or `512 KB`.
fn progress(arrived: Arrived) -> String {
    let kilobytes = |bytes: usize| bytes.div_ceil(1024);
    match arrived.of {
        Some(all) => format!("{} of {} KB", kilobytes(arrived.bytes), kilobytes(all)),
        None => format!("{} KB", kilobytes(arrived.bytes)),
    }
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

/// A page that is not there may still be found from the front page of its site.
fn elsewhere(error: Error, url: &Url) -> Error {
    match error.code {
        Code::NotFound if url.path() != "/" => {
            let site = url.origin().ascii_serialization();
            error.hint(format!("The front page of the site: /open {site}/"))
        }
        _ => error,
    }
}

/// The answer, if its status says that it is one.
pub fn succeeded(answer: Answer) -> Result<Answer> {
    answer.success().map_err(|error| failed(&error))
}

fn failed(error: &web::Error) -> Error {
    let code = match error {
        web::Error::NotFound { .. } => Code::NotFound,
        web::Error::Auth { .. } => Code::AuthRequired,
        web::Error::Refused { .. } | web::Error::ValueToOtherHost { .. } => Code::NotAllowed,
        web::Error::BadUrl { .. } | web::Error::BadScheme { .. } => Code::InvalidParams,
        _ => Code::LoadError,
    };
    let hint = match error {
        web::Error::Dns { .. } => Some("Is the name right, and is there a network?"),
        web::Error::Auth { .. } => Some(
            "It wants to know who asks. An action can tell it: a header of its call, with a $NAME value.",
        ),
        web::Error::ValueToOtherHost { .. } => {
            Some("It is a value of a $NAME variable. If that host is meant to have it, open its address.")
        }
        web::Error::Refused { reason: web::Refusal::NotPublic(_), .. } => {
            Some("Only an address that a command or a local document names may lead there.")
        }
        _ => None,
    };
    Error::new(code, format!("{error}.")).hints(hint.map(str::to_owned))
}
