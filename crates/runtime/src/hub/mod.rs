//! Hubs: managed views over their kind, and the words that manage it.

pub mod agent;
pub mod app;
pub mod bash;
pub mod capability;
pub mod doctor;
mod environment;
pub mod event;
mod logs;
pub mod state;
pub mod system;
pub mod tool;

use crate::bash::has_shell;
use crate::command::Context;
use crate::command::table::{self, Place, Verb};
use crate::reply::with_body;
use crate::session::Session;
use crate::topic::{Hub, Kind, Topic};

/// Longer words stand out of their column instead of making it wider than a screen.
const WORDS_MAX: usize = 64;

/// The page of a hub: counts, lists, and the commands to go on with.
pub async fn page(hub: Hub, context: &Context<'_>) -> String {
    let (counts, body) = match hub {
        Hub::Agent => {
            let count = context.runtime.agents.list().len();
            (format!("Agents: {count}"), agent::list(context))
        }
        Hub::System => ("System".to_owned(), system::status(context).await),
        Hub::App => {
            let (installed, open) = (app::count(context), count_topics(Kind::App, context));
            let apps = app::list(context).await.unwrap_or_else(|error| error.to_string());
            (format!("Apps: {installed} installed, {open} open"), apps)
        }
        Hub::Bash => {
            let shells = context.topics.list().iter().filter(|session| has_shell(session)).count();
            (format!("Shells: {shells}"), bash::list(context).await)
        }
        Hub::Tool => {
            let (tools, skills) = tool::counts(context).await;
            (format!("Tools: {tools}, skills: {skills}"), tool::list(context).await)
        }
        Hub::Event => event::overview(context).await,
    };
    with_body(&counts, &format!("{body}\n\n{}", words(hub)))
}

fn count_topics(kind: Kind, context: &Context<'_>) -> usize {
    context.topics.list().iter().filter(|session| session.topic.kind() == kind).count()
}

/// Lines in columns: every column but the last as wide as its widest cell.
pub fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The words of a hub, as they are typed on the command line, with general ones that belong to its subject.
fn words(hub: Hub) -> String {
    let topic = Topic::Hub(hub);
    let related: &[Verb] = match hub {
        Hub::App => &[Verb::Install, Verb::Uninstall],
        Hub::Event => &[Verb::Watch],
        Hub::Bash | Hub::Tool | Hub::System | Hub::Agent => &[],
    };
    let belongs = |spec: &&table::Spec| spec.place == Place::Hub(hub) || related.contains(&spec.verb);
    let rows: Vec<(String, &str)> = table::valid_in(&topic)
        .filter(belongs)
        .map(|spec| (format!("string {} {}", hub.as_str(), &spec.usage[1..]), spec.summary))
        .collect();
    let lengths = rows.iter().map(|(usage, _)| usage.chars().count());
    let width = lengths.filter(|length| *length <= WORDS_MAX).max().unwrap_or(0);
    rows.iter().map(|(usage, summary)| format!("{usage:width$}  {summary}")).collect::<Vec<_>>().join("\n")
}

fn open_topics(what: &str, kind: Kind, context: &Context<'_>) -> String {
    let open = context.topics.list();
    let rows: Vec<[String; 2]> = open
        .iter()
        .filter(|session| session.topic.kind() == kind)
        .map(|session| topic_row(session))
        .collect();
    if rows.is_empty() { format!("No {what} topics are open.") } else { columns(&rows) }
}

fn topic_row(session: &Session) -> [String; 2] {
    [session.topic.to_string(), crate::command::detail(session)]
}
