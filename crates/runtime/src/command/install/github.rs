//! Gathering from GitHub: one commit of a repository, its list of files, and then the files.

use std::pin::pin;

use futures::stream::{self, StreamExt};
use url::Url;
use web::{Answer, Method, Request, StatusCode};

use super::super::Context;
use super::gather::Gathered;
use crate::document::{Library, succeeded};
use crate::error::{Code, Error, Result, quoted};
use crate::package::{Files, GitHub, GitHubHosts, Listed};
use crate::sink::Live;

/// Asks for the id of a commit alone instead of all that is known about it.
const COMMIT_ID: &str = "application/vnd.github.sha";
/// Files that are on their way at the same moment, as browsers have it for one host.
const AT_ONCE: usize = 6;

pub async fn gather(repository: &GitHub, library: Library<'_>, context: &Context<'_>) -> Result<Gathered> {
    let hosts = &context.runtime.github;
    // A branch that moves while its files are fetched would give a package of two halves: a commit never moves.
    let request = Request::call(Method::GET, repository.commit_url(hosts)?).header("Accept", COMMIT_ID);
    let request = request.map_err(|error| Error::new(Code::LoadError, format!("{error}.")))?;
    let answer = library.web.ask(request).await.map_err(|error| error.hint(repository.by_clone()))?;
    let commit = accepted(answer, repository, context)?;
    let commit = text(&commit).trim();
    if commit.is_empty() || !commit.chars().all(|c| c.is_ascii_hexdigit()) {
        let message = format!("GitHub answered with no commit: {}", quoted(commit));
        return Err(Error::new(Code::LoadError, message)
            .hint("Try again later.")
            .hint(repository.by_clone()));
    }
    let request = Request::call(Method::GET, repository.tree_url(hosts, commit)?);
    let list = accepted(library.web.ask(request).await?, repository, context)?;
    let listed = repository.files(text(&list))?;
    let mut fetches = Vec::new();
    for file in &listed {
        let url = repository.raw_url(hosts, commit, &file.path)?;
        fetches.push(async move { fetch(file, &url, library).await });
    }
    let mut fetched = pin!(stream::iter(fetches).buffered(AT_ONCE));
    let mut files = Files::default();
    for (number, file) in listed.iter().enumerate() {
        let Some(content) = fetched.next().await else { break };
        let content = content.map_err(|error| {
            error
                .hint("Nothing was installed; what was there is still there.")
                .hint(format!("Try again: /install {repository}"))
        })?;
        files.add(file.place.clone(), content, file.runnable)?;
        context.sink.send(Live::Progress(&format!("{} of {} files", number + 1, listed.len())));
    }
    let stem = repository.stem().to_owned();
    Ok(Gathered { files, stem, commit: Some(commit.to_owned()), ..Gathered::default() })
}

/// A file in its full length.
async fn fetch(file: &Listed, url: &Url, library: Library<'_>) -> Result<Vec<u8>> {
    let content = library.web.file(url, file.bytes).await?;
    if content.len() as u64 == file.bytes {
        return Ok(content);
    }
    let message = format!("{} came with {} of {} bytes.", file.path, content.len(), file.bytes);
    Err(Error::new(Code::LoadError, message))
}

/// A repository is copied at a commit; only its entry page alone can be fetched anew on each open.
pub fn not_linked(repository: &GitHub, hosts: &GitHubHosts) -> Error {
    let page = repository.entry_url(hosts).map(|url| format!("Link its page: /install --link {url}"));
    Error::new(Code::InvalidParams, "A repository is copied, not linked.")
        .hint(format!("Copy it: /install {repository}"))
        .hints(page.ok())
}

fn text(answer: &Answer) -> &str {
    std::str::from_utf8(&answer.body).unwrap_or_default()
}

/// The answer of the API, if it is a success.
fn accepted(answer: Answer, repository: &GitHub, context: &Context<'_>) -> Result<Answer> {
    if let Some(wait) = Wait::of(&answer) {
        return Err(wait
            .error(context.runtime.now().as_millis() / 1000)
            .hint(format!("Then: /install {repository}"))
            .hint(repository.by_clone()));
    }
    let name = repository.repository();
    let default = || format!("Install its default branch: /install {}", repository.at_default());
    match (answer.status, repository.reference()) {
        (StatusCode::NOT_FOUND, reference) => {
            let part = reference.map(|reference| format!(", or no {reference} in it")).unwrap_or_default();
            let message = format!("GitHub shows no repository {name}{part}.");
            Err(Error::new(Code::NotFound, message)
                .hint(format!("Look for it: /open https://github.com/{name}"))
                .hint("A private one cannot be read from here.")
                .hint(repository.by_clone()))
        }
        (StatusCode::UNPROCESSABLE_ENTITY, Some(reference)) => {
            let message = format!("{name} has no branch, tag or commit {}.", quoted(reference));
            Err(Error::new(Code::NotFound, message)
                .hint(format!("Its tags: /open https://github.com/{name}/tags"))
                .hint(default()))
        }
        (StatusCode::CONFLICT, _) => Err(Error::new(Code::InvalidPackage, format!("{name} is empty."))
            .hint("A package is a folder with a string.md, or a .md page.")),
        _ => succeeded(answer).map_err(|error| error.hint(repository.by_clone())),
    }
}

/// GitHub answers no more requests for a while: it lets everyone without an account ask 60 times an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// In seconds since 1970.
    Until(i64),
    /// In seconds from now.
    For(i64),
    Unknown,
}

impl Wait {
    fn of(answer: &Answer) -> Option<Self> {
        let refused = matches!(answer.status, StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS);
        let number = |name: &str| answer.headers.get(name)?.to_str().ok()?.trim().parse::<i64>().ok();
        let used_up = number("x-ratelimit-remaining") == Some(0);
        match (number("retry-after"), number("x-ratelimit-reset")) {
            _ if !refused => None,
            (Some(seconds), _) => Some(Self::For(seconds)),
            (None, Some(time)) if used_up => Some(Self::Until(time)),
            _ if used_up || answer.status == StatusCode::TOO_MANY_REQUESTS => Some(Self::Unknown),
            _ => None,
        }
    }

    fn error(self, now: i64) -> Error {
        let until = match self {
            Self::Until(time) => Some(time),
            Self::For(seconds) => now.checked_add(seconds),
            Self::Unknown => None,
        };
        let until = until.and_then(|time| Some((time, jiff::Timestamp::from_second(time).ok()?)));
        let message = match until {
            Some((time, stamp)) => {
                let minutes = time.saturating_sub(now).max(0).saturating_add(59) / 60;
                let stamp = stamp.strftime("%Y-%m-%d %H:%M UTC");
                format!("GitHub answers no more requests from here until {stamp}, in {minutes} min.")
            }
            None => "GitHub answers no more requests from here for a while.".to_owned(),
        };
        Error::new(Code::LoadError, message)
            .hint("Without an account it answers 60 an hour; an installation takes 2.")
    }
}
