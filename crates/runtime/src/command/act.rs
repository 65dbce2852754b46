//! `/act…`: calls an action of the current document, or shows what it takes.

use sfmd::{PackageType, PageAction, Requirement};

use super::payload::{self, Line, Suffix};
use super::{Context, exec, open, surroundings};
use crate::action::{self, Call, Called, Effects, Ran, Word};
use crate::apart::apart;
use crate::document::Page;
use crate::error::{Code, Error, Result};
use crate::topic::Topic;
use crate::variable::{self, Claimant, Scope};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct What {
    pub name: Named,
    pub words: Vec<Word>,
}

/// How the action was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// Not at all: all of them are shown.
    None,
    Action(String),
    /// As if it were a command: `/search`.
    Bare(String),
}

impl What {
    pub fn parse(line: &Line<'_>) -> Result<Self> {
        let mut words = action::split(&line.content())?;
        let is_name = |word: &Word| word.plain().is_some_and(|text| !text.starts_with('-'));
        let name = match line.suffix {
            Suffix::Of(name) => Named::Action(name.to_owned()),
            Suffix::Bare(word) => Named::Bare(word.to_owned()),
            Suffix::None if words.first().is_some_and(is_name) => {
                Named::Action(words.remove(0).plain().unwrap_or_default().to_owned())
            }
            Suffix::None => Named::None,
        };
        Ok(Self { name, words })
    }
}

pub async fn run(what: What, mut context: Context<'_>) -> Result<String> {
    open::ensure_entry(&mut context).await?;
    let page = context.state.page.as_deref();
    let called = Called::typed("/act.".to_owned(), what.words);
    let name = match (&what.name, page) {
        (Named::Bare(word), page) if page.is_none_or(|page| page.content().action(word).is_none()) => {
            return Err(no_command(word, page, &context));
        }
        (_, None) => return Err(open::no_document()),
        (Named::None, Some(page)) => return list(page, &called),
        (Named::Action(name) | Named::Bare(name), Some(_)) => name,
    };
    let page = page.ok_or_else(open::no_document)?;
    let found = page.content().action(name).ok_or_else(|| action::action_not_found(name, page))?;
    if called.asks_for_help(found.action) {
        return Ok(action::help(&found, &called));
    }
    let ran = call(found, page, claimant(page, &context), &called, Some(page), &context).await?;
    ran.effects.apply(context.state);
    ran.reply
}

/// Calls an action that `page` declares, for the session as it stands with `current` as its document.
pub async fn call(
    found: PageAction<'_>,
    page: &Page,
    claimant: Claimant,
    called: &Called,
    current: Option<&Page>,
    context: &Context<'_>,
) -> Result<Ran> {
    // An app finds its own workspace there.
    exec::base_path(context)?;
    let persistent = surroundings::persistent(context, &Scope::of(&context.session.topic)).await?;
    let call = Call {
        runtime: context.runtime,
        agent: context.agent,
        session: context.session,
        state: &*context.state,
        task: context.caller.task.as_deref(),
        page,
        claimant,
        found,
        called,
        persistent: &persistent,
        surroundings: surroundings::of(context, current),
        bases: surroundings::bases(context, current),
    };
    Ok(apart(|| action::call(call)).await)
}

/// Runs the default action of a page that is about to be shown, unless only a block of it is.
pub async fn default(page: &Page, context: &Context<'_>) -> Option<Ran> {
    let id = page.content().document().frontmatter.default.as_deref();
    let found = id.filter(|_| page.location.block.is_none()).and_then(|id| page.content().action(id))?;
    let ran = call(found, page, claimant(page, context), &Called::nothing(), Some(page), context).await;
    Some(ran.unwrap_or_else(|error| Ran { reply: Err(error), effects: Effects::default() }))
}

/// The variables that a page requires and that have no value here.
pub async fn missing<'p>(page: &'p Page, context: &Context<'_>) -> Vec<&'p Requirement> {
    let requirements = page.content().requirements();
    if requirements.is_empty() {
        return Vec::new();
    }
    // A damaged file is reported by what needs its values; it does not keep a page from being read.
    let scope = Scope::of(&context.session.topic);
    let persistent = surroundings::persistent(context, &scope).await.unwrap_or_default();
    variable::missing(requirements, &persistent)
}

fn list(page: &Page, called: &Called) -> Result<String> {
    match &called.words[..] {
        [] => Ok(action::list(page, called)),
        [word] if word.plain() == Some("--help") => Ok(action::list(page, called)),
        [word, ..] => {
            let message = format!("No action is named before {}.", word.template);
            Err(Error::new(Code::InvalidParams, message).hint("Usage: /act.NAME [--FIELD VALUE…]"))
        }
    }
}

/// Who requires what a page of this topic requires.
pub fn claimant(page: &Page, context: &Context<'_>) -> Claimant {
    match (&context.session.topic, page.content().document().frontmatter.package_type) {
        (Topic::App { .. }, _) | (_, Some(PackageType::App)) => Claimant::App,
        (_, Some(PackageType::Tool)) => Claimant::Tool,
        (_, None) => Claimant::Document,
    }
}

fn no_command(word: &str, page: Option<&Page>, context: &Context<'_>) -> Error {
    let error = payload::not_valid(word, &context.session.topic);
    let names = page.into_iter().flat_map(|page| page.content().actions());
    let names: Vec<&str> = names.map(|found| found.action.id.as_str()).collect();
    let near = crate::error::nearest(word, names).map(|name| format!("Did you mean the action /act.{name}?"));
    error.hints(near)
}
