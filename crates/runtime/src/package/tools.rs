//! What a package brings besides pages: the tools and skills that its manifests declare.

use std::path::Path;
use std::sync::Arc;

use super::gather::invalid;
use super::install::{Choice, Conflict};
use super::{Kind, Package, Packages, Record};
use crate::error::{Code, Error, Result};
use crate::manifest::{Catalogue, Invalid, Listed, Tool};

#[derive(Default)]
pub struct Tools(Catalogue);

impl Tools {
    /// Reads the manifests below a folder. One that is wrong refuses them all.
    pub fn read(dir: &Path) -> Result<Self> {
        let catalogue = Catalogue::below(dir);
        match catalogue.invalid.first() {
            Some(invalid) => Err(refused(invalid, dir)),
            None => Ok(Self(catalogue)),
        }
    }

    /// What a package without a page says about itself: its one skill names it, or else where it came from.
    pub fn record(&self, stem: &str, choice: &Choice) -> Result<Record> {
        let name = match &self.0.skills[..] {
            [] if self.0.tools().next().is_none() => {
                return Err(invalid("The package has neither a page nor a tool.".to_owned())
                    .hint("It needs a string.md, a NAME.tool.yaml or a NAME.skill.yaml."));
            }
            [skill] => skill.id.as_str(),
            _ => stem,
        };
        if choice.kind == Some(Kind::App) {
            return Err(invalid("Manifests make tools: an app has a string.md.".to_owned()));
        }
        Ok(Record {
            kind: Kind::Tool,
            namespace: None,
            name: name.to_owned(),
            version: None,
            source: String::new(),
            link: None,
            commit: None,
        })
    }

    /// The packages that have to go, because they declare what this one declares: with two declarations, neither tool
    /// could be called. They go only if the caller says so. `own` is the place that the package itself takes.
    pub fn in_the_way(
        &self,
        known: &Catalogue,
        own: &Path,
        packages: &Packages,
        conflict: Conflict,
    ) -> Result<Vec<Package>> {
        let tools = self.iter().filter_map(|tool| match known.get(&tool.name) {
            Some(Listed::Tool(other)) => Some((&tool.name, &other.file)),
            _ => None,
        });
        let skills = self.0.skills.iter().filter_map(|skill| {
            let same = known.skills.iter().find(|other| other.id == skill.id && !other.file.starts_with(own));
            same.map(|other| (&skill.id, &other.file))
        });
        let mut found: Vec<Package> = Vec::new();
        for (name, file) in tools.chain(skills).filter(|(_, file)| !file.starts_with(own)) {
            match packages.holding(file)? {
                Some(other) if conflict == Conflict::Refuse => return Err(taken_by(name, &other)),
                Some(other) if found.contains(&other) => {}
                Some(other) => found.push(other),
                None => return Err(taken(name, file)),
            }
        }
        Ok(found)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.0.tools()
    }

    pub fn names(&self) -> Vec<String> {
        self.iter().map(|tool| tool.name.clone()).collect()
    }
}

/// What is wrong in a package that waits in `dir`: where it waits until it is checked is nobody's business.
pub fn refused(invalid: &Invalid, dir: &Path) -> Error {
    let file = invalid.file.strip_prefix(dir).unwrap_or(&invalid.file).to_owned();
    let message = invalid.message.replace(&format!("{}/", dir.display()), "");
    let error = Error::from(Invalid { file, message, ..invalid.clone() });
    error.hint("Nothing was installed; what was there is still there.")
}

fn taken_by(name: &str, other: &Package) -> Error {
    let other = &other.name;
    let message = format!("{name} is declared already, by the package {other}.");
    Error::new(Code::ConflictingPackage, message)
        .hint(format!("Take that one away first: /uninstall {other}"))
        .hint(format!("Or put this one in its place: /install --as {other} --force SOURCE"))
        .hint("Nothing was installed.")
}

/// By a file that belongs to no package: it is the user's own.
fn taken(name: &str, file: &Path) -> Error {
    let message = format!("{name} is declared already, in {}.", file.display());
    Error::new(Code::ConflictingPackage, message)
        .hint("Rename one of them, or take the other away first.")
        .hint("Nothing was installed.")
}
