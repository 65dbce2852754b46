//! `/info`: where this session is and what it holds.

use std::borrow::Borrow;

use super::Context;
use crate::document::{Source, display_directory};
use crate::reply::with_body;
use crate::topic::Topic;

/// Width of the keys, so that the values stand in one column.
const KEY_WIDTH: usize = 11;

pub fn run(context: &Context<'_>) -> String {
    let mut lines = Lines::default();
    match &context.session.topic {
        Topic::Hub(hub) => lines.add("hub", hub.as_str()),
        Topic::Bash(_) => lines.add("shell", "(no shell)"),
        Topic::App { name, config } => {
            let config = config.as_ref().map(|config| format!(":{config}")).unwrap_or_default();
            lines.add("app", &format!("{name}{config}"));
            document_lines(&mut lines, context);
        }
        Topic::Tab(_) => document_lines(&mut lines, context),
    }
    with_body("Session info", &lines.0.join("\n"))
}

#[derive(Default)]
struct Lines(Vec<String>);

impl Lines {
    fn add(&mut self, key: &str, value: &str) {
        self.0.push(format!("{:KEY_WIDTH$}{value}", format!("{key}:")));
    }

    /// Only lines that have something to say.
    fn add_list(&mut self, key: &str, values: &[impl Borrow<str>]) {
        if !values.is_empty() {
            self.add(key, &values.join(", "));
        }
    }
}

fn document_lines(lines: &mut Lines, context: &Context<'_>) {
    let workspace = &context.agent.workspace;
    let Some(page) = &context.state.page else {
        let here = context.state.directory.as_deref().unwrap_or(workspace.home());
        lines.add("cwd", &display_directory(here, workspace));
        lines.add("file", "(none open)");
        return;
    };
    let source = &page.location.source;
    let shown = source.display(workspace);
    lines.add("file", shown.strip_prefix("~/").filter(|rest| !rest.is_empty()).unwrap_or(&shown));
    lines.add("cwd", &display_directory(source.directory(), workspace));
    if let Some(title) = page.title().filter(|_| matches!(source, Source::File(_))) {
        lines.add("title", &title);
    }
    if let Some(block) = &page.location.block {
        lines.add("block", &format!("#{block}"));
    }
    lines.add_list("blocks", &page.block_ids());
    let history = context.state.history.len();
    lines.add("history", &format!("{history} {}", if history == 1 { "entry" } else { "entries" }));
    lines.add_list("warnings", &context.state.warnings());
}
