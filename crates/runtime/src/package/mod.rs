//! Installed packages: apps and tools, each a folder with a record of where it came from.

mod gather;
mod github;
mod install;
mod source;
mod staged;
mod tools;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use gather::{Delivery, Files, Manifest, PACKAGE_MAX};
pub use github::{GitHub, GitHubHosts, Listed};
pub use install::{Choice, Conflict, Installed, Provenance};
pub use source::Source;
pub use staged::{Copy, Staged};

use crate::agent::Workspace;
use crate::error::{Code, Error, Result, nearest, quoted};
use crate::files;
use crate::topic::{Hub, Name};

/// The record of a package, inside its folder: renaming the folder moves both.
const RECORD: &str = ".package.json";
/// Installs take their turns, and each may have thousands of files to write.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(300);
/// The page that a package opens with, in this order.
const ENTRIES: [&str; 2] = ["string.md", "index.md"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// What it is installed as.
    pub name: Name,
    pub record: Record,
    pub dir: PathBuf,
}

/// What was installed, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub kind: Kind,
    /// With the name in the document, the identity of the package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What `/install` takes to install it again.
    pub source: String,
    /// The page that is fetched on each open, for packages that are only registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The commit of the repository that it was copied from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    App,
    Tool,
}

/// The packages of one agent, read from disk whenever they are asked for.
#[derive(Debug, Clone)]
pub struct Packages {
    dir: PathBuf,
}

impl Packages {
    pub fn of(workspace: &Workspace) -> Self {
        Self { dir: workspace.home().join(".string/packages") }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn get(&self, name: &Name) -> Result<Option<Package>> {
        let dir = self.dir.join(name.as_str());
        let text = match fs::read(dir.join(RECORD)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(&dir, &error)),
        };
        let record = serde_json::from_slice(&text).map_err(|error| unreadable(&dir, &error))?;
        Ok(Some(Package { name: name.clone(), record, dir }))
    }

    /// All packages in order of their names.
    pub fn list(&self) -> Result<Vec<Package>> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(&self.dir, &error)),
        };
        let names = entries.filter_map(|entry| Name::parse(entry.ok()?.file_name().to_str()?));
        let mut packages = Vec::new();
        for name in names {
            packages.extend(self.get(&name)?);
        }
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(packages)
    }

    /// The package of a kind by its name, which must be installed.
    pub fn installed(&self, name: &Name, kind: Kind) -> Result<Package> {
        match self.get(name)? {
            Some(package) if package.record.kind == kind => Ok(package),
            _ => Err(self.missing(name.as_str(), Some(kind))),
        }
    }

    /// Takes a package away. Its variables stay.
    pub fn remove(&self, name: &str) -> Result<Package> {
        let find = || {
            let found = Name::parse(name).map(|name| self.get(&name)).transpose()?.flatten();
            found.ok_or_else(|| self.missing(name, None))
        };
        find()?;
        let _lock =
            files::lock_within(&self.dir, LOCK_WAIT_MAX).map_err(|error| unreadable(&self.dir, &error))?;
        // Whoever had the lock may have taken it away.
        let package = find()?;
        self.take_away(&package)?;
        Ok(package)
    }

    /// The same for who has the lock.
    fn take_away(&self, package: &Package) -> Result<()> {
        // Out of sight in one step, then deleted at leisure.
        let grave = self.dir.join(format!(".removed-{}", ulid::Ulid::generate()));
        fs::rename(&package.dir, &grave).map_err(|error| unreadable(&package.dir, &error))?;
        fs::remove_dir_all(&grave).map_err(|error| unreadable(&grave, &error))
    }

    /// The package that a file belongs to.
    fn holding(&self, file: &Path) -> Result<Option<Package>> {
        let first = file.strip_prefix(&self.dir).ok().and_then(|below| below.components().next());
        let name = first.and_then(|name| Name::parse(name.as_os_str().to_str()?));
        name.map_or(Ok(None), |name| self.get(&name))
    }

    /// Nothing of that name is installed, or nothing of that kind.
    fn missing(&self, name: &str, kind: Option<Kind>) -> Error {
        let packages = self.list().unwrap_or_default();
        let fits = |package: &&Package| kind.is_none_or(|kind| package.record.kind == kind);
        let names: Vec<String> =
            packages.iter().filter(fits).map(|package| package.name.to_string()).collect();
        let what = kind.map_or("package", Kind::as_str);
        let near =
            nearest(name, names.iter().map(String::as_str)).map(|near| format!("Did you mean {near}?"));
        let known = if names.is_empty() {
            format!("There is no {what} yet.")
        } else {
            format!("Installed: {}", names.join(", "))
        };
        Error::new(Code::NotFound, format!("No {what} {} is installed.", quoted(name)))
            .hints(near)
            .hint(known)
            .hint("Install one: /install SOURCE")
    }
}

impl Record {
    /// What makes two packages versions of one.
    pub fn identity(&self) -> (Kind, Option<&str>, &str) {
        (self.kind, self.namespace.as_deref(), &self.name)
    }
}

impl Package {
    /// Whether it has pages, and not only tools of manifests.
    pub fn has_page(&self) -> bool {
        self.record.link.is_some() || self.entry().is_file()
    }

    /// The page that opens first.
    pub fn entry(&self) -> PathBuf {
        let found = ENTRIES.iter().map(|name| self.dir.join(name)).find(|path| path.is_file());
        found.unwrap_or_else(|| self.dir.join(ENTRIES[0]))
    }

    /// The package's folder as a workspace of its own: its pages, and nothing else.
    pub fn workspace(&self) -> Workspace {
        Workspace::of_package(self.dir.clone())
    }

    /// A page of it as lists show it: its path without `.md`; the entry page is `home`.
    pub fn page_name(&self, path: &Path) -> String {
        if path == self.entry() {
            return "home".to_owned();
        }
        let inside = path.strip_prefix(&self.dir).unwrap_or(path).to_string_lossy().into_owned();
        inside.strip_suffix(".md").map(str::to_owned).unwrap_or(inside)
    }
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Tool => "tool",
        }
    }
}

/// A name for a package: like a topic's, and not one that is taken by a hub.
pub fn parse_name(text: &str) -> Result<Name> {
    let name = Name::parse(text).filter(|name| Hub::parse(name.as_str()).is_none());
    name.ok_or_else(|| {
        Error::new(Code::InvalidPackage, format!("Not a name for a package: {}", quoted(text)))
            .hint("Names are letters, digits, _ and -, and not app, bash, tool, event, system or agent.")
            .hint("Choose one: /install --as NAME SOURCE")
    })
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::LoadError, format!("{}: {error}", path.display()))
}
