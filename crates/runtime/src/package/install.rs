//! Installing: all or nothing, and never over somebody else's package.

use std::io;

use sfmd::PackageType;

use super::gather::{Files, invalid};
use super::staged::Staged;
use super::{Kind, Package, Packages, Record, parse_name};
use crate::error::{Code, Error, Result};
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
    /// Other packages that had to go.
    pub gave_way: Vec<Package>,
    /// The tools that its manifests declare.
    pub tools: Vec<String>,
}

impl Staged {
    /// Puts the package in its place. `stem` names it if nothing else does; `known` are the tools that there are.
    pub fn install(
        self,
        stem: &str,
        from: Provenance,
        choice: &Choice,
        known: &Catalogue,
    ) -> Result<Installed> {
        let mut record = match self.files.has_page() {
            true => page_record(&self.files, stem, choice)?,
            false => self.tools.record(stem, choice)?,
        };
        Provenance { source: record.source, link: record.link, commit: record.commit } = from;
        let name = parse_name(choice.name.as_deref().unwrap_or(&record.name))?;
        let packages = self.packages.clone();
        let before = packages.get(&name)?.map(|package| package.record);
        if let Some(before) = &before
            && choice.conflict == Conflict::Refuse
            && before.identity() != record.identity()
        {
            return Err(conflicting(&name, before, &record));
        }
        let dir = packages.dir().join(name.as_str());
        let gave_way = self.tools.in_the_way(known, &dir, &packages, choice.conflict)?;
        let tools = self.tools.names();
        self.place(&dir, &record).map_err(|error| unwritten(&packages, &error))?;
        gave_way.iter().try_for_each(|package| packages.take_away(package))?;
        Ok(Installed { package: Package { name, record, dir }, before, gave_way, tools })
    }
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

pub(super) fn unwritten(packages: &Packages, error: &io::Error) -> Error {
    Error::new(Code::LoadError, format!("{}: {error}", packages.dir().display()))
        .hint("Nothing was installed; what was there is still there.")
}

fn conflicting(name: &Name, before: &Record, record: &Record) -> Error {
    let namespace = before.namespace.as_deref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let kind = before.kind.as_str();
    let message = match before.kind == record.kind {
        true => format!("{name} is installed already, from another package: {namespace}{}.", before.name),
        false => format!("{name} is installed already, and as {kind}:{name}."),
    };
    Error::new(Code::ConflictingPackage, message)
        .hint("Install it under another name: /install --as NAME SOURCE")
        .hint("Or let it take that place: /install --force SOURCE")
        .hint(format!("Or take the other away first: /uninstall {name}"))
}
