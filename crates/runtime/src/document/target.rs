//! What follows `/open`: which document, block or shortcut it means.

use std::path::{Path, PathBuf};

use url::Url;

use super::Source;
use super::location::{Unreachable, percent_decoded, web_address};
use super::quote::unquote;
use crate::agent::{Workspace, workspace};

/// A target, understood but not yet looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A block of the current document.
    Block(String),
    Path {
        candidates: Candidates,
        block: Option<String>,
    },
    Web {
        url: Url,
        block: Option<String>,
    },
    /// A name that the session resolves, without the `@`.
    Shortcut {
        id: String,
        block: Option<String>,
    },
}

/// The paths a text may mean, most literal first: as written, then with percent-encoding undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    pub literal: PathBuf,
    pub decoded: Option<PathBuf>,
    /// The same name beside the current document, for bare names that are missing at home.
    pub beside: Option<Beside>,
}

/// A file beside the current document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    pub path: PathBuf,
    /// The target that would open it.
    pub target: String,
}

/// Where relative targets start.
#[derive(Debug, Clone, Copy)]
pub struct Bases<'a> {
    pub workspace: &'a Workspace,
    /// The current document.
    pub page: Option<&'a Source>,
    /// The directory opened last, for when there is no document.
    pub directory: Option<&'a Path>,
    /// The caller's working directory.
    pub caller: Option<&'a Path>,
}

impl Target {
    pub fn parse(text: &str, bases: Bases<'_>) -> Result<Self, Unreachable> {
        let text = unquote(text);
        let (plain, block) = split_block(&text);
        Self::of(plain, block, bases)
    }

    /// A target whose block is known already.
    pub fn of(plain: &str, block: Option<String>, bases: Bases<'_>) -> Result<Self, Unreachable> {
        if let Some(id) = plain.strip_prefix('@') {
            return Ok(Self::Shortcut { id: id.to_owned(), block });
        }
        if let Some(url) = web_address(plain) {
            return Ok(Self::Web { url: url?, block });
        }
        if let (Some(Source::Web(base)), true) = (bases.page, is_site_relative(plain)) {
            let url = base.join(plain).map_err(|_| Unreachable::Malformed)?;
            return Ok(Self::Web { url, block });
        }
        Ok(match (plain, block) {
            ("", Some(block)) => Self::Block(block),
            (path, block) => Self::Path { candidates: bases.candidates(path), block },
        })
    }
}

impl Bases<'_> {
    /// For commands that know no web: relative targets start where commands run, also while a page from the web is
    /// open.
    pub fn on_this_machine(self) -> Self {
        match self.page {
            Some(Source::Web(_)) => Self { page: None, caller: None, ..self },
            _ => self,
        }
    }

    /// The directory that `./` starts from while a document or a directory is open.
    fn here(&self) -> Option<&Path> {
        self.page.and_then(Source::directory).or(self.directory)
    }

    fn candidates(&self, text: &str) -> Candidates {
        let literal = self.resolve(text);
        let decoded = percent_decoded(text).map(|text| self.resolve(&text));
        let beside = self
            .here()
            .filter(|_| is_bare(text))
            .map(|here| Beside { path: workspace::normalize(&here.join(text)), target: format!("./{text}") });
        Candidates { literal, decoded, beside }
    }

    /// The path that a text means, as written.
    pub fn resolve(&self, text: &str) -> PathBuf {
        let home = self.workspace.home();
        let path = match text.strip_prefix('~') {
            Some("") => home.to_owned(),
            Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ if is_dotted(text) => self.start().join(text),
            _ => home.join(text),
        };
        workspace::normalize(&path)
    }

    /// What `./` means: the document's directory, else the caller's if it may be reached, else home.
    fn start(&self) -> &Path {
        let caller = self.caller.filter(|path| self.workspace.contains(path));
        self.here().or(caller).unwrap_or(self.workspace.home())
    }
}

/// The path whose name itself holds what was taken for a block, as `C#.md` does: it is meant where the other is missing.
pub fn named_with_sign(path: &Path, block: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("#{block}"));
    name.into()
}

/// `doc.md#part` as its two halves. A `#` in the middle of a path, or at its end, is part of a name.
fn split_block(text: &str) -> (&str, Option<String>) {
    match text.rsplit_once('#') {
        Some((plain, block)) if !block.is_empty() && !block.contains('/') => (plain, Some(block.to_owned())),
        _ => (text, None),
    }
}

