//! A call of `flo.state`, from its arguments to its answer.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::error::{Code, Error, Result};
use super::operation::{Durable, Write};
use super::request::Request;
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
        let request = Request::parse(verb, arguments)?;
        let (kind, key) = request.target();
        let space = &bindings.covering(kind, key)?.space(owner);
        match request {
            Request::Get(it) => raw(&self.get(space, &it.key).await?),
            Request::List(it) => {
                raw(&self.list(space, &it.key_prefix, it.limit, it.cursor.as_deref()).await?)
            }
            Request::Put(it) => {
                let write = Write::Put(it.value);
                raw(&self.write(space, &it.key, write, it.ttl_seconds, &it.if_revision).await?)
            }
            Request::Patch(it) => {
                let write = Write::Patch(it.patch);
                raw(&self.write(space, &it.key, write, it.ttl_seconds, &it.if_revision).await?)
            }
            Request::Append(it) => {
                let write = Write::Append(it.item);
                raw(&self.write(space, &it.key, write, it.ttl_seconds, &it.if_revision).await?)
            }
            Request::Delete(it) => raw(&self.delete(space, &it.key, &it.if_revision).await?),
        }
    }
}

fn raw(value: &impl Serialize) -> Result<Box<RawValue>> {
    to_raw_value(value).map_err(|error| Error::new(Code::Unavailable, error.to_string()))
}
