//! `/help`: the table of commands, as it applies here.

use super::Context;
use super::table::{self, Spec};
use crate::error::{Code, Error, Result, nearest, quoted};
use crate::reply::with_body;
use crate::topic::Topic;

/// Longer usage lines stand out of the column instead of making it wider than a screen.
const USAGE_MAX: usize = 44;

pub fn run(command: Option<&str>, context: &Context<'_>) -> Result<String> {
    let topic = &context.session.topic;
    match command {
        Some(name) => one(name.trim_start_matches('/'), topic),
        None => Ok(all(topic, context)),
    }
}

fn all(topic: &Topic, context: &Context<'_>) -> String {
    let rows: Vec<&Spec> = table::valid_in(topic).collect();
    let width =
        rows.iter().map(|spec| spec.usage.len()).filter(|length| *length <= USAGE_MAX).max().unwrap_or(0);
    let slash = slash(topic);
    let lines: Vec<String> =
        rows.iter().map(|spec| format!("{slash}{:width$}  {}", spec.usage, spec.summary)).collect();
    let actions: Vec<&str> = context
        .state
        .page
        .iter()
        .flat_map(|page| page.content().actions())
        .map(|found| found.action.id.as_str())
        .collect();
    let here = match actions.is_empty() {
        true => String::new(),
        false => format!("\n\nActions of this document: {} · /act --help", actions.join(", ")),
    };
    with_body(&format!("Commands in {topic}"), &format!("{}{here}", lines.join("\n")))
}

fn one(name: &str, topic: &Topic) -> Result<String> {
    let spec = table::find(name, topic).ok_or_else(|| {
        let slash = slash(topic);
        let near = nearest(name, table::commands().map(|spec| spec.name));
        Error::new(Code::NotFound, format!("No command {}.", quoted(&format!("{slash}/{name}"))))
            .hints(near.map(|name| format!("Did you mean {slash}/{name}?")))
            .hint(format!("Try {slash}/help for the commands valid here."))
    })?;
    let is_valid = table::valid_in(topic).any(|valid| std::ptr::eq(valid, spec));
    // One that works only elsewhere is shown as it is typed there.
    let slash = if is_valid { slash(topic) } else { "" };
    let lines = [
        spec.summary.to_owned(),
        format!("Usage: {slash}{}", spec.usage),
        format!("Works in: {}", table::places(spec.name).join(", ")),
    ];
    Ok(with_body(&format!("Command: {slash}/{}", spec.name), &lines.join("\n")))
}

/// What stands before a command's own slash.
fn slash(topic: &Topic) -> &'static str {
    &topic.slashes()[1..]
}
