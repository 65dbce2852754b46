//! `/ls`: the names in a directory.

use super::ground::Ground;
use super::open::strip_from;
use super::{Arguments, Context};
use crate::agent::workspace::{FoundKind, Hidden};
use crate::blocking;
use crate::document::{display_directory, is_blank, typed};
use crate::edit::FileTarget;
use crate::error::{Code, Error, Result};
use crate::reply::with_body;
use crate::topic::Topic;

const ALL: &str = "--all";
/// The same as a shell has it.
const SHORT: [&str; 3] = ["-a", "-la", "-al"];
/// How many names are shown. A directory with more is data.
const NAMES_MAX: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct What {
    target: FileTarget,
    hidden: Hidden,
    /// The number of the first name to show.
    from: usize,
}

impl What {
    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        let (text, from) = match strip_from(arguments.text().trim()) {
            None => (arguments.text(), 1),
            Some((text, number)) => {
                let from = number.parse().ok().filter(|from| *from > 0);
                (text, from.ok_or_else(|| arguments.wrong("--from needs the number of a name."))?)
            }
        };
        let (text, asked) = match SHORT.iter().find_map(|flag| without(text.trim(), flag)) {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let (target, flags) = arguments.about(text).target(&[ALL])?;
        let hidden = if flags.is_empty() && !asked { Hidden::LeftOut } else { Hidden::Shown };
        let target = match target {
            "" => ".",
            blank if is_blank(blank) => return Err(arguments.no_path()),
            target => target,
        };
        Ok(Self { target: FileTarget::parse(target), hidden, from })
    }
}

pub async fn run(what: What, context: Context<'_>) -> Result<String> {
    // An app stands on its own package, which is none of the agent's folders: names mean here what they mean to
    // `/open`, and those of the home are written out.
    let ground = match what.target.is_relative() && matches!(context.session.topic, Topic::App { .. }) {
        true => Ground::of(&context).ok(),
        false => None,
    };
    let (located, workspace) = match &ground {
        Some(ground) => {
            let located = what.target.locate_from(ground.bases(&context).on_this_machine(), context.state)?;
            (located, ground.workspace().clone())
        }
        None => {
            let bases = context.state.bases(&context.agent.workspace, context.caller.cwd.as_deref());
            let located = what.target.locate_from(bases.on_this_machine(), context.state)?;
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
        let all = if what.hidden == Hidden::Shown { " --all" } else { "" };
        // The top of a package has no name.
        let again = format!("/ls {}{all}", if shown.is_empty() { ".".into() } else { typed(&shown) });
        if what.from > 1 && what.from > names.len() {
            let message = format!("There are only {} names.", names.len());
            return Err(Error::new(Code::InvalidParams, message).hint(format!("From the first one: {again}")));
        }
        let body = body(&names, what.from, &again);
        Ok(with_body(&format!("Listing {}", display_directory(&path, &workspace)), &body))
    })
    .await
}

/// What is left of a text without a word at either end.
fn without<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let is_word = |edge: Option<char>| edge.is_none_or(char::is_whitespace);
    let first = text.strip_prefix(word).filter(|rest| is_word(rest.chars().next()));
    let last = || text.strip_suffix(word).filter(|rest| is_word(rest.chars().next_back()));
    first.or_else(last).map(str::trim)
}

/// As many names as one reply shows. `again` is the command that lists the same directory.
fn body(names: &[String], from: usize, again: &str) -> String {
    if names.is_empty() {
        return "(empty)".to_owned();
    }
    let end = names.len().min(from - 1 + NAMES_MAX);
    let mut text = names[from - 1..end].join("\n");
    if end < names.len() {
        text.push_str(&format!("\n… {} more · {again} --from {}", names.len() - end, end + 1));
    }
    text
}
