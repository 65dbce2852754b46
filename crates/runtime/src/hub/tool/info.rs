//! One tool or skill: what it takes and what it may use, for readers and for programs.

use serde_json::{Value, json};

use crate::agent::Workspace;
use crate::call;
use crate::command::{Context, Format};
use crate::error::{Code, Error, Result, in_lines, nearest, quoted};
use crate::hub::columns;
use crate::manifest::{Catalogue, Listed, Skill, Tool};
use crate::reply::with_body;
use crate::tool as documents;

pub async fn info(name: &str, format: Format, context: &Context<'_>) -> Result<String> {
    let workspace = &context.agent.workspace;
    let catalogue = context.runtime.tools.of(workspace.home()).await;
    let (text, value) = if let Some(skill) = catalogue.skills.iter().find(|skill| skill.id == name) {
        let text = with_body(&format!("Skill: {name}"), &skill_text(skill, &catalogue));
        (text, with(skill_json(skill), "instruction", skill.instruction().into()))
    } else {
        match catalogue.get(name) {
            Some(Listed::Tool(tool)) => {
                let text = format!("{}\n\n{}", call::help(tool), permissions(tool, context));
                (text, with(tool_json(tool), "input_schema", tool.schema.document.clone()))
            }
            Some(Listed::Invalid(invalid)) => return Err(invalid.clone().into()),
            None => {
                let pages = documents::names(workspace);
                if !pages.iter().any(|page| page == name) {
                    return Err(not_found(name, &pages, &catalogue));
                }
                let text = format!("Tool: {name}\n---\nA document with actions. Try /tool:{name} --help");
                (text, page_json(name, workspace))
            }
        }
    };
    Ok(match format {
        Format::Text => text,
        Format::Json => format!("{value:#}"),
    })
}

/// As the list shows a tool of a manifest.
pub fn tool_json(tool: &Tool) -> Value {
    json!({ "name": tool.name, "kind": "script", "description": tool.description, "file": tool.file })
}

/// As the list shows a tool that is a document.
pub fn page_json(name: &str, workspace: &Workspace) -> Value {
    json!({ "name": name, "kind": "document", "description": documents::description(name, workspace) })
}

/// As the list shows a skill.
pub fn skill_json(skill: &Skill) -> Value {
    json!({ "name": skill.id, "kind": "skill", "description": skill.description, "tools": skill.tools })
}

fn with(mut listed: Value, field: &str, value: Value) -> Value {
    listed[field] = value;
    listed
}

fn not_found(name: &str, pages: &[String], catalogue: &Catalogue) -> Error {
    let known = catalogue.names().chain(pages.iter().map(String::as_str));
    let near = nearest(name, known.collect::<Vec<_>>()).map(|name| format!("Did you mean {name}?"));
    Error::new(Code::NotFound, format!("No tool {}.", quoted(name)))
        .hints(near)
        .hint("See them all: string tool list")
}

fn permissions(tool: &Tool, context: &Context<'_>) -> String {
    let mut rows = vec![["file:".to_owned(), context.agent.workspace.display(&tool.file)]];
    for binding in &tool.bindings.0 {
        let id = binding.scope_id.as_ref().map(|id| format!(":{id}")).unwrap_or_default();
        rows.push(["state:".to_owned(), format!("{}{id} {}*", binding.kind.as_str(), binding.key_prefix)]);
    }
    rows.extend(tool.vault.iter().map(|key| ["vault:".to_owned(), key.key.clone()]));
    rows.extend(tool.env.iter().map(|name| ["env:".to_owned(), format!("${}", name.name)]));
    rows.extend(tool.script_tools.iter().map(|name| ["calls:".to_owned(), name.clone()]));
    rows.push(["time limit:".to_owned(), format!("{} ms", tool.timeout.as_millis())]);
    columns(&rows)
}

fn skill_text(skill: &Skill, catalogue: &Catalogue) -> String {
    let known = |id: &String| catalogue.skills.iter().any(|skill| skill.id == *id);
    let missing: Vec<&str> = skill.requires.iter().filter(|id| !known(id)).map(String::as_str).collect();
    let unknown = |name: &&String| !matches!(catalogue.get(name), Some(Listed::Tool(_)));
    let unknown: Vec<&str> = skill.tools.iter().filter(unknown).map(String::as_str).collect();
    let mut lines = vec![format!("{}: {}", skill.name, skill.description)];
    if !skill.tools.is_empty() {
        lines.push(format!("Tools: {}", skill.tools.join(", ")));
    }
    if !unknown.is_empty() {
        lines.push(format!("Missing tools: {}", unknown.join(", ")));
    }
    if !missing.is_empty() {
        lines.push(format!("Missing skills: {}", missing.join(", ")));
    }
    lines.push(String::new());
    lines.push(skill.instruction());
    in_lines(&lines.join("\n")).into_owned()
}
