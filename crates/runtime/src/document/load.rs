//! Loading: from a source to its text.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use web::page::legacy_text;

use super::Source;
use super::quote::typed;
use super::web::Fetched;
use crate::agent::Workspace;
use crate::agent::workspace::{Found, FoundKind, Hidden};
use crate::blocking;
use crate::error::{Code, Error, Result};

/// The largest document, local or not: what is larger is data, not a page.
pub const DOCUMENT_MAX: u64 = 8 * 1024 * 1024;
/// The largest file that is read on the thread that asks for it: copying it takes a few microseconds.
const AT_ONCE_MAX: u64 = 64 * 1024;
/// What a directory opens as, in this order.
const INDEXES: [&str; 2] = ["string.md", "index.md"];

/// A text and where it really came from.
#[derive(Debug)]
pub struct Loaded {
    pub source: Source,
    /// The file with all links resolved, where it was reached through one.
    pub real: Option<PathBuf>,
    pub content: Content,
    /// What the agent should know about the loading, such as a conversion.
    pub notes: Vec<String>,
    /// What a page from the web calls itself, outside its text.
    pub title: Option<String>,
    pub fetched: Option<Fetched>,
}

#[derive(Debug)]
pub enum Content {
    Text(Text),
    /// Something that is no text: shown by its kind and size.
    Binary {
        media_type: Cow<'static, str>,
        bytes: u64,
        /// It is larger: only so many bytes were fetched.
        is_cut: bool,
        dimensions: Option<(usize, usize)>,
    },
}

#[derive(Debug)]
pub enum Text {
    /// Markdown, with its conventions.
    Document(String),
    /// Shown as it is.
    Plain(String),
}

/// The encoding of a text that is not UTF-8.
type Charset = Option<&'static str>;

impl Loaded {
    fn local(source: Source, real: Option<PathBuf>, (content, charset): (Content, Charset)) -> Self {
        let notes = charset.map(|name| format!("read as {name}")).into_iter().collect();
        Self { source, real, content, notes, title: None, fetched: None }
    }
}

/// Loads a path off the async threads: a disk may be slow. What the kernel has in memory anyway costs less than the
/// way to another thread and back.
pub async fn file(path: PathBuf, workspace: &Workspace) -> Result<Loaded> {
    if let Some(content) = read_at_once(&path, workspace) {
        return Ok(Loaded::local(Source::File(path), None, content));
    }
    let workspace = workspace.clone();
    blocking::run(move || read(&path, &workspace)).await
}

/// A file, a directory's index, or its listing.
fn read(path: &Path, workspace: &Workspace) -> Result<Loaded> {
    let found = workspace.find(path)?;
    let (source, real, content) = match found.kind {
        FoundKind::File { .. } => {
            let content = read_content(&found, path, workspace)?;
            (Source::File(path.to_owned()), found.real, content)
        }
        FoundKind::Directory => match index_of(path, workspace)? {
            Some((index, found)) => {
                let content = read_content(&found, &index, workspace)?;
                (Source::File(index), found.real, content)
            }
            None => {
                let names = Text::Document(listing(&found, path, workspace)?);
                (Source::Directory(path.to_owned()), None, (Content::Text(names), None))
            }
        },
    };
    Ok(Loaded::local(source, real, content))
}

/// The text of a small file that is in memory, if it is UTF-8.
pub(super) fn text_at_once(found: &Found) -> Option<String> {
    match content(found.read_at_once(AT_ONCE_MAX)?, 0) {
        (Content::Text(Text::Document(text)), None) => Some(text),
        _ => None,
    }
}

/// A small file that is in memory.
fn read_at_once(path: &Path, workspace: &Workspace) -> Option<(Content, Charset)> {
    let found = workspace.find_at_once(path)?;
    let bytes = found.read_at_once(AT_ONCE_MAX)?;
    let size = bytes.len() as u64;
    Some(content(bytes, size))
}

