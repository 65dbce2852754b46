//! A call of `flo.state`, from its arguments to its answer.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::error::{Code, Error, Result};
use super::operation::{Durable, Entry};
use super::request::{Request, Verb};
use super::scope::{Bindings, Owner};

impl Durable {
    /// Understands, authorises and does what a script asks for. `verb` is `get`, `put` and so on.
    pub async fn answer(
        &self,
        verb: &str,
        arguments: &str,
        bindings: &Bindings,
        owner: Owner<'_>,
    ) -> Result<Box<RawValue>> {
        let Request { kind, key, verb } = Request::parse(verb, arguments)?;
        let space = &bindings.covering(kind, &key)?.space(owner);
        match verb {
            Verb::Get => {
                let found = self.get(space, &key).await?;
                found.iter().try_for_each(Entry::check_exact)?;
                raw(&found)
            }
            Verb::List { limit, cursor } => {
                let page = self.list(space, &key, limit, cursor.as_deref()).await?;
                page.entries.iter().try_for_each(Entry::check_exact)?;
                raw(&page)
            }
            Verb::Write { write, ttl_seconds, condition } => {
                raw(&self.write(space, &key, write, ttl_seconds, &condition).await?)
            }
            Verb::Delete { condition } => raw(&self.delete(space, &key, &condition).await?),
        }
    }
}

fn raw(value: &impl Serialize) -> Result<Box<RawValue>> {
    to_raw_value(value).map_err(|error| Error::new(Code::Unavailable, error.to_string()))
}
