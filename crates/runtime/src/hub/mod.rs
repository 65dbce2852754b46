//! Hubs: managed views over their kind, and the words that manage it.

pub mod agent;
pub mod app;
pub mod bash;
pub mod doctor;
pub mod event;
pub mod state;
pub mod system;
pub mod tool;

use crate::command::Context;
use crate::command::table;
use crate::reply::with_body;
use crate::session::Session;
use crate::topic::{Hub, Kind, Topic};

/// The page of a hub.
pub async fn page(hub: Hub, context: &Context<'_>) -> String {
    match hub {
        Hub::Agent => with_body("Agents", &sections([agent::list(context), words(hub)])),
        Hub::System => with_body("System", &sections([system::status(context), words(hub)])),
        Hub::App => {
            let apps = app::list(context).unwrap_or_else(|error| error.to_string());
            with_body("Apps", &sections([apps, words(hub)]))
        }
        Hub::Bash => with_body("Shells", &sections([bash::list(context).await, words(hub)])),
        Hub::Tool => with_body("Tools", &sections([tool::list(context), words(hub)])),
        Hub::Event => with_body("Events", &sections([event::overview(context).await, words(hub)])),
    }
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

fn sections<const N: usize>(sections: [String; N]) -> String {
    sections.join("\n\n")
}

/// The words of a hub, as they are typed on the command line.
fn words(hub: Hub) -> String {
    let topic = Topic::Hub(hub);
    let own = table::valid_in(&topic).filter(|spec| spec.place == table::Place::Hub(hub));
    let rows: Vec<[String; 2]> = own
        .map(|spec| [format!("string {} {}", hub.as_str(), &spec.usage[1..]), spec.summary.to_owned()])
        .collect();
    columns(&rows)
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
