//! `/tool:…`: calls a tool in the caller's session, without leaving its document.

use serde_json::{Map, Value};

use super::payload::{Line, Suffix};
use super::{Caller, Context, act, ground, script_tool, tool_flags};
use crate::action::{self, Called, Word};
use crate::document::Asker;
use crate::error::{Code, Error, Result, quoted};
use crate::manifest::Listed;
use crate::tool::{self, Name};
use crate::variable::Claimant;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct What {
    name: Name,
    words: Vec<Word>,
    /// A JSON object below the command: the whole input, in which nothing is filled in.
    body: Option<String>,
    /// Whether there are lines below that are no object.
    has_text_below: bool,
}

impl What {
    pub fn parse(line: &Line<'_>) -> Result<Self> {
        let content = line.content();
        let (words, below) = action::split_first_line(&content)?;
        let has_text_below = !below.trim().is_empty() && !below.trim_start().starts_with('{');
        let body = Some(below).filter(|below| below.trim_start().starts_with('{')).map(str::to_owned);
        let mut words = if body.is_some() { words } else { action::split(&content)? };
        let named = match line.suffix {
            Suffix::Of(name) | Suffix::Bare(name) => Some(name.to_owned()),
            Suffix::None if words.is_empty() => None,
            Suffix::None => words.remove(0).plain().map(str::to_owned),
        };
        let name = named.filter(|name| !name.is_empty() && !name.starts_with('-')).ok_or_else(|| {
            Error::new(Code::InvalidParams, "No tool was named.").hint(format!("Usage: {}", line.spec.usage))
        })?;
        Ok(Self { name: Name::parse(&name), words, body, has_text_below })
    }
}

pub async fn run(what: What, context: Context<'_>) -> Result<String> {
    let What { name, mut words, body, has_text_below } = what;
    let manifests = context.runtime.tools.of(context.agent.workspace.home()).await;
    match manifests.get(&name.tool).filter(|_| name.action.is_none()) {
        Some(Listed::Tool(tool)) => {
            let tool = tool.clone();
            let ran = script_tool::run(&tool, manifests, &words, body.as_deref(), context).await;
            return ran.map_err(|error| match error.code == Code::InvalidParams && has_text_below {
                true => error.hint("Lines below the command are its input if they are a JSON object: {…}"),
                false => error,
            });
        }
        Some(Listed::Invalid(invalid)) => return Err(invalid.clone().into()),
        None => {}
    }
    let mut fields = Vec::new();
    if let Some(body) = body {
        match serde_json::from_str::<Map<String, Value>>(&body) {
            Ok(input) => fields.extend(input.into_iter().map(|(name, value)| (name, value.into()))),
            // A text may begin with a placeholder.
            Err(_) => words.extend(action::split(&body)?),
        }
    }
    let web = ground::web(&context, Asker::Local);
    let page =
        tool::load(&name.tool, &context.agent.workspace, web, &manifests, &context.runtime.shelf).await;
    let page = page.map_err(|error| match (error.code, &name.action) {
        (Code::NotFound, Some(action)) if manifests.get(&name.tool).is_some() => {
            let message = format!("{} is one script and has no action {}.", name.tool, quoted(action));
            Error::new(Code::NotFound, message).hint(format!("Call it: /tool:{}", name.tool))
        }
        _ => error,
    })?;
    let mut called = Called { prefix: format!("/tool:{}.", name.tool), words, fields };
    let default = page.content().document().frontmatter.default.clone();
    let asks_for_help = matches!(&called.words[..], [word] if word.plain() == Some("--help"));
    let id = match name.action.or(default.filter(|_| !asks_for_help)) {
        Some(id) => id,
        None if asks_for_help => return Ok(action::list(&page, &called)),
        None => return Err(tool::no_action_named(&name.tool, &page)),
    };
    let found = page.content().action(&id).ok_or_else(|| action::action_not_found(&id, &page))?;
    if called.asks_for_help(found.action) {
        return Ok(action::help(&found, &called));
    }
    let own = tool_flags::take(&mut called.words, found.action, &context).await?;
    if let Some(input) = own.input {
        if !called.fields.is_empty() {
            let message = "The whole input is given twice: give it once, as --json or below the command.";
            return Err(Error::new(Code::InvalidParams, message));
        }
        called.fields.extend(input.into_iter().map(|(name, value)| (name, value.into())));
    }
    let caller = Caller { task: own.task.or(context.caller.task.clone()), ..context.caller.clone() };
    let context = Context { caller: &caller, ..context };
    let current = context.state.page.as_deref();
    let ran = act::call(found, &page, Claimant::Tool, &called, current, &context).await?;
    ran.effects.apply(context.state);
    ran.reply
}
