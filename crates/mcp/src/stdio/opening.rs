//! What a conversation may begin with.

use rmcp::model::{ClientRequest, ErrorData, GetMeta, ProtocolVersion};

use crate::handler::REVISIONS;
use crate::params;

/// What a request is in a conversation that has not begun.
#[derive(Debug)]
pub(super) enum Opening {
    /// It begins with this.
    Begins,
    /// Answered all the same; anything may follow.
    Aside,
    /// Nothing that can be answered yet.
    TooEarly(ErrorData),
}

impl Opening {
    pub(super) fn of(request: &ClientRequest) -> Self {
        let meta = request.get_meta();
        let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
        match request {
            ClientRequest::InitializeRequest(_) => Self::Begins,
            ClientRequest::PingRequest(_) => Self::Aside,
            // Also a greeting that cannot be read.
            ClientRequest::CustomRequest(request) if !missing.is_empty() => {
                Self::TooEarly(params::refusal(request.clone(), meta))
            }
            _ if !missing.is_empty() => Self::TooEarly(ungreeted(&missing)),
            ClientRequest::DiscoverRequest(_) => Self::Aside,
            _ if meta.protocol_version().is_some_and(|version| REVISIONS.contains(&version)) => Self::Begins,
            _ => Self::Aside,
        }
    }
}

fn ungreeted(missing: &[&str]) -> ErrorData {
    let message = format!(
        "initialize comes first. In the revision without it, 2026-07-28, the _meta of each request has {}.",
        missing.join(" and ")
    );
    ErrorData::invalid_params(message, None)
}
