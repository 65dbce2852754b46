//! Gathering: the files of a package, checked before any of them is written.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use url::Url;

use crate::agent::Workspace;
use crate::agent::workspace::FoundKind;
use crate::error::{Code, Error, Result, quoted};
use crate::manifest::is_manifest;

/// The most that a package may hold.
pub const PACKAGE_MAX: u64 = 32 * 1024 * 1024;
/// The most files of a package; a folder of more is not a package but a project.
const FILES_MAX: usize = 4_096;
/// The page every package has.
pub const ENTRY: &str = "string.md";

/// The files of a package by their paths in it.
#[derive(Debug, Default)]
pub struct Files {
    files: Vec<File>,
    bytes: u64,
}

#[derive(Debug)]
pub struct File {
    pub path: PathBuf,
    pub content: Vec<u8>,
    pub runnable: bool,
}

/// An install manifest, as a page serves it.
#[derive(Debug, Deserialize)]
pub struct Manifest {
    pub files: Vec<ManifestFile>,
    /// How the author wants it delivered: `local`, `link` or `any`.
    #[serde(default)]
    pub delivery: Delivery,
    /// What its author wants to say to who installs it.
    #[serde(default)]
    pub install_hint: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// Its files are copied here.
    Local,
    /// It is registered, and fetched on each open.
    Link,
    #[default]
    Any,
}

#[derive(Debug, Deserialize)]
pub struct ManifestFile {
    pub path: String,
    #[serde(default)]
    pub url: Option<String>,
    #[serde(default)]
    pub content: Option<String>,
}

impl Files {
    /// A package of one page.
    pub fn page(text: &str) -> Self {
        let mut files = Self::default();
        files.files.push(File { path: ENTRY.into(), content: text.as_bytes().to_owned(), runnable: false });
        files
    }

    /// A file alone, or a folder with everything under it.
    pub fn read(path: &Path, workspace: &Workspace) -> Result<Self> {
        let found = workspace.find(path)?;
        let mut files = Self::default();
        if let FoundKind::File { .. } = found.kind {
            if !is_page(path) {
                return Err(no_page(path, workspace));
            }
            let content = found.read(PACKAGE_MAX).map_err(|error| unreadable(path, &error))?;
            files.add(ENTRY.into(), content, false)?;
            return Ok(files);
        }
        files.add_folder(path, Path::new(""), workspace)?;
        if !files.has_page() && !files.iter().any(|file| is_manifest(&file.path)) {
            return Err(invalid(format!("{} has no {ENTRY}.", workspace.display(path)))
                .hint("A folder becomes a package by a string.md with name: and type: in its frontmatter,")
                .hint("or by manifests of tools and skills: NAME.tool.yaml, NAME.skill.yaml."));
        }
        Ok(files)
    }

    pub fn add(&mut self, path: PathBuf, content: Vec<u8>, runnable: bool) -> Result<()> {
        self.bytes += content.len() as u64;
        Self::check_size(self.files.len() + 1, self.bytes)?;
        self.files.push(File { path, content, runnable });
        Ok(())
    }

    /// Refuses what is too large for a package.
    pub fn check_size(files: usize, bytes: u64) -> Result<()> {
        if bytes <= PACKAGE_MAX && files <= FILES_MAX {
            return Ok(());
        }
        let limit = PACKAGE_MAX / (1024 * 1024);
        Err(invalid(format!("A package holds at most {limit} MB in {FILES_MAX} files.")))
    }

    /// How many bytes more there is room for.
    pub fn room(&self) -> u64 {
        PACKAGE_MAX.saturating_sub(self.bytes)
    }

    pub fn iter(&self) -> impl Iterator<Item = &File> {
        self.files.iter()
    }

    /// Whether there is an entry page.
    pub fn has_page(&self) -> bool {
        self.files.iter().any(|file| file.path == Path::new(ENTRY))
    }

    /// The text of the entry page.
    pub fn entry(&self) -> Result<&str> {
        let entry = self.files.iter().find(|file| file.path == Path::new(ENTRY));
        let entry = entry.ok_or_else(|| invalid(format!("The package has no {ENTRY}.")))?;
        std::str::from_utf8(&entry.content).map_err(|_| invalid(format!("{ENTRY} is not text.")))
    }

    /// Every file is opened as the agent's commands open it: what they may not read is not copied either.
    fn add_folder(&mut self, root: &Path, below: &Path, workspace: &Workspace) -> Result<()> {
        let dir = root.join(below);
        for entry in fs::read_dir(&dir).map_err(|error| unreadable(&dir, &error))? {
            let entry = entry.map_err(|error| unreadable(&dir, &error))?;
            let path = below.join(entry.file_name());
            // Of the entry itself, not of what a link leads to.
            let kind = entry.file_type().map_err(|error| unreadable(&dir, &error))?;
            if kind.is_dir() {
                self.add_folder(root, &path, workspace)?;
            } else if kind.is_file() {
                let whole = root.join(&path);
                let mode = entry.metadata().map_err(|error| unreadable(&whole, &error))?.permissions().mode();
                let found = workspace.find(&whole)?;
                // One byte more than there is room for is enough to be refused.
                let content = found.read(self.room()).map_err(|error| unreadable(&whole, &error))?;
                self.add(path, content, mode & 0o111 != 0)?;
            } else {
                return Err(invalid(format!("{} is a link or no file.", quoted(&path.to_string_lossy())))
                    .hint("A package holds plain files only."));
            }
        }
        Ok(())
    }
}

