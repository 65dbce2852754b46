//! Gathering for `/install`: from what was named to the files of a package, none of them written yet.

use std::collections::BTreeSet;
use std::path::Path;

use url::Url;

use super::super::ground::Ground;
use super::super::{Context, neighbour, open};
use super::github;
use crate::blocking;
use crate::call::no_scripts;
use crate::document::{Content, Library, Loaded, Reading, Source as Document};
use crate::error::{Code, Error, Result};
use crate::manifest::{self, Declared, is_manifest};
use crate::package::{Delivery, Files, Manifest, PACKAGE_MAX, Source, Staged};
use crate::sink::Live;

/// Files with the name they suggest and the page to go back to.
#[derive(Default)]
pub struct Gathered {
    pub files: Files,
    pub stem: String,
    pub page: Option<Url>,
    /// What the author wants.
    pub wanted: Delivery,
    /// What the author says.
    pub hint: Option<String>,
    /// The commit of the repository that the files are from.
    pub commit: Option<String>,
}

pub async fn gather(source: Source, ground: &Ground, context: &Context<'_>) -> Result<Gathered> {
    let library = ground.library(context);
    match source {
        Source::Path(path) if is_manifest(&path) => gather_manifest(&path, context).await,
        Source::Path(path) => {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let workspace = context.agent.workspace.clone();
            let read = move || match Files::read(&path, &workspace) {
                Err(error) if error.code == Code::NotFound => {
                    Err(error.hints(neighbour::hint(&path, &workspace)))
                }
                read => read,
            };
            let files = blocking::run(read).await?;
            Ok(Gathered { files, stem, ..Gathered::default() })
        }
        Source::Current => {
            let page = context.state.page.as_ref().ok_or_else(open::no_document)?;
            let address = match &page.location.source {
                Document::Web(url) => Some(url.clone()),
                Document::File(_) | Document::Directory(_) | Document::Version { .. } => None,
            };
            let stem = page.location.source.stem().to_owned();
            let files = Files::page(page.source());
            Ok(Gathered { files, stem, page: address, ..Gathered::default() })
        }
        Source::Web(url) => gather_web(url, library, context).await,
        Source::GitHub(repository) => github::gather(&repository, library, context).await,
    }
}

/// A manifest with all that it names: scripts, what they import, the instruction of a skill, and the tools of the
/// skill and of its scripts that have manifests of their own beside it.
async fn gather_manifest(path: &Path, context: &Context<'_>) -> Result<Gathered> {
    let workspace = &context.agent.workspace;
    let scripts = context.runtime.scripts.as_ref().ok_or_else(no_scripts)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut stem = None;
    let (mut manifests, mut names) = (vec![name], BTreeSet::new());
    let mut is_bundle = false;
    while let Some(manifest) = manifests.pop() {
        let file = folder.join(&manifest);
        workspace.find(&file)?;
        let Declared { tools, skill } = manifest::read(&file)?;
        for tool in &tools {
            let modules = scripts.modules(&tool.program).await;
            names.extend(modules.map_err(|error| uninstallable(&tool.name, &error))?);
        }
        stem = stem.or_else(|| tools.first().map(|tool| tool.name.clone()));
        names.insert(manifest);
        is_bundle |= skill.is_some();
        let mut others: Vec<&String> = Vec::new();
        if let Some(skill) = &skill {
            names.extend(skill.instruction_file().map(str::to_owned));
            others.extend(skill.tools.iter().chain(&skill.script_tools));
        }
        if is_bundle {
            others.extend(tools.iter().flat_map(|tool| &tool.script_tools));
        }
        let beside = others.iter().map(|tool| format!("{tool}.tool.yaml"));
        manifests.extend(beside.filter(|name| folder.join(name).is_file() && !names.contains(name)));
    }
    let mut files = Files::default();
    // A source that stands in a manifest has no file.
    for name in names.into_iter().filter(|name| !name.contains('#')) {
        let file = folder.join(&name);
        let unreadable = |error| Error::new(Code::LoadError, format!("{}: {error}", file.display()));
        let content = workspace.find(&file)?.read(PACKAGE_MAX).map_err(unreadable)?;
        files.add(name.into(), content, false)?;
    }
    Ok(Gathered { files, stem: stem.unwrap_or_default(), ..Gathered::default() })
}

/// Compiles what a package would run, with all that it imports: a package that cannot run replaces none that can.
pub async fn check_scripts(staged: Staged, scripts: Option<&script::Pool>) -> Result<Staged> {
    let Some(scripts) = scripts else { return Ok(staged) };
    for tool in &staged.scripts {
        if let Err(error) = scripts.modules(&tool.program).await {
            return Err(uninstallable(&tool.name, &error));
        }
    }
    Ok(staged)
}

fn uninstallable(tool: &str, error: &script::Error) -> Error {
    Error::new(Code::InvalidPackage, format!("{tool}: {error}"))
        .hints(error.position().map(|position| format!("at {position}")))
        .hint("Nothing was installed.")
}

/// A page, or everything that an install manifest lists.
async fn gather_web(url: Url, library: Library<'_>, context: &Context<'_>) -> Result<Gathered> {
    let (address, text) = fetch(&url, library).await?;
    let Some(manifest) = Manifest::parse(&text) else {
        let stem = Document::Web(address.clone()).stem().to_owned();
        let files = Files::page(&text);
        return Ok(Gathered { files, stem, page: Some(address), ..Gathered::default() });
    };
    manifest.check()?;
    let mut files = Files::default();
    // What is linked to is the entry page, not the list of files.
    let mut page = None;
    let total = manifest.files.len();
    for (number, file) in manifest.files.iter().enumerate() {
        let from = file.address(&address).transpose()?;
        let content = match (&file.content, &from) {
            (Some(content), _) => content.clone().into_bytes(),
            (None, Some(from)) => library.web.file(from, files.room()).await?,
            (None, None) => Vec::new(),
        };
        if file.is_entry() {
            page = from;
        }
        context.sink.send(Live::Progress(&format!("{} of {total} files", number + 1)));
        files.add(file.path.clone().into(), content, false)?;
    }
    let stem = address.host_str().unwrap_or("package").replace('.', "-");
    let Manifest { delivery: wanted, install_hint: hint, .. } = manifest;
    Ok(Gathered { files, stem, page, wanted, hint, commit: None })
}

async fn fetch(url: &Url, library: Library<'_>) -> Result<(Url, String)> {
    match library.load(&Document::Web(url.clone()), Reading::Whole).await? {
        Loaded {
            source: Document::Web(address), fetched: Some(fetched), content: Content::Text(_), ..
        } => Ok((address, fetched.source)),
        _ => Err(Error::new(Code::InvalidPackage, format!("{url} is not text."))),
    }
}
