//! `/install` and `/uninstall`: packages come and go as a whole.

use std::collections::BTreeSet;
use std::path::Path;

use url::Url;

use super::ground::Ground;
use super::{Arguments, Context, open};
use crate::call::no_scripts;
use crate::document::{Content, Library, Loaded, Reading, Source as Document};
use crate::error::{Code, Error, Result, quoted};
use crate::manifest::{self, Declared, is_manifest};
use crate::package::{
    self, Choice, Conflict, Delivery, Files, GitHub, Installed, Kind, Manifest, PACKAGE_MAX, Packages, Source,
};
use crate::sink::Live;

/// What the caller asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    pub source: String,
    pub delivery: Delivery,
    pub choice: Choice,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uninstall {
    pub name: String,
    pub variables: Variables,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variables {
    Keep,
    Purge,
}

impl Install {
    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let kind = match (words.switch("--app"), words.switch("--tool")) {
            (true, true) => return Err(words.wrong("A package is an app or a tool, not both.")),
            (true, false) => Some(Kind::App),
            (false, true) => Some(Kind::Tool),
            (false, false) => None,
        };
        let name = words.value("--as")?;
        let delivery = if words.switch("--link") { Delivery::Link } else { Delivery::Any };
        let conflict = if words.switch("--force") { Conflict::Replace } else { Conflict::Refuse };
        let source = words.rest()?.join(" ");
        Ok(Self { source, delivery, choice: Choice { kind, name, conflict } })
    }
}

impl Uninstall {
    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let variables = if words.switch("--purge") { Variables::Purge } else { Variables::Keep };
        let name = words.required("NAME")?;
        words.done()?;
        // `app:weather` is how the reply to an installation names it.
        let name = name
            .strip_prefix("app:")
            .or(name.strip_prefix("tool:"))
            .or(name.strip_prefix("skill:"))
            .unwrap_or(&name)
            .to_owned();
        Ok(Self { name, variables })
    }
}

/// Files with the name they suggest and the page to go back to.
struct Gathered {
    files: Files,
    stem: String,
    page: Option<Url>,
    /// What the author wants.
    wanted: Delivery,
    /// What the author says.
    hint: Option<String>,
}

pub async fn install(install: Install, context: Context<'_>) -> Result<String> {
    let workspace = &context.agent.workspace;
    let ground = Ground::Workspace(workspace.clone());
    let source = Source::parse(&install.source, ground.bases(&context))?;
    let gathered = gather(source, &ground, &context).await?;
    let link = match (install.delivery, &gathered.page) {
        (Delivery::Link, Some(_)) if gathered.wanted == Delivery::Local => {
            return Err(Error::new(Code::InvalidPackage, "This package is made to be copied.")
                .hint("Install it without --link."));
        }
        (Delivery::Link, Some(page)) => Some(page.to_string()),
        _ if gathered.wanted == Delivery::Link => {
            return Err(Error::new(Code::InvalidPackage, "This package is made to be linked.")
                .hint("Install it with --link."));
        }
        (Delivery::Link, None) => {
            return Err(Error::new(Code::InvalidParams, "Only a page on the web can be linked.")
                .hint("Install a local package without --link."));
        }
        _ => None,
    };
    let packages = Packages::of(workspace);
    let Gathered { files, stem, hint, .. } = gathered;
    let choice = install.choice;
    let from = if install.source.is_empty() { stem.clone() } else { install.source };
    let known = context.runtime.tools.of(workspace.home());
    let done = tokio::task::spawn_blocking(move || {
        package::install(&packages, &files, &stem, from, link, &choice, &known)
    });
    let done = done.await;
    let done = done.unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()))?;
    // Words from elsewhere, on one line and in quotes.
    let hint = hint.map(|hint| format!("\nIts author says: {}", quoted(&hint)));
    Ok(reply(&done) + &hint.unwrap_or_default())
}

pub async fn uninstall(uninstall: Uninstall, context: Context<'_>) -> Result<String> {
    let workspace = &context.agent.workspace;
    let removed = Packages::of(workspace).remove(&uninstall.name)?;
    let kind = removed.record.kind.as_str();
    let mut lines = vec![format!("Uninstalled {kind}:{}", removed.name)];
    for session in context.topics.list() {
        if session.topic.app_name() != Some(&removed.name) {
            continue;
        }
        match context
            .runtime
            .close_topic(&context.agent.id, &session.topic, Some(&context.session.topic))
            .await
        {
            Ok(()) => lines.push(format!("Closed topic: {}", session.topic)),
            // The only topic stays, without the page that is gone.
            Err(_) => context.state.page = None,
        }
    }
    let variables = workspace.home().join(".string/apps").join(removed.name.as_str());
    match (uninstall.variables, variables.is_dir()) {
        (Variables::Purge, true) => {
            std::fs::remove_dir_all(&variables)
                .map_err(|error| Error::new(Code::LoadError, format!("{}: {error}", variables.display())))?;
            lines.push("Its variables are gone too.".to_owned());
        }
        (Variables::Keep, true) => {
            lines.push(format!("Its variables stay: {}", workspace.display(&variables)));
        }
        (_, false) => {}
    }
    Ok(lines.join("\n"))
}