/// Whether a file alone may be a package, by its name.
fn is_page(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["md", "markdown"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn no_page(path: &Path, workspace: &Workspace) -> Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_script = path.extension().is_some_and(|extension| extension == "ts" || extension == "js");
    let script = format!("A script becomes a tool by a manifest: {stem}.tool.yaml with script_file: {name}");
    invalid(format!("{} is no page.", workspace.display(path)))
        .hints(is_script.then_some(script))
        .hint("A package is a .md page, a folder with a string.md, a NAME.tool.yaml or a NAME.skill.yaml.")
}

impl Manifest {
    /// The manifest in a JSON answer, if it is one: it lists a `string.md` that can be had.
    pub fn parse(text: &str) -> Option<Self> {
        let manifest: Self = serde_json::from_str(text).ok()?;
        let is_there =
            |file: &ManifestFile| file.is_entry() && (file.url.is_some() || file.content.is_some());
        manifest.files.iter().any(is_there).then_some(manifest)
    }

    /// Checks every path before anything is fetched.
    pub fn check(&self) -> Result<()> {
        self.files.iter().try_for_each(|file| check_path(&file.path))?;
        if self.delivery == Delivery::Link
            && !self.files.iter().any(|file| file.is_entry() && file.url.is_some())
        {
            return Err(invalid(format!("The package is made to be linked, and its {ENTRY} has no url."))
                .hint(format!("Whoever wrote the manifest has to give {ENTRY} a url.")));
        }
        let mut paths: Vec<&Path> = self.files.iter().map(|file| Path::new(&file.path)).collect();
        // Part by part, so that what lies in a path follows it.
        paths.sort_unstable();
        let taken = paths.windows(2).find(|pair| pair[1].starts_with(pair[0]));
        taken.map_or(Ok(()), |pair| Err(taken_twice(pair[0], pair[1])))
    }
}

impl ManifestFile {
    pub fn is_entry(&self) -> bool {
        self.path == ENTRY
    }

    /// Where the file is fetched from, relative to the manifest.
    pub fn address(&self, manifest: &Url) -> Option<Result<Url>> {
        let address = self.url.as_ref()?;
        let joined = manifest.join(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        Some(joined.ok_or_else(|| invalid(format!("Not an address: {}", quoted(address)))))
    }
}

/// A path in a package is relative, goes down only, and is made of ordinary characters.
pub fn check_path(text: &str) -> Result<()> {
    let ordinary = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ' ' | '+' | '@');
    let downward = Path::new(text).components().all(|part| matches!(part, Component::Normal(_)));
    let hidden = text.split('/').any(|part| part.starts_with('.') || part.is_empty());
    if !text.is_empty() && downward && !hidden && text.chars().all(ordinary) {
        return Ok(());
    }
    Err(invalid(format!("Not a path inside a package: {}", quoted(text)))
        .hint("Nothing was fetched and nothing was written."))
}

fn taken_twice(first: &Path, second: &Path) -> Error {
    let shown = |path: &Path| quoted(&path.to_string_lossy());
    let message = match first == second {
        true => format!("The manifest lists {} twice.", shown(first)),
        false => format!("In the manifest {} is a file, and a folder for {}.", shown(first), shown(second)),
    };
    invalid(message).hint("Nothing was fetched and nothing was written.")
}

pub fn invalid(message: String) -> Error {
    Error::new(Code::InvalidPackage, message)
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    Error::new(Code::LoadError, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_a_package() {
        for path in ["string.md", "nav/main.md", "a b/c+d@2.md", "é.md"] {
            check_path(path).unwrap();
        }
        for path in [
            "", "../x", "a/../b", "/etc/x", "a//b", "./x", "a/", ".bashrc", "a/.git/x", "a\\b", "a\0b",
            "~/x", "$HOME",
        ] {
            assert_eq!(check_path(path).unwrap_err().code, Code::InvalidPackage, "{path:?}");
        }
    }

    #[test]
    fn every_path_of_a_manifest_is_a_file_of_its_own() {
        let check = |paths: &[&str]| {
            let file = |path: &&str| ManifestFile { path: (*path).to_owned(), url: None, content: None };
            let files = paths.iter().map(file).collect();
            Manifest { files, delivery: Delivery::Any, install_hint: None }.check()
        };
        check(&["a", "a.md", "a b", "b/a", "b/c", "b c"]).unwrap();
        for (paths, message) in [
            (&["b", "a/x", "b"][..], "The manifest lists \"b\" twice."),
            (&["a/b", "a.md", "a"][..], "In the manifest \"a\" is a file, and a folder for \"a/b\"."),
        ] {
            let refused = check(paths).unwrap_err();
            assert_eq!((refused.code, refused.message.as_str()), (Code::InvalidPackage, message));
        }
    }

    #[test]
    fn only_a_manifest_with_an_entry_page_is_one() {
        assert!(
            Manifest::parse(r#"{"files":[{"path":"string.md","content":"x"}],"delivery":"local"}"#).is_some()
        );
        for text in [
            r#"{"files":[]}"#,
            r#"{"files":[{"path":"string.md"}]}"#,
            r#"{"files":[{"path":"a.md","content":"x"}]}"#,
            "[1]",
            "x",
        ] {
            assert!(Manifest::parse(text).is_none(), "{text}");
        }
    }
}