fn index_of(dir: &Path, workspace: &Workspace) -> Result<Option<(PathBuf, Found)>> {
    for name in INDEXES {
        let path = dir.join(name);
        match workspace.find(&path) {
            Ok(found) if matches!(found.kind, FoundKind::File { .. }) => return Ok(Some((path, found))),
            Ok(_) => {}
            Err(error) if error.code == Code::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn read_content(found: &Found, path: &Path, workspace: &Workspace) -> Result<(Content, Charset)> {
    let shown = workspace.display(path);
    let FoundKind::File { size } = found.kind else {
        return Err(Error::new(Code::InvalidPath, format!("{shown} is not a file.")));
    };
    let bytes = found.read(DOCUMENT_MAX).map_err(|error| unreadable(&shown, &error))?;
    let whole = bytes.len() as u64 <= DOCUMENT_MAX;
    if whole || !is_text_so_far(&bytes) { Ok(content(bytes, size)) } else { Err(too_large(&shown)) }
}

/// Whether this may be the beginning of a text. The cut may go through a character.
fn is_text_so_far(start: &[u8]) -> bool {
    let unicode = std::str::from_utf8(start).err().is_none_or(|error| error.error_len().is_none());
    unicode && !start.contains(&0)
}

/// What the bytes of a file are, or its first ones.
fn content(bytes: Vec<u8>, size: u64) -> (Content, Charset) {
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => (Content::Text(Text::Document(text)), None),
        Ok(text) => (binary(text.as_bytes(), size), None),
        Err(error) => {
            match legacy_text(error.as_bytes()).filter(|_| infer::get(error.as_bytes()).is_none()) {
                Some((text, charset)) => (Content::Text(Text::Document(text)), Some(charset)),
                None => (binary(error.as_bytes(), size), None),
            }
        }
    }
}

fn binary(start: &[u8], bytes: u64) -> Content {
    let media_type = infer::get(start).map_or("application/octet-stream", |kind| kind.mime_type()).into();
    let dimensions = imagesize::blob_size(start).ok().map(|size| (size.width, size.height));
    Content::Binary { media_type, bytes, is_cut: false, dimensions }
}

/// All of a file that is small enough to be a document.
pub(crate) fn read_bytes(found: &Found, shown: &str) -> Result<Vec<u8>> {
    let bytes = found.read(DOCUMENT_MAX).map_err(|error| unreadable(shown, &error))?;
    if bytes.len() as u64 > DOCUMENT_MAX { Err(too_large(shown)) } else { Ok(bytes) }
}

pub(crate) fn text(bytes: Vec<u8>, shown: &str) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| not_text(shown))
}

pub(crate) fn not_text(shown: &str) -> Error {
    Error::new(Code::LoadError, format!("{shown} is not UTF-8 text."))
        .hint("Only UTF-8 can be edited in part, or kept as a version.")
        .hint(format!("Replace it whole: /write {} --force, with the text below", typed(shown)))
}

fn too_large(shown: &str) -> Error {
    let word = shell_word(shown);
    Error::new(Code::LoadError, format!("{shown} is larger than {} MB.", DOCUMENT_MAX / (1024 * 1024)))
        .hint("Documents of that size do not open as a page.")
        .hint(format!("Read a part of it: /exec sed -n '1,200p' {word}, or /exec tail -n 200 {word}"))
}

/// A path as a shell reads it; the `~` of the home stays one.
fn shell_word(shown: &str) -> String {
    let (home, rest) = shown.strip_prefix("~/").map_or(("", shown), |rest| ("~/", rest));
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    match rest.chars().all(is_plain) {
        true => shown.to_owned(),
        false => format!("{home}'{}'", rest.replace('\'', r"'\''")),
    }
}

/// A directory as a document: its names, directories first.
fn listing(found: &Found, path: &Path, workspace: &Workspace) -> Result<String> {
    let names = found.list(Hidden::LeftOut).map_err(|error| unreadable(&workspace.display(path), &error))?;
    if names.is_empty() {
        return Ok("(empty)\n".to_owned());
    }
    Ok(names.iter().map(|name| format!("- {name}\n")).collect())
}

fn unreadable(shown: &str, error: &std::io::Error) -> Error {
    Error::new(Code::LoadError, format!("{shown} could not be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        for (shown, word) in [
            ("~/a-b/c.md", "~/a-b/c.md"),
            ("~/a b/$(c).md", "~/'a b/$(c).md'"),
            ("/data/it's", r"'/data/it'\''s'"),
        ] {
            assert_eq!(shell_word(shown), word);
        }
    }
}
