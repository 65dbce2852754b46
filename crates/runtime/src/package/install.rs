//! Installing: all or nothing, and never over somebody else's package.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sfmd::PackageType;

use super::gather::{Files, invalid};
use super::{Kind, Package, Packages, RECORD, Record, parse_name};
use crate::error::{Code, Error, Result};
use crate::files;
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

/// What an installation did.
#[derive(Debug)]
pub struct Installed {
    pub package: Package,
    /// The record of the package that was there before.
    pub before: Option<Record>,
}

/// Installs gathered files. `stem` names the package if nothing else does.
pub fn install(
    packages: &Packages,
    gathered: &Files,
    stem: &str,
    source: String,
    link: Option<String>,
    choice: &Choice,
) -> Result<Installed> {
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
    let own = front.name.clone().unwrap_or_else(|| stem.to_owned());
    let name = parse_name(choice.name.as_deref().unwrap_or(&own))?;
    let record = Record {
        kind,
        namespace: front.namespace.clone(),
        name: own,
        version: front.version.clone(),
        source,
        link,
    };
    let before = packages.get(&name)?.map(|package| package.record);
    if let Some(before) = &before
        && choice.conflict == Conflict::Refuse
        && (&before.namespace, &before.name) != (&record.namespace, &record.name)
    {
        return Err(conflicting(&name, before));
    }
    write(packages, &name, &record, gathered).map_err(|error| {
        Error::new(Code::LoadError, format!("{}: {error}", packages.dir().display()))
            .hint("Nothing was installed; what was there is still there.")
    })?;
    let dir = packages.dir().join(name.as_str());
    Ok(Installed { package: Package { name, record, dir }, before })
}

/// Stages the whole package beside its place, then takes the place in one step.
fn write(packages: &Packages, name: &Name, record: &Record, gathered: &Files) -> io::Result<()> {
    let _lock = files::lock(packages.dir())?;
    sweep(packages.dir())?;
    let staged = packages.dir().join(format!(".staged-{}", ulid::Ulid::generate()));
    let done = stage(&staged, record, gathered).and_then(|()| {
        let place = packages.dir().join(name.as_str());
        if place.exists() {
            renameat_with(CWD, &staged, CWD, &place, RenameFlags::EXCHANGE)?;
        } else {
            fs::rename(&staged, &place)?;
        }
        fs::File::open(packages.dir())?.sync_all()
    });
    // After an exchange this is the old package; after a failure, what was staged so far.
    if staged.exists() {
        fs::remove_dir_all(&staged)?;
    }
    done
}

fn stage(staged: &Path, record: &Record, gathered: &Files) -> io::Result<()> {
    files::create_dir(staged)?;
    // A package that is only registered is fetched on each open: a copy would grow stale.
    for file in gathered.iter().filter(|_| record.link.is_none()) {
        let path = staged.join(&file.path);
        if let Some(parent) = path.parent() {
            files::create_dir(parent)?;
        }
        let mode = if file.runnable { 0o700 } else { 0o600 };
        let mut out = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
        out.write_all(&file.content)?;
        out.sync_all()?;
    }
    let record = serde_json::to_vec_pretty(record)?;
    files::write_atomic(&staged.join(RECORD), &record)
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
