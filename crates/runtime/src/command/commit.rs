//! `/commit`: keeps a version of a file, with a message.

use super::{Arguments, Context};
use crate::blocking;
use crate::document::is_blank;
use crate::edit::{self, Committed, FileTarget, MESSAGE_MAX};
use crate::error::{Code, Error, Result, one_line};
use crate::words;

const MESSAGE: &str = "--message";
const SHORT: &str = "-m";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct What {
    target: FileTarget,
    message: String,
}

impl What {
    /// `PATH --message "…"` or `--message "…" PATH`. A message behind a path needs no quotes, nor does a path.
    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        let text = arguments.text();
        let (path, message) = match split_at_flag(text) {
            None => {
                return Err(arguments.wrong(format!("{MESSAGE} is missing: a few words on what changed.")));
            }
            Some((before, rest)) => {
                let mut words = words::split(rest)?;
                if let Some(flag) = words.iter().skip(1).find(|word| word.starts_with("--")) {
                    return Err(arguments
                        .unknown_flag(flag)
                        .hint("A message that holds it stands in quotes."));
                }
                match before {
                    "" if words.is_empty() => (String::new(), String::new()),
                    "" => {
                        let message = words.remove(0);
                        (words.join(" "), message)
                    }
                    path => (path.to_owned(), words.join(" ")),
                }
            }
        };
        let message = one_line(message.trim());
        if is_blank(&path) {
            return Err(arguments.no_path());
        }
        if message.is_empty() || message.chars().count() > MESSAGE_MAX {
            let message = format!("{MESSAGE} needs a text of 1 to {MESSAGE_MAX} characters.");
            return Err(arguments.wrong(message));
        }
        Ok(Self { target: FileTarget::parse(&path), message })
    }
}

pub async fn run(what: What, context: Context<'_>) -> Result<String> {
    let Context { runtime, agent, state, caller, .. } = context;
    let located = what.target.locate(state, agent, caller)?.settled(&agent.workspace).await?.whole()?;
    let workspace = agent.workspace.clone();
    let (place, content) = blocking::run(move || {
        let (_, place) = located.place(&workspace)?;
        let content = edit::read(&place)?
            .ok_or_else(|| Error::new(Code::NotFound, format!("No such file: {}", place.shown())))?;
        Ok::<_, Error>((place, content))
    })
    .await?;
    let shown = place.shown();
    let now = runtime.clock.now();
    let committed = runtime.versions.commit(&agent.id, &place.path(), &content, &what.message, now).await?;
    Ok(match committed {
        Committed::New(number) => {
            format!("✓ committed {shown}@{number} ({})", sfmd::size_label(content.len()))
        }
        Committed::Unchanged(last) => {
            format!("✓ {shown} — Nothing changed since {}: {}", last.number, last.message)
        }
    })
}

/// What stands before and behind the flag, which is a word of its own.
fn split_at_flag(text: &str) -> Option<(&str, &str)> {
    split_at(text, MESSAGE).or_else(|| split_at(text, SHORT))
}

fn split_at<'t>(text: &'t str, flag: &str) -> Option<(&'t str, &'t str)> {
    text.match_indices(flag).find_map(|(at, _)| {
        let (before, rest) = (&text[..at], &text[at + flag.len()..]);
        let begins = before.is_empty() || before.ends_with(char::is_whitespace);
        let rest = rest
            .strip_prefix('=')
            .or_else(|| (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(rest))?;
        begins.then_some((before.trim(), rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::table;
    use crate::topic::Topic;

    #[test]
    fn a_path_and_a_message_in_either_order() {
        let parse = |text| What::parse(Arguments::new(table::find("commit", &Topic::main()).unwrap(), text));
        let table = [
            (r#"a.md --message "first draft""#, "a.md", "first draft"),
            (r#"my file.md --message "x""#, "my file.md", "x"),
            (r#""my file.md" --message="x y""#, "my file.md", "x y"),
            (r#"--message "x y" "my file.md""#, "my file.md", "x y"),
            ("a.md --message fixed the thing", "a.md", "fixed the thing"),
            ("a--message.md --message x", "a--message.md", "x"),
            (r#"a.md -m "x y""#, "a.md", "x y"),
            (r#"-m x "a-m b.md""#, "a-m b.md", "x"),
            ("a.md --message 'x --force'", "a.md", "x --force"),
        ];
        for (text, path, message) in table {
            let expected = What { target: FileTarget::parse(path), message: message.to_owned() };
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
        let long = format!("a --message {}", "x".repeat(MESSAGE_MAX + 1));
        for text in
            ["", "a.md", "--message x", "a.md --message", "a.md --message ''", "a --message 'x", &long]
        {
            assert_eq!(parse(text).unwrap_err().code, Code::InvalidParams, "{text}");
        }
        for text in ["a.md --message 'x' --force", "-m x a.md --force"] {
            assert_eq!(parse(text).unwrap_err().message, "Unknown flag \"--force\".", "{text}");
        }
    }
}
