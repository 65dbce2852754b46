//! Where a document is: its source and, within it, a block.

use std::path::{Path, PathBuf};

use url::Url;

use super::Reading;
use crate::agent::{Workspace, workspace};
use crate::edit::Number;
use crate::error::one_line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub source: Source,
    pub block: Option<String>,
}

/// A document that was left, as `/back` opens it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    pub location: Location,
    pub reading: Reading,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    File(PathBuf),
    /// A directory without an index: its listing is the document.
    Directory(PathBuf),
    /// A file as it was when a version of it was kept.
    Version {
        file: PathBuf,
        number: Number,
    },
    Web(Url),
}

/// Why a link cannot be followed from where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    #[error("a page from the web cannot name local files")]
    FileFromWeb,
    #[error("only http and https addresses can be opened")]
    Scheme,
    #[error("the address is malformed")]
    Malformed,
}

impl Location {
    /// As replies show it: `~/report.md#summary`.
    pub fn display(&self, workspace: &Workspace) -> String {
        let source = self.source.display(workspace);
        match &self.block {
            Some(block) => format!("{source}#{block}"),
            None => source,
        }
    }
}

impl Source {
    pub fn display(&self, workspace: &Workspace) -> String {
        match self {
            Self::File(path) => workspace.display(path),
            Self::Directory(path) => display_directory(path, workspace),
            Self::Version { file, number } => format!("{}@{number}", workspace.display(file)),
            Self::Web(url) => url.to_string(),
        }
    }

    /// As something that is no document is named: a file by its name alone.
    pub fn name(&self, workspace: &Workspace) -> String {
        let name = match self {
            Self::File(path) => path.file_name(),
            Self::Directory(_) | Self::Version { .. } | Self::Web(_) => None,
        };
        name.map_or_else(|| self.display(workspace), |name| one_line(&name.to_string_lossy()))
    }

    /// The source that a parser's origin came from. A version is found again by its name, as links to it are.
    pub fn from_origin(origin: &sfmd::Origin) -> Self {
        match web_address(origin.as_str()) {
            Some(Ok(url)) => Self::Web(url),
            _ => Self::File(origin.as_str().into()),
        }
    }

    /// The directory that relative paths start from, if there is one on this machine.
    pub fn directory(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Version { file: path, .. } => path.parent(),
            Self::Directory(path) => Some(path),
            Self::Web(_) => None,
        }
    }

    /// The file name without its extension: what an include without a path is named after.
    pub fn stem(&self) -> &str {
        let name = match self {
            Self::File(path) | Self::Directory(path) | Self::Version { file: path, .. } => {
                path.file_name().and_then(|name| name.to_str())
            }
            Self::Web(url) => url.path_segments().and_then(|mut segments| segments.next_back()),
        };
        let name = name.unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// What a link in this document means. The fragment is not part of it. A file is meant as the link is written, if
    /// there is one of that name, else with percent-encoding undone.
    pub fn join(&self, href: &str, workspace: &Workspace) -> Result<Self, Unreachable> {
        if let Self::Web(base) = self {
            let url = base.join(href).map_err(|_| Unreachable::Malformed)?;
            return match url.scheme() {
                "http" | "https" => Ok(Self::Web(url)),
                "file" => Err(Unreachable::FileFromWeb),
                _ => Err(Unreachable::Scheme),
            };
        }
        if let Some(url) = web_address(href) {
            return url.map(Self::Web);
        }
        let file = |href: &str| {
            workspace::normalize(&match href.strip_prefix("~/") {
                Some(rest) => workspace.home().join(rest),
                None => self.directory().unwrap_or(workspace.home()).join(href),
            })
        };
        let literal = file(href);
        Ok(Self::File(match percent_decoded(href) {
            Some(decoded) if workspace.find(&literal).is_err() => file(&decoded),
            _ => literal,
        }))
    }
}

/// The address, if the text is one: it starts with a scheme. A Windows drive or a name with a colon does not.
pub fn web_address(text: &str) -> Option<Result<Url, Unreachable>> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme =
        scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    if !is_scheme || !(rest.starts_with("//") || matches!(scheme, "data" | "javascript" | "mailto" | "file"))
    {
        return None;
    }
    let mut url = match Url::parse(text) {
        Ok(url) => url,
        Err(_) => return Some(Err(Unreachable::Malformed)),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Some(Err(Unreachable::Scheme));
    }
    url.set_fragment(None);
    Some(Ok(url))
}

/// The text with `%20` and the like undone; none if there is nothing to undo or it is no text.
pub fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok().filter(|decoded| decoded != text)
}

/// A directory with its final slash: `~/docs/`. The top of a package has no name.
pub fn display_directory(path: &Path, workspace: &Workspace) -> String {
    let shown = workspace.display(path);
    match shown.as_str() {
        "" => "./".to_owned(),
        shown if shown.ends_with('/') => shown.to_owned(),
        shown => format!("{shown}/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Workspace {
        Workspace::new("/home/u".into(), vec![], "/home/u/.string".into())
    }

    #[test]
    fn links_are_relative_to_their_document() {
        let file = Source::File("/home/u/docs/a.md".into());
        let web = Source::Web("https://x.org/docs/a.md?q=1".parse().unwrap());
        let table: &[(&Source, &str, Result<&str, Unreachable>)] = &[
            (&file, "./b.md", Ok("~/docs/b.md")),
            (&file, "../b.md", Ok("~/b.md")),
            (&file, "b c.md", Ok("~/docs/b c.md")),
            (&file, "my%20dir/b%23c.md", Ok("~/docs/my dir/b#c.md")),
            (&file, "%2e%2e/b.md", Ok("~/b.md")),
            (&file, "100%.md", Ok("~/docs/100%.md")),
            (&file, "~/b.md", Ok("~/b.md")),
            (&file, "/etc/x", Ok("/etc/x")),
            (&file, "https://y.org/z#f", Ok("https://y.org/z")),
            (&file, "javascript:alert(1)", Err(Unreachable::Scheme)),
            (&file, "http://[bad", Err(Unreachable::Malformed)),
            (&web, "./b.md", Ok("https://x.org/docs/b.md")),
            (&web, "/b", Ok("https://x.org/b")),
            (&web, "//y.org/b", Ok("https://y.org/b")),
            (&web, "file:///etc/passwd", Err(Unreachable::FileFromWeb)),
            (&web, "data:text/plain,x", Err(Unreachable::Scheme)),
        ];
        for (base, href, expected) in table {
            let joined = base.join(href, &workspace()).map(|source| source.display(&workspace()));
            assert_eq!(joined.as_deref().map_err(|error| *error), *expected, "{href}");
        }
    }

    #[test]
    fn only_real_addresses_are_addresses() {
        for text in ["app:x", "C:\\x", "report.md", "a:b", "notes 10:30.md", "x"] {
            assert!(web_address(text).is_none(), "{text}");
        }
        for text in ["file:///etc/passwd", "ftp://x", "data:,x", "javascript:x"] {
            assert_eq!(web_address(text), Some(Err(Unreachable::Scheme)), "{text}");
        }
    }
}
