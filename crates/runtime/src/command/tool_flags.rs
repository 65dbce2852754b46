//! `--task ID` and `--json {…}` of a script that a document declares: as for tools of manifests.

use serde_json::{Map, Value};
use sfmd::{Action, Call};

use super::script_tool::in_session;
use super::{Context, surroundings};
use crate::action::{Meaning as _, Wanted, Word, exact_json};
use crate::error::{Code, Error, Result};
use crate::substitute::text_of;
use crate::variable::Scope;

/// What flags of our own say about a call.
#[derive(Debug, Default, PartialEq)]
pub struct Own {
    pub task: Option<String>,
    /// The whole input.
    pub input: Option<Map<String, Value>>,
}

/// Takes our own flags out of the words of a call. Other kinds of actions have no use for them, and may pass theirs on.
pub async fn take(words: &mut Vec<Word>, action: &Action, context: &Context<'_>) -> Result<Own> {
    let mut own = Own::default();
    if !matches!(action.call, Call::Script { .. }) {
        return Ok(own);
    }
    if let Some(word) = take_value(words, "task", action)? {
        own.task = Some(meant(&word, Wanted::Text, context).await?);
    }
    if let Some(word) = take_value(words, "json", action)? {
        own.input = Some(object(&meant(&word, Wanted::Json, context).await?)?);
    }
    Ok(own)
}

/// Takes a flag with its value out. One that the action declares as a field is its own, and ours is `--@NAME` then.
fn take_value(words: &mut Vec<Word>, name: &str, action: &Action) -> Result<Option<Word>> {
    let (bare, marked) = (format!("--{name}"), format!("--@{name}"));
    let is_ours = |flag: &str| flag == marked || flag == bare && action.field(name).is_none();
    let flag = |word: &Word| word.leading_text().split('=').next().unwrap_or_default().to_owned();
    let found = words.iter().position(|word| !word.is_quoted && !word.is_literal && is_ours(&flag(word)));
    let Some(at) = found else { return Ok(None) };
    let word = words.remove(at);
    let typed = flag(&word);
    if word.leading_text().len() > typed.len() {
        return Ok(Some(word.without(typed.len() + "=".len())));
    }
    if at == words.len() {
        return Err(Error::new(Code::InvalidParams, format!("{typed} needs a value.")));
    }
    Ok(Some(words.remove(at)))
}

async fn meant(word: &Word, wanted: Wanted<'_>, context: &Context<'_>) -> Result<String> {
    if let Some(text) = word.plain() {
        return Ok(text.to_owned());
    }
    let persistent = surroundings::persistent(context, &Scope::of(&context.session.topic)).await?;
    let surroundings = surroundings::of(context, context.state.page.as_deref());
    let meant = in_session(context, &persistent, &surroundings).word(word, wanted)?;
    Ok(text_of(&meant.value).into_owned())
}

fn object(json: &str) -> Result<Map<String, Value>> {
    let wrong = |why: &str| Error::new(Code::InvalidParams, format!("The input {why}"));
    match exact_json(json).map_err(|why| wrong(&why))? {
        Some(Value::Object(input)) => Ok(input),
        _ => Err(wrong("is not a JSON object.").hint("--json '{\"field\": \"value\"}'")),
    }
}