fn is_dotted(text: &str) -> bool {
    text.starts_with("./") || text.starts_with("../") || text == "." || text == ".."
}

/// What is relative to a page from the web. Bare names mean files at home, there too.
fn is_site_relative(text: &str) -> bool {
    text.starts_with('/') || is_dotted(text)
}

fn is_bare(text: &str) -> bool {
    !text.starts_with(['~', '/', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, here: Option<&str>, caller: Option<&str>, path: &str, block: Option<&str>) {
        let workspace = Workspace::new("/home/u".into(), vec!["/data".into()], "/home/u/.string".into());
        let page = here.map(|dir| Source::File(Path::new(dir).join("page.md")));
        let bases = Bases {
            workspace: &workspace,
            page: page.as_ref(),
            directory: None,
            caller: caller.map(Path::new),
        };
        let Ok(Target::Path { candidates, block: found }) = Target::parse(text, bases) else {
            panic!("{text} is a path");
        };
        assert_eq!(candidates.literal, Path::new(path), "{text}");
        assert_eq!(found.as_deref(), block, "{text}");
    }

    #[test]
    fn bare_paths_start_at_home_and_dots_at_the_document() {
        let docs = Some("/home/u/docs");
        check("report.md", docs, None, "/home/u/report.md", None);
        check("docs/guide.md#setup", docs, None, "/home/u/docs/guide.md", Some("setup"));
        check("./appendix.md", docs, None, "/home/u/docs/appendix.md", None);
        check("../report.md", docs, None, "/home/u/report.md", None);
        check("./x.md", None, None, "/home/u/x.md", None);
        check("./x.md", None, Some("/home/u/src"), "/home/u/src/x.md", None);
        check("./x.md", None, Some("/data/src"), "/data/src/x.md", None);
        check("./x.md", None, Some("/etc"), "/home/u/x.md", None);
        check("~/x.md", docs, None, "/home/u/x.md", None);
        check("~", docs, None, "/home/u", None);
        check("~//x", docs, None, "/home/u/x", None);
        check("/etc/passwd", docs, None, "/etc/passwd", None);
        check("../../../etc/passwd", docs, None, "/etc/passwd", None);
        check("\"my file.md#part\"", docs, None, "/home/u/my file.md", Some("part"));
        check("my file.md", docs, None, "/home/u/my file.md", None);
        check("a#b/c.md", docs, None, "/home/u/a#b/c.md", None);
        check("C#", docs, None, "/home/u/C#", None);
    }

    #[test]
    fn percent_encoding_is_a_second_reading() {
        let table = [
            ("a%20b.md", Some("a b.md")),
            ("%C3%A9.md", Some("é.md")),
            ("100%.md", None),
            ("%zz", None),
            ("%ff", None),
            ("plain.md", None),
            ("%2e%2e/x", Some("../x")),
            ("%é", None),
        ];
        for (text, expected) in table {
            assert_eq!(percent_decoded(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn other_targets_are_told_by_how_they_start() {
        let workspace = Workspace::new("/home/u".into(), vec![], "/home/u/.string".into());
        let page = Source::Web("https://x.org/docs/a.md".parse().unwrap());
        let bases = Bases { workspace: &workspace, page: Some(&page), directory: None, caller: None };
        let web = |url: &str, block: Option<&str>| Target::Web {
            url: url.parse().unwrap(),
            block: block.map(Into::into),
        };
        let shortcut =
            |id: &str, block: Option<&str>| Target::Shortcut { id: id.into(), block: block.map(Into::into) };
        let table = [
            ("#setup", Target::Block("setup".into())),
            ("@docs", shortcut("docs", None)),
            ("@docs#part", shortcut("docs", Some("part"))),
            ("@main.home", shortcut("main.home", None)),
            ("https://y.org/z?q=1#part", web("https://y.org/z?q=1", Some("part"))),
            ("/b", web("https://x.org/b", None)),
            ("//y.org/b#c", web("https://y.org/b", Some("c"))),
            ("./b.md", web("https://x.org/docs/b.md", None)),
            ("../b.md", web("https://x.org/b.md", None)),
        ];
        for (text, expected) in table {
            assert_eq!(Target::parse(text, bases), Ok(expected), "{text}");
        }
        assert_eq!(Target::parse("file:///etc/passwd", bases), Err(Unreachable::Scheme));
        assert!(matches!(Target::parse("b.md", bases), Ok(Target::Path { .. })));
    }
}
