//! The app hub: what is installed, and which app topics are open.

mod words;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

pub use words::{Command, Verb, WORDS};

use crate::blocking;
use crate::command::{Context, Format};
use crate::error::Result;
use crate::package::{Kind, Package, Packages};
use crate::reply::with_body;
use crate::topic::Kind as TopicKind;
use crate::variable::{self, Scope};

/// No entry page is longer; what an app requires stands at its beginning.
const PAGE_MAX: u64 = 8 << 20;

pub async fn run(command: &Command, context: &Context<'_>) -> Result<String> {
    match command {
        Command::List(Format::Text) => Ok(with_body("Apps", &list(context).await?)),
        Command::List(Format::Json) => {
            let mut open = open_topics(context);
            let mut rows: Vec<_> = apps(context).await?.iter().map(|app| row_json(app, &mut open)).collect();
            // Those of apps that are not installed, or not any more.
            rows.extend(
                open.into_iter()
                    .map(|(name, topics)| json!({ "name": name, "installed": false, "topics": topics })),
            );
            Ok(format!("{:#}", serde_json::Value::from(rows)))
        }
        Command::Info(name) => {
            let package = Packages::of(&context.agent.workspace).installed(name, Kind::App)?;
            let app = App::of(package, context).await;
            Ok(with_body(&format!("App: {name}"), &details(&app, context)))
        }
    }
}

/// An installed app, and the `$NAME` values that it lacks.
struct App {
    package: Package,
    missing: Vec<String>,
}

impl App {
    async fn of(package: Package, context: &Context<'_>) -> Self {
        let home = context.agent.workspace.home().to_owned();
        blocking::run(move || {
            let missing = missing(&package, &home);
            Self { package, missing }
        })
        .await
    }
}

/// The required variables without a value. What a linked app requires is known only when it is opened.
fn missing(package: &Package, home: &Path) -> Vec<String> {
    let entry = package.entry();
    let found = package.workspace().find(&entry).ok();
    let page = found.and_then(|found| String::from_utf8(found.read(PAGE_MAX).ok()?).ok());
    let Some(page) = page.filter(|_| package.record.link.is_none()) else { return Vec::new() };
    let persistent = variable::read(home, &Scope::App(package.name.clone())).unwrap_or_default();
    let document = sfmd::parse(&page);
    variable::missing(&document.frontmatter.env, &persistent)
        .iter()
        .map(|missing| missing.name.clone())
        .collect()
}

/// The installed apps, then the open app topics.
pub async fn list(context: &Context<'_>) -> Result<String> {
    let rows: Vec<[String; 4]> = apps(context).await?.iter().map(row).collect();
    let installed = if rows.is_empty() { "No apps are installed.".to_owned() } else { super::columns(&rows) };
    Ok(format!("{installed}\n\n{}", super::open_topics("app", TopicKind::App, context)))
}

/// How many apps are installed.
pub fn count(context: &Context<'_>) -> usize {
    let packages = Packages::of(&context.agent.workspace).list().unwrap_or_default();
    packages.iter().filter(|package| package.record.kind == Kind::App).count()
}

async fn apps(context: &Context<'_>) -> Result<Vec<App>> {
    let mut apps = Vec::new();
    for package in Packages::of(&context.agent.workspace).list()? {
        if package.record.kind == Kind::App {
            apps.push(App::of(package, context).await);
        }
    }
    Ok(apps)
}

fn row(app: &App) -> [String; 4] {
    let App { package, missing } = app;
    let record = &package.record;
    let link = if record.link.is_some() { " (linked)" } else { "" };
    let missing =
        if missing.is_empty() { String::new() } else { format!("missing: ${}", missing.join(", $")) };
    [
        format!("app:{}", package.name),
        record.version.clone().unwrap_or_default(),
        format!("{}{link}", record.source),
        missing,
    ]
}

/// The open topics of each app.
fn open_topics(context: &Context<'_>) -> BTreeMap<String, Vec<String>> {
    let mut open: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for session in context.topics.list() {
        if let Some(name) = session.topic.app_name() {
            open.entry(name.to_string()).or_default().push(session.topic.to_string());
        }
    }
    open
}

/// Takes the app's own topics out of the open ones.
fn row_json(app: &App, open: &mut BTreeMap<String, Vec<String>>) -> serde_json::Value {
    let record = &app.package.record;
    json!({
        "name": app.package.name.as_str(),
        "installed": true,
        "version": record.version,
        "namespace": record.namespace,
        "source": record.source,
        "link": record.link,
        "commit": record.commit,
        "missing": app.missing,
        "topics": open.remove(app.package.name.as_str()).unwrap_or_default(),
    })
}

fn details(app: &App, context: &Context<'_>) -> String {
    let App { package, missing } = app;
    let record = &package.record;
    let mut rows = vec![
        ["name:".to_owned(), record.name.clone()],
        ["namespace:".to_owned(), record.namespace.clone().unwrap_or_else(|| "(none)".to_owned())],
        ["version:".to_owned(), record.version.clone().unwrap_or_else(|| "(none)".to_owned())],
        ["source:".to_owned(), record.source.clone()],
    ];
    rows.extend(record.commit.iter().map(|commit| ["commit:".to_owned(), commit.clone()]));
    rows.extend([
        ["files:".to_owned(), context.agent.workspace.display(&package.dir)],
        ["open:".to_owned(), format!("string app:{} /open", package.name)],
    ]);
    let set = |name: &String| {
        ["missing:".to_owned(), format!("${name} · string app:{} '/set ${name} = \"…\"'", package.name)]
    };
    rows.extend(missing.iter().map(set));
    super::columns(&rows)
}
