//! What a package brings besides pages: the tools and skills that its manifests declare.

use std::path::Path;

use super::gather::invalid;
use super::install::Choice;
use super::{Kind, Record};
use crate::error::{Code, Error, Result};
use crate::manifest::{Catalogue, Invalid, Listed};

pub struct Tools(Catalogue);

impl Tools {
    /// Reads the manifests below a folder. One that is wrong refuses them all.
    pub fn read(dir: &Path) -> Result<Self> {
        let catalogue = Catalogue::below(dir);
        match catalogue.invalid.first() {
            Some(invalid) => {
                let file = invalid.file.strip_prefix(dir).unwrap_or(&invalid.file).to_owned();
                // Where the files wait until they are checked is nobody's business.
                let message = invalid.message.replace(&format!("{}/", dir.display()), "");
                let error = Error::from(Invalid { file, message, ..invalid.clone() });
                Err(error.hint("Nothing was installed; what was there is still there."))
            }
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

    /// Refuses names that are taken: with two declarations, neither tool could be called. `own` is the place that
    /// the package itself takes.
    pub fn check_names(&self, known: &Catalogue, own: &Path) -> Result<()> {
        let taken = |name: &str, file: &Path| {
            let message = format!("{name} is declared already, in {}.", file.display());
            Err(Error::new(Code::ConflictingPackage, message)
                .hint("Rename one of them, or take the other away first.")
                .hint("Nothing was installed."))
        };
        for tool in self.0.tools() {
            match known.get(&tool.name) {
                Some(Listed::Tool(other)) if !other.file.starts_with(own) => {
                    return taken(&tool.name, &other.file);
                }
                _ => {}
            }
        }
        for skill in &self.0.skills {
            let same = known.skills.iter().find(|other| other.id == skill.id && !other.file.starts_with(own));
            if let Some(other) = same {
                return taken(&skill.id, &other.file);
            }
        }
        Ok(())
    }

    pub fn into_names(self) -> Vec<String> {
        self.0.tools().map(|tool| tool.name.clone()).collect()
    }
}
