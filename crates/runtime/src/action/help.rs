//! What an agent is told about the actions of a document: names and parameters, never what they do with them.

use sfmd::{PageAction, action_help};

use super::Called;
use crate::document::Page;
use crate::error::{Code, Error, nearest, quoted};
use crate::reply::with_body;

/// `/act.search --help`
pub fn help(found: &PageAction<'_>, called: &Called) -> String {
    let id = found.action.id.as_str();
    let text = action_help(found.action).replacen("Usage: /act.", &format!("Usage: {}", called.prefix), 1);
    with_body(&format!("Action: {id}"), &text)
}

/// `/act --help`: all of them.
pub fn list(page: &Page, called: &Called) -> String {
    let one = |found: PageAction<'_>| {
        let text =
            action_help(found.action).replacen("Usage: /act.", &format!("Usage: {}", called.prefix), 1);
        let indented: Vec<String> =
            text.lines().filter(|line| !line.is_empty()).map(|line| format!("  {line}")).collect();
        format!("{}\n{}", found.action.id, indented.join("\n"))
    };
    let all: Vec<String> = page.content().actions().map(one).collect();
    let body = if all.is_empty() { "This document has no actions.".to_owned() } else { all.join("\n\n") };
    with_body("Actions", &body)
}

pub fn action_not_found(name: &str, page: &Page) -> Error {
    let names: Vec<&str> = page.content().actions().map(|found| found.action.id.as_str()).collect();
    let near = nearest(name, names.iter().copied()).map(|name| format!("Did you mean {name}?"));
    let known =
        if names.is_empty() { "It has none.".to_owned() } else { format!("Actions: {}", names.join(", ")) };
    Error::new(Code::ActionNotFound, format!("No action {} in this document.", quoted(name)))
        .hints(near)
        .hint(known)
}
