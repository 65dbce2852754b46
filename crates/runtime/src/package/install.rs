//! Installing: all or nothing, and never over somebody else's package.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sfmd::PackageType;

use super::gather::{Files, invalid};
use super::tools::Tools;
use super::{Kind, LOCK_WAIT_MAX, Package, Packages, RECORD, Record, parse_name};
use crate::error::{Code, Error, Result};
use crate::files;
use crate::manifest::Catalogue;
use crate::topic::Name;

/// What the caller of `/install` decided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    pub kind: Option<Kind>,
    pub name: Option<String>,
    pub conflict: Conflict,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Conflict {
    #[default]
    Refuse,
    /// Another package of that name gives way.
    Replace,
}

/// Where the files came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// What `/install` takes to install it again.
    pub source: String,
    /// The page to fetch on each open, if the package is only to be registered.
    pub link: Option<String>,
    /// The commit of the repository.
    pub commit: Option<String>,
}

/// What an installation did.
#[derive(Debug)]
pub struct Installed {
    pub package: Package,
    /// The record of the package that was there before.
    pub before: Option<Record>,
    /// The tools that its manifests declare.
    pub tools: Vec<String>,
}

/// Installs gathered files. `stem` names the package if nothing else does; `known` are the tools that there are.
pub fn install(
    packages: &Packages,
    gathered: &Files,
    stem: &str,
    from: Provenance,
    choice: &Choice,
    known: &Catalogue,
) -> Result<Installed> {
    let staged =
        Staged::new(packages, gathered, from.link.is_some()).map_err(|error| unwritten(packages, &error))?;
    let tools = Tools::read(&staged.dir)?;
    let mut record = match gathered.has_page() {
        true => page_record(gathered, stem, choice)?,
        false => tools.record(stem, choice)?,
    };
    Provenance { source: record.source, link: record.link, commit: record.commit } = from;
    let name = parse_name(choice.name.as_deref().unwrap_or(&record.name))?;
    let before = packages.get(&name)?.map(|package| package.record);
    if let Some(before) = &before
        && choice.conflict == Conflict::Refuse
        && (&before.namespace, &before.name) != (&record.namespace, &record.name)
    {
        return Err(conflicting(&name, before));
    }
    let dir = packages.dir().join(name.as_str());
    tools.check_names(known, &dir)?;
    staged.place(&dir, &record).map_err(|error| unwritten(packages, &error))?;
    Ok(Installed { package: Package { name, record, dir }, before, tools: tools.into_names() })
}

/// What the entry page says about its package.
fn page_record(gathered: &Files, stem: &str, choice: &Choice) -> Result<Record> {
    let document = sfmd::parse(gathered.entry()?);
    let front = &document.frontmatter;
    let declared = front.package_type.map(|kind| match kind {
        PackageType::App => Kind::App,
        PackageType::Tool => Kind::Tool,
    });
    let kind = choice.kind.or(declared).ok_or_else(|| {
        invalid("The package does not say what it is.".to_owned())
            .hint("Add type: app (or type: tool) to its frontmatter,")
            .hint("or decide here: /install --app SOURCE, /install --tool SOURCE")
    })?;
    Ok(Record {
        kind,
        namespace: front.namespace.clone(),
        name: front.name.clone().unwrap_or_else(|| stem.to_owned()),
        version: front.version.clone(),
        source: String::new(),
        link: None,
        commit: None,
    })
}

fn unwritten(packages: &Packages, error: &io::Error) -> Error {
    Error::new(Code::LoadError, format!("{}: {error}", packages.dir().display()))
        .hint("Nothing was installed; what was there is still there.")
}

/// A whole package beside its place, which it takes in one step. Dropped before that, it leaves nothing behind.
struct Staged {
    dir: PathBuf,
    packages: PathBuf,
    _lock: fs::File,
}

impl Staged {
    fn new(packages: &Packages, gathered: &Files, is_link: bool) -> io::Result<Self> {
        let lock = files::lock_within(packages.dir(), LOCK_WAIT_MAX)?;
        sweep(packages.dir())?;
        let dir = packages.dir().join(format!(".staged-{}", ulid::Ulid::generate()));
        let staged = Self { dir, packages: packages.dir().to_owned(), _lock: lock };
        files::create_dir(&staged.dir)?;
        // A package that is only registered is fetched on each open: a copy would grow stale.
        for file in gathered.iter().filter(|_| !is_link) {
            let path = staged.dir.join(&file.path);
            if let Some(parent) = path.parent() {
                files::create_dir(parent)?;
            }
            let mode = if file.runnable { 0o700 } else { 0o600 };
            let mut out = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
            out.write_all(&file.content)?;
            out.sync_all()?;
        }
        Ok(staged)
    }

    fn place(self, place: &Path, record: &Record) -> io::Result<()> {
        files::write_atomic(&self.dir.join(RECORD), &serde_json::to_vec_pretty(record)?)?;
        if place.exists() {
            renameat_with(CWD, &self.dir, CWD, place, RenameFlags::EXCHANGE)?;
        } else {
            fs::rename(&self.dir, place)?;
        }
        fs::File::open(&self.packages)?.sync_all()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After an exchange this is the old package; what cannot be removed now is swept later.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Removes what an installation or removal that was killed has left.
fn sweep(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if [".staged-", ".removed-"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn conflicting(name: &Name, before: &Record) -> Error {
    let namespace = before.namespace.as_deref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let message = format!("{name} is installed already, from another package: {namespace}{}.", before.name);
    Error::new(Code::ConflictingPackage, message)
        .hint("Install it under another name: /install --as NAME SOURCE")
        .hint(format!("Or take the other away first: /uninstall {name}"))
}
