//! Where live output goes while a command runs.

/// Receives what a running command shows before its reply is complete.
///
/// Calls must not block: a sink that cannot take more drops what it is given, since the reply carries the whole.
pub trait Sink: Send + Sync + 'static {
    fn send(&self, live: Live<'_>);

    /// Whether anybody reads it; watching a command costs something.
    fn wants_live(&self) -> bool {
        true
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Live<'a> {
    Output(&'a str),
    Progress(&'a str),
}

/// For callers that only want the reply.
#[derive(Debug)]
pub struct Discard;

impl Sink for Discard {
    fn send(&self, _live: Live<'_>) {}

    fn wants_live(&self) -> bool {
        false
    }
}
