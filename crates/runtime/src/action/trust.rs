//! Trust: what a document may do, by where it came from.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use url::Url;

use crate::agent::settings;
use crate::document::Source;
use crate::error::{Code, Error, Result, quoted};
use crate::substitute::Mark;
use crate::variable::Scope;

/// Where a document came from, as far as trust goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// A file of this machine: its actions may run commands and use every variable.
    Local,
    /// A page from the web: it may call web addresses, and nothing else.
    Web { page: Url },
}

/// The section of the agent's `config.json`, and in it the hosts that each page's origin may send `$NAME`
/// values to.
const SECTION: &str = "net";
const HOSTS: &str = "secrets";
/// In the same section: private places that web documents may reach all the same.
const PLACES: &str = "allow";

impl Trust {
    pub fn of(source: &Source) -> Self {
        match source {
            Source::File(_) | Source::Directory(_) | Source::Version { .. } => Self::Local,
            Source::Web(url) => Self::Web { page: url.clone() },
        }
    }

    /// Refuses what only local documents may do.
    pub fn require_local(&self, what: &str) -> Result<()> {
        match self {
            Self::Local => Ok(()),
            Self::Web { page } => {
                let message = format!("A page from the web may not {what}: {}", origin(page));
                Err(Error::new(Code::NotAllowed, message)
                    .hint("Save it as a file and open that, if you trust what it does."))
            }
        }
    }

    /// The mark of everything that such a document makes.
    pub fn mark(&self) -> Mark {
        match self {
            Self::Local => Mark::default(),
            Self::Web { .. } => Mark::WEB,
        }
    }

    /// Refuses to a page from the web a file that its caller did not name.
    pub fn require_own_file(&self, path: &str) -> Result<()> {
        let refused = self.require_local("read files that the caller did not name");
        refused.map_err(|error| error.hint(format!("Or write its path in the call: {}", quoted(path))))
    }

    /// Refuses to send `$NAME` values to a host that nobody allowed for this page, or that a page from the web
    /// chose for a document of this machine.
    pub fn require_host(&self, url: &str, host_mark: Mark, config: &Path) -> Result<()> {
        let host = host_of(url);
        let page = match self {
            Self::Local if !host_mark.from_web => return Ok(()),
            Self::Local => {
                let message =
                    format!("A page from the web chose {host}, which would get variables of yours.");
                return Err(Error::new(Code::NotAllowed, message)
                    .hint("If it is meant, give the address yourself, in the call or with /set."));
            }
            Self::Web { page } => origin(page),
        };
        let settings = settings::read(config)?;
        let hosts = settings.get(SECTION).and_then(|net| net.get(HOSTS)).and_then(|hosts| hosts.get(&page));
        let is_allowed =
            |hosts: &Value| hosts.as_array().is_some_and(|all| all.contains(&host.clone().into()));
        if hosts.is_some_and(is_allowed) {
            return Ok(());
        }
        Err(Error::new(Code::NotAllowed, format!("{page} may not send variables of yours to {host}."))
            .hint("A person may allow it, in a terminal on this machine:")
            .hint(format!("string agent allow-host {page} {host}")))
    }
}

/// The places besides the internet that documents from the web may reach, by the agent's settings.
pub fn allowed_places(home: &Path) -> Result<Vec<web::Allow>> {
    let path = Scope::Global.file(home);
    let settings = settings::read(&path)?;
    let listed = settings.get(SECTION).and_then(|net| net.get(PLACES)).and_then(Value::as_array);
    let place = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        text.parse::<web::Allow>().map_err(|error| {
            Error::new(Code::LoadError, format!("{}: {SECTION}.{PLACES}: {error}", path.display()))
        })
    };
    listed.into_iter().flatten().map(place).collect()
}

/// Lets pages of an origin send `$NAME` values to a host. Only for a person: the caller checks.
pub async fn allow_host(config: PathBuf, page: &str, host: &str) -> Result<String> {
    let page =
        Url::parse(page).ok().filter(|url| matches!(url.scheme(), "http" | "https")).ok_or_else(|| {
            Error::new(Code::InvalidParams, "The page is an address such as https://docs.example.com.")
        })?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(is_host) {
        return Err(Error::new(Code::InvalidParams, "The host is a name such as api.example.com or h:8080."));
    }
    let page = origin(&page);
    let host = Value::from(host.to_ascii_lowercase());
    let shape = format!("{}: \"{SECTION}\" has another shape than expected", config.display());
    let shape = Error::new(Code::LoadError, shape).hint("The file was left as it is.");
    let allowed = page.clone();
    let update = settings::update(config, |settings| {
        let hosts = object(settings, SECTION).and_then(|net| object(net, HOSTS)).ok_or(shape.clone())?;
        let list = hosts.entry(allowed).or_insert_with(|| Value::Array(Vec::new()));
        let list = list.as_array_mut().ok_or(shape)?;
        if !list.contains(&host) {
            list.push(host);
        }
        Ok(())
    });
    update.await?;
    Ok(page)
}

fn object<'a>(map: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    map.entry(key).or_insert_with(|| Map::new().into()).as_object_mut()
}

fn origin(page: &Url) -> String {
    page.origin().ascii_serialization()
}

/// `host`, or `host:port` where the port is not the scheme's own.
fn host_of(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return url.to_owned() };
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_allowed_hosts_get_what_is_secret() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("config.json");
        let trust = |page: &str| Trust::of(&Source::Web(page.parse().unwrap()));
        let page = trust("https://Docs.example.com/a/b.md");
        let refused =
            page.require_host("https://api.example.com:8080/x?y", Mark::default(), &config).unwrap_err();
        assert_eq!(refused.code, Code::NotAllowed);
        let way_out = "string agent allow-host https://docs.example.com api.example.com:8080";
        assert_eq!(refused.hints.last().unwrap(), way_out);
        allow_host(config.clone(), "https://docs.example.com/", "API.example.com:8080").await.unwrap();
        allow_host(config.clone(), "https://docs.example.com", "api.example.com:8080").await.unwrap();
        page.require_host("https://api.example.com:8080/x", Mark::default(), &config).unwrap();
        assert!(page.require_host("https://api.example.com/x", Mark::default(), &config).is_err());
        assert!(
            trust("https://other.example.com")
                .require_host("https://api.example.com:8080", Mark::default(), &config)
                .is_err()
        );
        assert!(
            trust("http://docs.example.com")
                .require_host("https://api.example.com:8080", Mark::default(), &config)
                .is_err()
        );
        Trust::Local.require_host("https://anywhere.example", Mark::default(), &config).unwrap();
        assert!(Trust::Local.require_host("https://anywhere.example", Mark::WEB, &config).is_err());
        assert!(allow_host(config.clone(), "docs.example.com", "x").await.is_err());
        assert!(allow_host(config.clone(), "https://docs.example.com", "x/y").await.is_err());
    }
}
