//! The agent hub's `capability`: grants files of this agent to whoever holds a token.

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::agent::{split_list, typed_path};
use crate::audit::format_time;
use crate::capability::{Capability, Id, Minted, QUOTA, TTL, TTL_MAX, Terms, Token, Uses, Verb, Verbs};
use crate::command::{Arguments, Context, Format};
use crate::error::{Code, Error, Result, quoted};
use crate::reply::with_body;
use crate::words::{self, shown_bytes};

/// What the usage line has no room for.
const WORDS: &str = "mint --path P --verbs get,put,delete [--ttl 1h] [--quota 1GB] [--single-use] [--json], \
                     list [--json], revoke ID…";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Mint {
        path: String,
        terms: Asked,
        format: Format,
    },
    List(Format),
    /// As they were written.
    Revoke(Vec<String>),
}

/// All that is asked for but the path, which depends on who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    verbs: Verbs,
    ttl: std::time::Duration,
    uses: Uses,
    quota: u64,
}

impl Command {
    pub fn format(&self) -> Format {
        match self {
            Self::Mint { format, .. } | Self::List(format) => *format,
            _ => Format::Text,
        }
    }

    pub fn parse(arguments: Arguments<'_>) -> Result<Self> {
        Self::understand(arguments).map_err(|error| error.hint(WORDS))
    }

    fn understand(arguments: Arguments<'_>) -> Result<Self> {
        let mut words = arguments.words()?;
        let command = match words.take().as_deref() {
            Some("mint") => {
                let needed = |value: Option<String>, flag| {
                    value.ok_or_else(|| arguments.wrong(format!("{flag} is missing.")))
                };
                let path = needed(words.value("--path")?, "--path")?;
                let verbs = split_list(&needed(words.value("--verbs")?, "--verbs")?);
                let terms = Asked {
                    verbs: Verbs::parse(verbs.iter().map(String::as_str))?,
                    ttl: words.value("--ttl")?.map_or(Ok(TTL), |text| ttl(&text))?,
                    uses: if words.switch("--single-use") { Uses::Once } else { Uses::Many },
                    quota: words.value("--quota")?.map_or(Ok(QUOTA), |text| quota(&text))?,
                };
                Self::Mint { path, terms, format: Format::asked(&mut words) }
            }
            None | Some("list") => Self::List(Format::asked(&mut words)),
            Some("revoke") => {
                let first = words.required("ID")?;
                return Ok(Self::Revoke(std::iter::once(first).chain(words.rest()?).collect()));
            }
            Some(other) => return Err(arguments.wrong(format!("Unknown word {}.", quoted(other)))),
        };
        words.done()?;
        Ok(command)
    }
}

/// The path that is granted: a bare one from the home, like everywhere; one with a dot from where the caller is.
fn granted_path(text: &str, context: &Context<'_>) -> Result<PathBuf> {
    match text.split('/').next() {
        // Also one from the root, and none at all.
        Some("." | ".." | "") => typed_path(text, context),
        _ if text.starts_with('~') => typed_path(text, context),
        _ => typed_path(&format!("~/{text}"), context),
    }
}

pub async fn run(command: Command, context: &Context<'_>) -> Result<String> {
    let (capabilities, agent) = (&context.runtime.capabilities, context.agent);
    match command {
        Command::Mint { path, terms: Asked { verbs, ttl, uses, quota }, format } => {
            let path = granted_path(&path, context)?;
            let minted = capabilities.mint(agent, Terms { path, verbs, ttl, uses, quota }).await?;
            tracing::info!(agent = %agent.id, capability = %minted.capability.id, "a capability was minted");
            Ok(match format {
                Format::Text => minted_text(&minted, context),
                Format::Json => format!("{:#}", minted_json(&minted, context)),
            })
        }
        Command::List(format) => {
            let listed = capabilities.list(&agent.id).await?;
            Ok(match format {
                Format::Text => with_body("Capabilities", &list_text(&listed, context)),
                Format::Json => {
                    format!("{:#}", listed.iter().map(|one| as_json(one, context)).collect::<Value>())
                }
            })
        }
        Command::Revoke(ids) => revoke(ids, context).await,
    }
}

