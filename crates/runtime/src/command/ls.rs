//! `/ls`: the names in a directory.

use super::ground::Ground;
use super::{Arguments, Context};
use crate::agent::workspace::{FoundKind, Hidden};
use crate::blocking;
use crate::document::{display_directory, is_blank, typed};
use crate::edit::FileTarget;
use crate::error::{Code, Error, Result};
use crate::reply::with_body;
use crate::topic::Topic;

const ALL: &str = "--all";
/// How many names are shown. A directory with more is data.
const NAMES_MAX: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct What {
    target: FileTarget,
    hidden: Hidden,
}

impl What {
    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        let (target, flags) = arguments.target(&[ALL])?;
        let hidden = if flags.is_empty() { Hidden::LeftOut } else { Hidden::Shown };
        let target = match target {
            "" => ".",
            blank if is_blank(blank) => return Err(arguments.no_path()),
            target => target,
        };
        Ok(Self { target: FileTarget::parse(target), hidden })
    }
}

pub async fn run(what: What, context: Context<'_>) -> Result<String> {
    // An app stands on its own package, which is none of the agent's folders.
    let ground = match what.target.is_relative() && matches!(context.session.topic, Topic::App { .. }) {
        true => Ground::of(&context).ok(),
        false => None,
    };
    let (located, workspace) = match &ground {
        Some(ground) => {
            let located = what.target.locate_from(ground.bases(&context), context.state)?;
            (located, ground.workspace().clone())
        }
        None => {
            let located = what.target.locate(context.state, context.agent, context.caller)?;
            (located, context.agent.workspace.clone())
        }
    };
    let located = located.whole()?;
    blocking::run(move || {
        let (path, found) = located.find(&workspace).map_err(|error| match error.code {
            Code::NotFound => {
                Error { message: format!("No such directory: {}", located.shown(&workspace)), ..error }
            }
            _ => error,
        })?;
        let shown = workspace.display(&path);
        if found.kind != FoundKind::Directory {
            return Err(Error::new(Code::InvalidParams, format!("{shown} is a file, not a directory."))
                .hint(format!("Open it: /open {}", typed(&shown))));
        }
        let unreadable = |error| Error::new(Code::LoadError, format!("{shown} could not be read: {error}"));
        let names = found.list(what.hidden).map_err(unreadable)?;
        Ok(with_body(&format!("Listing {}", display_directory(&path, &workspace)), &body(&names)))
    })
    .await
}

fn body(names: &[String]) -> String {
    if names.is_empty() {
        return "(empty)".to_owned();
    }
    let shown = names.len().min(NAMES_MAX);
    let mut text = names[..shown].join("\n");
    if shown < names.len() {
        text.push_str(&format!("\n… {} more", names.len() - shown));
    }
    text
}
