//! The tool hub: tools and skills, and the tasks in which they ran.

mod info;
mod words;

use serde_json::{Value, json};

pub use words::{Command, Verb, WORDS};

use crate::command::{Context, Format};
use crate::error::{Code, Error, Result, nearest, one_line};
use crate::reply::with_body;
use crate::state;
use crate::task;
use crate::tool as documents;

/// How many entries of each kind of state a task shows to a reader.
const SHOWN_MAX: usize = 100;
/// Tasks that a list shows.
const LISTED_MAX: usize = 1_000;

pub async fn run(command: Command, context: &Context<'_>) -> Result<String> {
    match command {
        Command::List(Format::Text) => Ok(with_body("Tools", &list(context).await)),
        Command::List(Format::Json) => Ok(format!("{:#}", list_json(context).await)),
        Command::Info(name, format) => info::info(&name, format, context).await,
        Command::Tasks(format) => tasks(format, context).await,
        Command::Task(id, format) => show_task(&id, format, context).await,
        Command::Purge(ids) => purge(&ids, context).await,
        Command::PurgeAll => {
            let all = context.runtime.tasks.list(&context.agent.id).await?;
            let is_over = |id: &task::Id| context.runtime.tasks.running_in(&context.agent.id, id).is_none();
            let ids = all.iter().filter_map(|task| task::Id::parse(&task.id).ok()).filter(is_over);
            purge(&ids.collect::<Vec<_>>(), context).await
        }
    }
}

/// How many tools and skills there are.
pub async fn counts(context: &Context<'_>) -> (usize, usize) {
    let workspace = &context.agent.workspace;
    let catalogue = context.runtime.tools.of(workspace.home()).await;
    (catalogue.tools().count() + documents::names(workspace).len(), catalogue.skills.len())
}

/// Tools, then skills, then what is wrong.
pub async fn list(context: &Context<'_>) -> String {
    let workspace = &context.agent.workspace;
    let catalogue = context.runtime.tools.of(workspace.home()).await;
    let scripts = catalogue.tools().map(|tool| [tool.name.clone(), tool.description.clone()]);
    let pages = documents::names(workspace).into_iter().map(|name| {
        let description = documents::description(&name, workspace);
        [name, description.unwrap_or_else(|| "actions of a document".to_owned())]
    });
    let rows: Vec<[String; 2]> = scripts.chain(pages).collect();
    let mut sections =
        vec![if rows.is_empty() { "No tools are installed.".to_owned() } else { super::columns(&rows) }];
    let skills: Vec<[String; 2]> =
        catalogue.skills.iter().map(|skill| [skill.id.clone(), skill.description.clone()]).collect();
    if !skills.is_empty() {
        sections.push(format!("Skills:\n{}", super::columns(&skills)));
    }
    if !catalogue.invalid.is_empty() {
        let lines: Vec<String> =
            catalogue.invalid.iter().map(|invalid| one_line(&invalid.to_string())).collect();
        sections.push(format!("Not usable:\n{}", lines.join("\n")));
    }
    sections.join("\n\n")
}

async fn list_json(context: &Context<'_>) -> Value {
    let workspace = &context.agent.workspace;
    let catalogue = context.runtime.tools.of(workspace.home()).await;
    let scripts = catalogue.tools().map(|tool| info::tool_json(tool));
    let pages = documents::names(workspace).into_iter().map(|name| info::page_json(&name, workspace));
    let skills = catalogue.skills.iter().map(|skill| info::skill_json(skill));
    let invalid = catalogue.invalid.iter().map(|invalid| {
        json!({ "name": null, "kind": "invalid", "file": invalid.file, "line": invalid.line, "field": invalid.field, "message": invalid.message })
    });
    Value::from_iter(scripts.chain(pages).chain(skills).chain(invalid))
}

async fn tasks(format: Format, context: &Context<'_>) -> Result<String> {
    let tasks = context.runtime.tasks.list(&context.agent.id).await?;
    if format == Format::Json {
        let rows = tasks.iter().map(|task| json!({ "id": task.id, "record": task.record }));
        return Ok(format!("{:#}", Value::from_iter(rows)));
    }
    if tasks.is_empty() {
        return Ok(with_body("Tasks", "No tasks."));
    }
    let row = |task: &task::Listed| match &task.record {
        Some(record) => [
            task.id.clone(),
            record.tool.clone(),
            record.topic.clone(),
            format!("{} {}", time(record.ended_at), record.outcome.as_str()),
        ],
        None => [task.id.clone(), String::new(), String::new(), "has state".to_owned()],
    };
    let rows: Vec<_> = tasks.iter().take(LISTED_MAX).map(row).collect();
    let left_out = tasks.len() - rows.len();
    let more = if left_out == 0 { String::new() } else { format!("\n… and {left_out} older ones") };
    Ok(with_body("Tasks", &(super::columns(&rows) + &more)))
}