/// Ends all that are named and exist: one that is unknown, mistyped or expired keeps no other alive.
async fn revoke(named: Vec<String>, context: &Context<'_>) -> Result<String> {
    let (mut revoked, mut failed) = (Vec::new(), None::<Error>);
    // One named twice is still one.
    let mut met = HashSet::new();
    for name in named.into_iter().filter(|name| met.insert(name.clone())) {
        let done = match Id::parse(&name) {
            Ok(id) => context.runtime.capabilities.revoke(&context.agent.id, id).await,
            Err(error) => Err(error),
        };
        match done {
            Ok(()) => {
                tracing::info!(agent = %context.agent.id, capability = name, "a capability was revoked");
                revoked.push(name);
            }
            Err(error) => {
                failed = Some(match failed {
                    None => error,
                    Some(first) => Error { message: format!("{} {}", first.message, error.message), ..first },
                });
            }
        }
    }
    let said = format!("Revoked {}", revoked.join(", "));
    match failed {
        None => Ok(said),
        Some(error) if revoked.is_empty() => Err(error),
        Some(error) => Err(error.hint(said)),
    }
}

fn minted_text(minted: &Minted, context: &Context<'_>) -> String {
    let Minted { capability, token } = minted;
    let is_directory = capability.path.is_dir();
    let below = if is_directory { " and all below it" } else { "" };
    let uses = if capability.uses == Uses::Once { "one" } else { "any number" };
    // A directory itself is never read or written: what follows it is for the caller to fill in.
    let name = if is_directory { "/NAME" } else { "" };
    let mut rows = vec![
        ["path:".to_owned(), format!("{}{below}", context.agent.workspace.display(&capability.path))],
        ["verbs:".to_owned(), capability.verbs.names().collect::<Vec<_>>().join(", ")],
        ["expires:".to_owned(), format_time(capability.expires)],
        ["uses:".to_owned(), uses.to_owned()],
    ];
    if capability.verbs.allow(Verb::Put) {
        rows.push(["quota:".to_owned(), format!("{} to write", shown_bytes(capability.quota))]);
    }
    let url = url(capability, token, name, context).unwrap_or_else(|| "(the daemon has no port)".into());
    rows.extend([["token:".to_owned(), token.reveal()], ["url:".to_owned(), url]]);
    let body =
        format!("{}\n\nThe token is shown this once: only a hash of it is kept.", super::columns(&rows));
    with_body(&format!("Minted {}", capability.id), &body)
}

fn minted_json(minted: &Minted, context: &Context<'_>) -> Value {
    let mut all = as_json(&minted.capability, context);
    all["token"] = minted.token.reveal().into();
    all["url"] = url(&minted.capability, &minted.token, "", context).into();
    all
}

/// The address with the token in it: whoever has it needs nothing else.
fn url(capability: &Capability, token: &Token, name: &str, context: &Context<'_>) -> Option<String> {
    let base = context.runtime.file_url(&capability.path, context.agent.workspace.home())?;
    Some(format!("{base}{name}?cap={}", token.reveal()))
}

fn list_text(listed: &[Capability], context: &Context<'_>) -> String {
    let row = |one: &Capability| {
        let uses = match (one.uses, one.used_up) {
            (Uses::Many, _) => "",
            (Uses::Once, false) => "single use",
            (Uses::Once, true) => "used up",
        };
        [
            one.id.to_string(),
            context.agent.workspace.display(&one.path),
            one.verbs.names().collect::<Vec<_>>().join(","),
            format!("until {}", format_time(one.expires)),
            if one.verbs.allow(Verb::Put) {
                format!("{} of {} written", shown_bytes(one.written), shown_bytes(one.quota))
            } else {
                String::new()
            },
            uses.to_owned(),
        ]
    };
    let rows: Vec<_> = listed.iter().map(row).collect();
    if rows.is_empty() { "No capabilities.".to_owned() } else { super::columns(&rows) }
}

fn as_json(one: &Capability, context: &Context<'_>) -> Value {
    json!({
        "id": one.id.to_string(),
        "path": context.agent.workspace.display(&one.path),
        "verbs": one.verbs.names().collect::<Vec<_>>(),
        "created": format_time(one.created),
        "expires": format_time(one.expires),
        "single_use": one.uses == Uses::Once,
        "used_up": one.used_up,
        "quota_bytes": one.quota,
        "written_bytes": one.written,
    })
}

fn ttl(text: &str) -> Result<std::time::Duration> {
    words::duration(text).filter(|ttl| *ttl <= TTL_MAX).ok_or_else(|| {
        Error::new(Code::InvalidParams, format!("Not a time to live: {}", quoted(text)))
            .hint("A time is a number with its unit, such as 10m, 1h30m or 7d; at most 30d.")
    })
}

fn quota(text: &str) -> Result<u64> {
    words::bytes(text).ok_or_else(|| {
        Error::new(Code::InvalidParams, format!("Not a number of bytes: {}", quoted(text)))
            .hint("A quota is a number with its unit, such as 500KB, 10MB or 2GB.")
    })
}
