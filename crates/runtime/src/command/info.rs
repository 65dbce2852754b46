//! `/info`: where this session is and what it holds.

use std::borrow::Borrow;
use std::collections::HashSet;

use serde_json::Value;

use super::follow::{Followed, follow, value_of};
use super::{Arguments, Context, act};
use crate::bash::first_line;
use crate::document::{Page, display_directory};
use crate::error::{Result, in_lines, one_line};
use crate::reply::with_body;
use crate::substitute::text_of;
use crate::topic::Topic;
use crate::variable;

/// Width of the keys, so that the values stand in one column.
const KEY_WIDTH: usize = 11;
/// How many shortcuts are named.
const SHORTCUTS_SHOWN: usize = 12;
/// How much of a variable's value is shown.
const VALUE_SHOWN: usize = 60;

pub async fn run(context: &Context<'_>) -> Result<String> {
    let mut lines = Lines::default();
    match &context.session.topic {
        Topic::Hub(hub) => lines.add("hub", hub.as_str()),
        Topic::Bash(_) => shell_lines(&mut lines, context).await?,
        Topic::App { name, config } => {
            let config = config.as_ref().map(|config| format!(":{config}")).unwrap_or_default();
            lines.add("app", &format!("{name}{config}"));
            document_lines(&mut lines, context).await;
        }
        Topic::Tab(_) => document_lines(&mut lines, context).await,
    }
    Ok(with_body("Session info", &lines.0.join("\n")))
}

pub fn parse(arguments: Arguments<'_>) -> Result<Option<String>> {
    let words = arguments.words()?;
    let wrong = words.wrong("Only a shortcut may follow, such as @docs.");
    match words.optional()? {
        None => Ok(None),
        Some(word) => word.strip_prefix('@').map(|id| Some(id.to_owned())).ok_or(wrong),
    }
}

/// Where a shortcut leads, or the value it stands for: `@docs → https://…`, `@item-2 → b2`.
pub fn shortcut(id: &str, context: &Context<'_>) -> Result<String> {
    let workspace = &context.agent.workspace;
    let target = match value_of(id, context.state) {
        Some(found) => text_of(&found.value).into_owned(),
        None => match follow(id, context.state, workspace)? {
            Followed::Location(location, _) => location.display(workspace),
            Followed::Topic(topic) => topic.to_string(),
        },
    };
    Ok(format!("@{id} → {}", in_lines(&target)))
}

#[derive(Default)]
struct Lines(Vec<String>);

impl Lines {
    fn add(&mut self, key: &str, value: &str) {
        // Titles and names come from documents: none may add a line of its own.
        self.0.push(format!("{:KEY_WIDTH$}{}", format!("{key}:"), one_line(value)));
    }

    /// Only lines that have something to say.
    fn add_list(&mut self, key: &str, values: &[impl Borrow<str>]) {
        if !values.is_empty() {
            self.add(key, &values.join(", "));
        }
    }
}

async fn shell_lines(lines: &mut Lines, context: &Context<'_>) -> Result<()> {
    let workspace = &context.agent.workspace;
    let (_, fence) = context.runtime.shells.boundary(context.agent).await?;
    let live = context.session.live();
    let info = match &live {
        Some(live) => live.shell.info().await.ok().filter(|info| info.death.is_none()),
        None => None,
    };
    let is_live = info.is_some();
    match info {
        Some(info) => {
            let gone = if info.directory.deleted { " (deleted)" } else { "" };
            lines.add("cwd", &format!("{}{gone}", display_directory(&info.directory.path, workspace)));
            lines.add("pid", &info.pid.to_string());
            if let Some(running) = info.running {
                lines.add("running", &first_line(&running.payload));
            }
        }
        None => lines.add("shell", "(no shell)"),
    }
    match live.map(|live| live.fence).filter(|own| is_live && *own != fence) {
        Some(own) => lines.add("boundary", &format!("{} (a new shell gets: {})", own.0, fence.0)),
        None => lines.add("boundary", &fence.0),
    }
    lines.add_list("vars", &variables(context));
    Ok(())
}

async fn document_lines(lines: &mut Lines, context: &Context<'_>) {
    let workspace = &context.agent.workspace;
    let Some(page) = &context.state.page else {
        let here = context.state.directory.as_deref().unwrap_or(workspace.home());
        lines.add("cwd", &display_directory(here, workspace));
        lines.add("file", "(none open)");
        lines.add_list("vars", &variables(context));
        return;
    };
    let source = &page.location.source;
    let shown = source.display(workspace);
    match source.directory() {
        Some(directory) => {
            lines.add("file", shown.strip_prefix("~/").filter(|rest| !rest.is_empty()).unwrap_or(&shown));
            lines.add("cwd", &display_directory(directory, workspace));
        }
        None => lines.add("uri", &shown),
    }
    if let Some(title) = page.title() {
        lines.add("title", title);
    }
    if let Some(block) = &page.location.block {
        lines.add("block", &format!("#{block}"));
    }
    lines.add_list("blocks", &page.block_ids());
    let menus: Vec<&str> = page.menus.iter().map(|menu| menu.name.as_str()).collect();
    lines.add_list("menus", &menus);
    lines.add_list("shortcuts", &shortcuts(page, context));
    let action = |found: sfmd::PageAction<'_>| format!("{}({})", found.action.id, found.action.call.word());
    lines.add_list("actions", &page.content().actions().map(action).collect::<Vec<_>>());
    let history = context.state.history.len();
    lines.add("history", &format!("{history} {}", if history == 1 { "entry" } else { "entries" }));
    lines.add_list("vars", &variables(context));
    let missing = act::missing(page, context).await;
    lines.add_list("env", &missing.iter().map(ToString::to_string).collect::<Vec<_>>());
    lines.add_list("warnings", &context.state.warnings(workspace));
}

/// The first shortcuts of a page and of values, and how many more there are.
fn shortcuts(page: &Page, context: &Context<'_>) -> Vec<String> {
    let of_page = page.content().shortcuts().iter().map(|shortcut| shortcut.id.as_str());
    let of_values = context.state.shortcuts.iter().map(|(id, _)| id);
    let mut seen = HashSet::new();
    let all: Vec<&str> = of_page.chain(of_values).filter(|id| seen.insert(*id)).collect();
    let mut shown: Vec<String> = all.iter().take(SHORTCUTS_SHOWN).map(|id| format!("@{id}")).collect();
    if all.len() > SHORTCUTS_SHOWN {
        shown.push(format!("+{} more", all.len() - SHORTCUTS_SHOWN));
    }
    shown
}

/// The session variables, long values cut; of those with several lines, how many.
fn variables(context: &Context<'_>) -> Vec<String> {
    let shown = |(name, value): (&str, &Value)| {
        let text = text_of(value);
        let long = text.char_indices().nth(VALUE_SHOWN).filter(|_| !text.contains('\n'));
        let cut = long.map(|(at, _)| format!("{}…", &text[..at]));
        format!("{{{name}}}={}", variable::shown_on_one_line(cut.as_deref().unwrap_or(&text)))
    };
    context.state.variables.iter().map(shown).collect()
}