async fn show_task(id: &task::Id, format: Format, context: &Context<'_>) -> Result<String> {
    let agent = &context.agent.id;
    let known = context.runtime.tasks.list(agent).await?;
    let Some(task) = known.iter().find(|task| task.id == id.as_str()) else {
        let near = nearest(id.as_str(), known.iter().map(|task| task.id.as_str()));
        return Err(Error::new(Code::NotFound, format!("No task {id}."))
            .hints(near.map(|id| format!("Did you mean {id}?")))
            .hint("See them all: string tool tasks"));
    };
    let events = context.runtime.tasks.events(agent, id).await?;
    let limit = if format == Format::Json { state::PAGE_MAX } else { SHOWN_MAX };
    let entries = async |space: &store::Space| {
        let page = context.runtime.durable.list(space, "", limit, None).await;
        page.map_err(|error: state::Error| Error::new(Code::LoadError, error.message))
    };
    let bound = entries(&state::Kind::Task.space(agent, id)).await?;
    let shared = entries(&task::state_space(agent, id)).await?;
    let mut tools = Vec::new();
    for (tool, space) in context.runtime.tasks.tool_spaces(agent, id).await? {
        tools.push((tool, entries(&space).await?));
    }
    if format == Format::Json {
        let tool_state: serde_json::Map<String, Value> =
            tools.iter().map(|(tool, page)| (tool.clone(), json!(page.entries))).collect();
        let places = [("state".to_owned(), &bound), ("task_state".to_owned(), &shared)].into_iter();
        let places = places.chain(tools.iter().map(|(tool, page)| (format!("tool_state.{tool}"), page)));
        let cut: Vec<String> =
            places.filter(|(_, page)| page.next_cursor.is_some()).map(|(place, _)| place).collect();
        let mut json = json!({ "id": task.id, "record": task.record, "events": events, "state": bound.entries,
            "task_state": shared.entries, "tool_state": tool_state });
        if !cut.is_empty() {
            json["has_more"] = cut.into();
        }
        return Ok(format!("{json:#}"));
    }
    let mut lines = Vec::new();
    if let Some(record) = &task.record {
        let calls = if record.calls == 1 { "1 call".to_owned() } else { format!("{} calls", record.calls) };
        lines.push(format!("{} in {}, {calls}, {}", record.tool, record.topic, record.outcome.as_str()));
    }
    lines.extend(state_lines("", &bound, &format!("string system state ls task:{id}")));
    let all = format!("string tool task {id} --json");
    lines.extend(state_lines("task: ", &shared, &all));
    for (tool, page) in &tools {
        lines.extend(state_lines(&format!("{tool}: "), page, &all));
    }
    lines.extend(events.iter().map(event_line));
    Ok(with_body(&format!("Task: {id}"), &lines.join("\n")))
}

/// The first entries of a place, and how to see the others.
fn state_lines(of: &str, page: &state::Page, all: &str) -> Vec<String> {
    let line = |entry: &state::Entry| one_line(&format!("{of}{} = {}", entry.key, entry.value.get()));
    let rest = page.next_cursor.is_some().then(|| format!("{of}… more: {all}"));
    page.entries.iter().map(line).chain(rest).collect()
}

fn event_line(event: &task::Event) -> String {
    let texts = [event.title.as_deref(), event.message.as_deref()];
    let text = texts.into_iter().flatten().collect::<Vec<_>>().join(": ");
    let payload = event.payload.as_ref().map(|payload| format!(" {payload}")).unwrap_or_default();
    one_line(&format!("{} {} {} {text}{payload}", time(event.at), event.level, event.kind))
}

async fn purge(ids: &[task::Id], context: &Context<'_>) -> Result<String> {
    // A call that runs would go on, and leave it all again.
    if let Some((id, topic)) = ids.iter().find_map(|id| {
        let topic = context.runtime.tasks.running_in(&context.agent.id, id)?;
        Some((id, topic))
    }) {
        return Err(Error::new(Code::Conflict, format!("Task {id} is running, in {topic}."))
            .hint(format!("Nothing was purged. Stop it first: string {topic} /interrupt")));
    }
    let mut purged = Vec::new();
    let mut unknown = Vec::new();
    for id in ids {
        if context.runtime.tasks.purge(&context.agent.id, id).await? {
            let space = state::Place::Task(id.clone()).space(&context.agent.id);
            context.runtime.watches.space_dropped(&space).await;
            purged.push(id.to_string());
        } else {
            unknown.push(id.to_string());
        }
    }
    let unknown =
        if unknown.is_empty() { String::new() } else { format!("\nNo such task: {}", unknown.join(", ")) };
    match purged.is_empty() {
        true if ids.is_empty() => Ok("No tasks.".to_owned()),
        true => Err(Error::new(Code::NotFound, "No such task.").hint("See them all: string tool tasks")),
        false => Ok(format!("Purged: {}{unknown}", purged.join(", "))),
    }
}

fn time(millis: i64) -> String {
    jiff::Timestamp::from_millisecond(millis)
        .map(|time| time.strftime("%Y-%m-%d %H:%M:%S").to_string())
        .unwrap_or_default()
}
