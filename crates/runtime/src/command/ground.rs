//! The ground of a topic: the files it opens from, and how it reaches the web.

use super::Context;
use crate::agent::Workspace;
use crate::document::{Asker, Bases, Library, Location, Page, Source, Web};
use crate::error::{Code, Error, Result};
use crate::package::{Kind, Package, Packages};
use crate::substitute::Mark;
use crate::topic::Topic;

/// A tab stands on the agent's workspace, an app on its own package and nothing else.
#[derive(Debug)]
pub enum Ground {
    Workspace(Workspace),
    Package { package: Package, workspace: Workspace },
}

impl Ground {
    /// The ground of the topic that a command runs in. An app must be installed.
    pub fn of(context: &Context<'_>) -> Result<Self> {
        let workspace = &context.agent.workspace;
        match &context.session.topic {
            Topic::App { name, .. } => {
                let package = Packages::of(workspace).installed(name, Kind::App)?;
                let workspace = package.workspace();
                Ok(Self::Package { package, workspace })
            }
            _ => Ok(Self::Workspace(workspace.clone())),
        }
    }

    pub fn workspace(&self) -> &Workspace {
        match self {
            Self::Workspace(workspace) | Self::Package { workspace, .. } => workspace,
        }
    }

    /// The page that opens when none is named.
    pub fn entry(&self) -> Option<Source> {
        match self {
            Self::Workspace(_) => None,
            Self::Package { package, .. } => Some(package.entry_source()),
        }
    }

    /// Refuses what does not belong to an app in the app's own topic.
    pub fn check(&self, source: &Source) -> Result<()> {
        let Self::Package { package, .. } = self else { return Ok(()) };
        let own = match (source, &package.record.link) {
            (Source::File(path) | Source::Directory(path) | Source::Version { file: path, .. }, _) => {
                path.starts_with(&package.dir)
            }
            (Source::Web(url), Some(link)) => {
                link.parse().is_ok_and(|link: url::Url| link.origin() == url.origin())
            }
            (Source::Web(_), None) => false,
        };
        if own { Ok(()) } else { Err(self.foreign()) }
    }

    /// Names a page as lists in an app topic show it.
    pub fn label(&self, page: &mut Page) {
        let Self::Package { package, .. } = self else { return };
        page.label = match &page.location.source {
            Source::File(path) => Some(package.page_name(path)),
            Source::Directory(path) => Some(format!("{}/", package.page_name(path))),
            Source::Version { .. } | Source::Web(_) => None,
        };
    }

    /// What could not be found in an app may lie outside of it.
    pub fn missing(&self, error: Error) -> Error {
        match self {
            Self::Package { .. } if error.code == Code::NotFound => {
                error.hint("Only the app's own pages open here; others open in a tab, such as main.")
            }
            _ => error,
        }
    }

    fn foreign(&self) -> Error {
        Error::new(Code::NotAllowed, "Only the app's own pages open in its topic.")
            .hint("Open other documents in a tab, such as main.")
    }

    /// The paths that a target may start from, with foreign ones told apart by how they are written.
    pub fn bases<'a>(&'a self, context: &'a Context<'_>) -> Bases<'a> {
        let directory = match self {
            Self::Workspace(_) => context.state.directory.as_deref(),
            Self::Package { package, .. } => Some(package.dir.as_path()),
        };
        Bases {
            workspace: self.workspace(),
            page: context.state.page.as_ref().map(|page| &page.location.source),
            directory,
            caller: context.caller.cwd.as_deref().filter(|_| matches!(self, Self::Workspace(_))),
        }
    }

    /// Whether a target names a place outside the app by the way it is written.
    pub fn check_text(&self, target: &str) -> Result<()> {
        let outside = target.starts_with('~') || target.starts_with('/');
        match self {
            Self::Package { package, .. } if outside && package.record.link.is_none() => Err(self.foreign()),
            _ => Ok(()),
        }
    }

    pub fn library<'a>(&'a self, context: &'a Context<'_>) -> Library<'a> {
        let kept = context.kept();
        let versions = matches!(self, Self::Workspace(_)).then_some(kept);
        Library {
            workspace: self.workspace(),
            web: web(context, Asker::Local),
            versions,
            shelf: &context.runtime.shelf,
        }
    }
}

/// How the session reaches the web on behalf of an asker.
pub fn web<'a>(context: &'a Context<'_>, asker: Asker<'a>) -> Web<'a> {
    Web {
        client: &context.runtime.web,
        cookies: &context.state.cookies,
        port: context.runtime.port,
        asker,
        confined: &[],
        sink: context.sink,
        until: None,
    }
}

/// Who asks for an address of that mark: one that a page from the web chose may reach less than the agent.
pub fn asker(mark: Mark, page: Option<&Page>) -> Asker<'_> {
    match page.map(|page| (&page.location, page.fetched())) {
        _ if !mark.from_web => Asker::Local,
        Some((Location { source: Source::Web(url), .. }, Some(fetched))) => {
            Asker::Page { url, from: fetched.from }
        }
        _ => Asker::Left,
    }
}

impl Package {
    /// The entry page, here or where it is linked to.
    pub fn entry_source(&self) -> Source {
        match self.record.link.as_ref().and_then(|link| link.parse().ok()) {
            Some(url) => Source::Web(url),
            None => Source::File(self.entry()),
        }
    }
}