async fn gather(source: Source, ground: &Ground, context: &Context<'_>) -> Result<Gathered> {
    let library = ground.library(context);
    match source {
        Source::Path(path) if is_manifest(&path) => gather_manifest(&path, context).await,
        Source::Path(path) => {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let workspace = context.agent.workspace.clone();
            let read = tokio::task::spawn_blocking(move || Files::read(&path, &workspace)).await;
            let files = read.unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()))?;
            Ok(Gathered { files, stem, page: None, wanted: Delivery::Any, hint: None })
        }
        Source::Current => {
            let page = context.state.page.as_ref().ok_or_else(open::no_document)?;
            let address = match &page.location.source {
                Document::Web(url) => Some(url.clone()),
                Document::File(_) | Document::Directory(_) | Document::Version { .. } => None,
            };
            let stem = page.location.source.stem().to_owned();
            let files = Files::page(page.source());
            Ok(Gathered { files, stem, page: address, wanted: Delivery::Any, hint: None })
        }
        Source::Web(url) => gather_web(url, library, context).await,
        Source::GitHub(repository) => gather_github(&repository, library, context).await,
    }
}

/// A manifest with all that it names: scripts, what they import, the instruction of a skill, and the tools of the
/// skill that have manifests of their own beside it.
async fn gather_manifest(path: &Path, context: &Context<'_>) -> Result<Gathered> {
    let workspace = &context.agent.workspace;
    let scripts = context.runtime.scripts.as_ref().ok_or_else(no_scripts)?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut stem = None;
    let (mut manifests, mut names) = (vec![name], BTreeSet::new());
    while let Some(manifest) = manifests.pop() {
        let file = folder.join(&manifest);
        workspace.find(&file)?;
        let Declared { tools, skill } = manifest::read(&file)?;
        for tool in &tools {
            let modules = scripts.modules(&tool.program).await;
            names.extend(modules.map_err(|error| uninstallable(&tool.name, &error))?);
        }
        stem = stem.or_else(|| tools.first().map(|tool| tool.name.clone()));
        if let Some(skill) = skill {
            names.extend(skill.instruction_file().map(str::to_owned));
            let beside = skill.tools.iter().map(|tool| format!("{tool}.tool.yaml"));
            manifests.extend(beside.filter(|name| folder.join(name).is_file() && !names.contains(name)));
        }
        names.insert(manifest);
    }
    let mut files = Files::default();
    // A source that stands in a manifest has no file.
    for name in names.into_iter().filter(|name| !name.contains('#')) {
        let file = folder.join(&name);
        let unreadable = |error| Error::new(Code::LoadError, format!("{}: {error}", file.display()));
        let content = workspace.find(&file)?.read(PACKAGE_MAX).map_err(unreadable)?;
        files.add(name.into(), content, false)?;
    }
    Ok(Gathered { files, stem: stem.unwrap_or_default(), page: None, wanted: Delivery::Any, hint: None })
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
        return Ok(Gathered { files, stem, page: Some(address), wanted: Delivery::Any, hint: None });
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
            (None, Some(from)) => library.web.file(from).await?,
            (None, None) => Vec::new(),
        };
        if file.is_entry() {
            page = from;
        }
        context.sink.send(Live::Progress(&format!("{} of {total} files", number + 1)));
        files.add(file.path.clone().into(), content, false)?;
    }
    let stem = address.host_str().unwrap_or("package").replace('.', "-");
    Ok(Gathered { files, stem, page, wanted: manifest.delivery, hint: manifest.install_hint })
}

/// Every file below the path, by the repository's own list.
async fn gather_github(repository: &GitHub, library: Library<'_>, context: &Context<'_>) -> Result<Gathered> {
    let list =
        repository.tree_url().parse().map_err(|_| Error::new(Code::InvalidParams, "Not a repository."))?;
    let (_, text) = fetch(&list, library).await?;
    let mut files = Files::default();
    let paths = repository.files(&text)?;
    let total = paths.len();
    for (number, path) in paths.into_iter().enumerate() {
        package::check_path(&path)?;
        let address =
            repository.raw_url(&path).parse().map_err(|_| Error::new(Code::InvalidPackage, "Not a path."))?;
        files.add(path.into(), library.web.file(&address).await?, false)?;
        context.sink.send(Live::Progress(&format!("{} of {total} files", number + 1)));
    }
    Ok(Gathered { files, stem: repository.repo.clone(), page: None, wanted: Delivery::Any, hint: None })
}

async fn fetch(url: &Url, library: Library<'_>) -> Result<(Url, String)> {
    match library.load(&Document::Web(url.clone()), Reading::Whole).await? {
        Loaded {
            source: Document::Web(address), fetched: Some(fetched), content: Content::Text(_), ..
        } => Ok((address, fetched.source)),
        _ => Err(Error::new(Code::InvalidPackage, format!("{url} is not text."))),
    }
}

fn reply(done: &Installed) -> String {
    let package = &done.package;
    let (kind, name) = (package.record.kind, &package.name);
    let version =
        |record: &package::Record| record.version.clone().unwrap_or_else(|| "(no version)".to_owned());
    if let Some(before) = &done.before {
        return format!(
            "Updated {}:{name} {} → {}",
            kind.as_str(),
            version(before),
            version(&package.record)
        );
    }
    match (kind, &done.tools[..]) {
        (Kind::App, _) => format!("Installed app:{name} — string app:{name} /open"),
        (Kind::Tool, [tool]) if package.record.name == *tool => {
            format!("Installed tool:{tool} — /tool:{tool} --help")
        }
        (Kind::Tool, tools) if !package.has_page() => {
            format!("Installed tool:{name}: {} — string tool /list", tools.join(", "))
        }
        (Kind::Tool, _) => format!("Installed tool:{name} — /tool:{name} --help"),
    }
}
