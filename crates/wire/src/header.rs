//! Header names that both sides use, in lower case.

/// Which agent speaks; `default` when absent.
pub const AGENT: &str = "x-agent-id";
/// Set by programs that pass on what an agent says, such as MCP: such a command never counts as a person's.
pub const FOR_AGENT: &str = "x-string-for-agent";
/// The version of the client; a newer one than the daemon's asks it to make way when idle.
pub const CLIENT_VERSION: &str = "x-string-version";
/// Set by a daemon that is older than the client but too busy to make way.
pub const OUTDATED: &str = "x-string-outdated";
/// Makes a retry of a post to a webhook the same event.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
