//! Actions: what a document lets its reader call.

use crate::id::Id;

/// What the info string of a fence says the fence is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fence {
    /// `act.ID`
    Action(Id),
    /// `act.ID.response`
    Response(Id),
}

/// Reads the first word of an info string that begins with `act.`.
pub(crate) fn fence(info: &str) -> Option<Fence> {
    let word = info.split_whitespace().next().unwrap_or_default();
    let name = word.strip_prefix("act.")?;
    match name.strip_suffix(".response") {
        Some(id) => Id::parse(id).map(Fence::Response),
        None => Id::parse(name).map(Fence::Action),
    }
}
