//! Scripts of documents: an action as a tool, with what the frontmatter of its file grants it.

use std::path::Path;

use sfmd::{Action, Call, Document};

use super::invalid::Invalid;
use super::raw;
use super::schema::Schema;
use super::tool::{ENTRYPOINT, EnvName, Grants, Retry, TIMEOUT, TIMEOUT_MAX, Tool, script_path};

impl Tool {
    /// The tool that a `SCRIPT` action of a local document is. `name` is what errors and tasks call it.
    pub fn of_action(
        name: String,
        file: &Path,
        document: &Document,
        action: &Action,
    ) -> Result<Self, Invalid> {
        let wrong = |message: String| Invalid {
            line: action.line as u64,
            field: format!("act.{}", action.id),
            ..Invalid::whole(file, message)
        };
        let Call::Script { file: script, entrypoint } = &action.call else {
            return Err(wrong("is no script".to_owned()));
        };
        let Grants { bindings, vault, script_tools } = grants(file, document)?;
        let folder = file.parent().unwrap_or(Path::new("/"));
        let program = script::Program::file(folder, script_path(script).map_err(wrong)?);
        program.check().map_err(wrong)?;
        Ok(Self {
            name,
            description: document.frontmatter.description.clone().unwrap_or_default(),
            // The fields of the action have been checked by then.
            schema: Schema::compile(serde_json::json!({ "type": "object" })).map_err(wrong)?,
            program,
            entrypoint: entrypoint.clone().unwrap_or_else(|| ENTRYPOINT.to_owned()),
            timeout: action.timeout.unwrap_or(TIMEOUT).min(TIMEOUT_MAX),
            retry: Retry::ONCE,
            bindings,
            vault,
            env: document.frontmatter.env.iter().map(EnvName::from).collect(),
            // The call of an action looks after those itself.
            requirements: Vec::new(),
            script_tools,
            direct_call: false,
            file: file.to_owned(),
        })
    }
}

/// What is wrong with the scripts of a document, so that its reader knows before the first call.
pub fn problem(file: &Path, document: &Document) -> Option<Invalid> {
    let mut scripts = document.actions.iter().filter(|action| matches!(action.call, Call::Script { .. }));
    scripts.find_map(|action| Tool::of_action(String::new(), file, document, action).err())
}

/// `state:`, `vault:` and `script_tools:` of the frontmatter, read again with the place of every value.
fn grants(file: &Path, document: &Document) -> Result<Grants, Invalid> {
    let header = &document.frontmatter.lines;
    let lines = document.source().lines().skip(header.start).take(header.len().saturating_sub(2));
    // An empty line stands for the opening `---`, so that lines count as in the file.
    let text: String = std::iter::once("").chain(lines).flat_map(|line| [line, "\n"]).collect();
    if header.is_empty() {
        return Ok(Grants::default());
    }
    Grants::check(file, &raw::parse::<raw::Grants>(file, &text)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Kind;

    const PAGE: &str = "---
title: Tracker
tags: [a, b]
env:
  - BASE: \"Where\"
    default: \"x\"
state:
  - { name: items, key_prefix: items., scope_kind: profile }
vault:
  - { key: token, scope_kinds: [profile] }
---
```act.add
SCRIPT ./s/t.ts addItem --timeout 2s
  text: string (required)
```
```act.list
SCRIPT s/t.ts
```
";

    fn tool(page: &str, id: &str) -> Result<Tool, Invalid> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("s")).unwrap();
        std::fs::write(dir.path().join("s/t.ts"), "export const list = () => 1").unwrap();
        let document = sfmd::parse(page);
        let action = document.actions.iter().find(|action| action.id.as_str() == id).unwrap();
        Tool::of_action("page.md".into(), &dir.path().join("page.md"), &document, action)
    }

    #[test]
    fn an_action_is_a_tool_with_the_grants_of_its_file() {
        let add = tool(PAGE, "add").unwrap();
        assert_eq!((add.entrypoint.as_str(), add.timeout.as_millis()), ("addItem", 2_000));
        assert_eq!(
            (add.bindings.0[0].kind, add.bindings.0[0].key_prefix.as_str()),
            (Kind::Profile, "items.")
        );
        assert_eq!((add.vault[0].key.as_str(), add.env[0].name.as_str()), ("token", "BASE"));
        assert_eq!(add.env[0].default.as_deref(), Some("x"));
        assert_eq!(tool(PAGE, "list").unwrap().entrypoint, "run");
        assert!(tool(&PAGE[PAGE.find("```").unwrap()..], "list").unwrap().bindings.0.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_in_the_document() {
        for (from, to, line, field) in [
            ("scope_kind: profile", "scope_kind: shared", 8, "state[0].scope_id"),
            ("scope_kind: profile", "scope_kind: galaxy", 8, "state[0].scope_kind"),
            ("key_prefix: items., ", "", 8, ""),
            ("name: items,", "name: items, colour: red,", 8, ""),
            ("scope_kinds: [profile]", "scope_kinds: [task]", 10, "vault[0].scope_kinds"),
            ("./s/t.ts", "../t.ts", 12, "act.add"),
            ("./s/t.ts", "/etc/t.ts", 12, "act.add"),
            ("./s/t.ts", "./s/missing.ts", 12, "act.add"),
            ("./s/t.ts", "./s/t.py", 12, "act.add"),
        ] {
            let page = PAGE.replacen(from, to, 1);
            let invalid = tool(&page, "add").unwrap_err();
            assert_eq!(invalid.line, line, "{to}: {invalid}");
            assert!(field.is_empty() || invalid.field == field, "{to}: {invalid}");
        }
    }
}
