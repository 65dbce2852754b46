//! `/tool:…`: calls a tool in the caller's session, without leaving its document.

use super::payload::{Line, Suffix};
use super::{Context, act, ground};
use crate::action::{self, Called, Word};
use crate::document::{Asker, Page};
use crate::error::{Code, Error, Result};
use crate::tool::{self, Name};
use crate::variable::Claimant;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct What {
    name: Name,
    words: Vec<Word>,
}

impl What {
    pub fn parse(line: &Line<'_>) -> Result<Self> {
        let mut words = action::split(&line.content())?;
        let named = match line.suffix {
            Suffix::Of(name) | Suffix::Bare(name) => Some(name.to_owned()),
            Suffix::None if words.is_empty() => None,
            Suffix::None => words.remove(0).plain().map(str::to_owned),
        };
        let name = named.filter(|name| !name.is_empty() && !name.starts_with('-')).ok_or_else(|| {
            Error::new(Code::InvalidParams, "No tool was named.").hint(format!("Usage: {}", line.spec.usage))
        })?;
        Ok(Self { name: Name::parse(&name), words })
    }
}

pub async fn run(what: What, context: Context<'_>) -> Result<String> {
    let What { name, words } = what;
    let web = ground::web(&context, Asker::Local);
    let page = tool::load(&name.tool, &context.agent.workspace, web).await?;
    let called = Called { prefix: format!("/tool:{}.", name.tool), words };
    let default = page.content().document().frontmatter.default.clone();
    let asks_for_help = matches!(&called.words[..], [word] if word.plain() == Some("--help"));
    let id = match name.action.or(default.filter(|_| !asks_for_help)) {
        Some(id) => id,
        None if asks_for_help => return Ok(action::list(&page, &called)),
        None => return Err(no_action_named(&name.tool, &page)),
    };
    let found = page.content().action(&id).ok_or_else(|| action::action_not_found(&id, &page))?;
    if called.asks_for_help(found.action) {
        return Ok(action::help(&found, &called));
    }
    let current = context.state.page.as_deref();
    let ran = act::call(found, &page, Claimant::Tool, &called, current, &context).await?;
    ran.effects.apply(context.state);
    ran.reply
}

fn no_action_named(tool: &str, page: &Page) -> Error {
    let names: Vec<String> =
        page.content().actions().map(|found| format!("/tool:{tool}.{}", found.action.id)).collect();
    let list = if names.is_empty() { "It has none.".to_owned() } else { names.join(", ") };
    Error::new(Code::InvalidParams, format!("The tool {tool} has no default action: name one.")).hint(list)
}
