//! What follows `/open`: which file or block it means.

use std::path::{Path, PathBuf};

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
}

/// The paths a text may mean, most literal first: as written, then with percent-encoding undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    pub literal: PathBuf,
    pub decoded: Option<PathBuf>,
    /// The same name beside the current document, for bare names that are missing at home.
    pub beside: Option<PathBuf>,
}

/// Where relative targets start.
#[derive(Debug, Clone, Copy)]
pub struct Bases<'a> {
    pub workspace: &'a Workspace,
    /// The current document's directory, or the directory opened last.
    pub here: Option<&'a Path>,
    /// The caller's working directory.
    pub caller: Option<&'a Path>,
}

impl Target {
    pub fn parse(text: &str, bases: Bases<'_>) -> Self {
        let text = unquote(text);
        let (path, block) = match text.rsplit_once('#') {
            Some((path, block)) if !block.is_empty() && !block.contains('/') => {
                (path, Some(block.to_owned()))
            }
            _ => (text, None),
        };
        match (path, block) {
            ("", Some(block)) => Self::Block(block),
            (path, block) => Self::Path { candidates: bases.candidates(path), block },
        }
    }
}

impl Bases<'_> {
    fn candidates(&self, text: &str) -> Candidates {
        let literal = self.resolve(text);
        let decoded = percent_decoded(text).map(|text| self.resolve(&text));
        let beside =
            is_bare(text).then_some(self.here).flatten().map(|here| workspace::normalize(&here.join(text)));
        Candidates { literal, decoded, beside }
    }

    fn resolve(&self, text: &str) -> PathBuf {
        let home = self.workspace.home();
        let path = match text.strip_prefix('~') {
            Some("") => home.to_owned(),
            Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ if text.starts_with("./") || text.starts_with("../") || text == "." || text == ".." => {
                self.start().join(text)
            }
            _ => home.join(text),
        };
        workspace::normalize(&path)
    }

    /// What `./` means: the document's directory, else the caller's if it may be reached, else home.
    fn start(&self) -> &Path {
        let caller = self.caller.filter(|path| self.workspace.contains(path));
        self.here.or(caller).unwrap_or(self.workspace.home())
    }
}

fn is_bare(text: &str) -> bool {
    !text.starts_with(['~', '/', '.'])
}

/// A target may be put in quotes, as a name with spaces often is.
pub(crate) fn unquote(text: &str) -> &str {
    let text = text.trim();
    ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(text)
}

/// The text with `%20` and the like undone; none if there is nothing to undo or it is no text.
fn percent_decoded(text: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, here: Option<&str>, caller: Option<&str>, path: &str, block: Option<&str>) {
        let workspace = Workspace::new("/home/u".into(), vec!["/data".into()], "/home/u/.string".into());
        let bases = Bases { workspace: &workspace, here: here.map(Path::new), caller: caller.map(Path::new) };
        let Target::Path { candidates, block: found } = Target::parse(text, bases) else {
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
    fn a_hash_alone_is_a_block_of_this_document() {
        let workspace = Workspace::new("/home/u".into(), vec![], "/home/u/.string".into());
        let bases = Bases { workspace: &workspace, here: None, caller: None };
        assert_eq!(Target::parse("#setup", bases), Target::Block("setup".into()));
    }
}
