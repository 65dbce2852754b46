//! Why a call of `flo.state` was refused, as the script catches it.

use std::fmt;

/// The `code` of a `FloStateError`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    InvalidArgument,
    BindingDenied,
    ScopeIdForbidden,
    TypeMismatch,
    LimitExceeded,
    Unavailable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub code: Code,
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Code {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArgument => "invalid_argument",
            Self::BindingDenied => "state_binding_denied",
            Self::ScopeIdForbidden => "state_scope_id_forbidden",
            Self::TypeMismatch => "state_type_mismatch",
            Self::LimitExceeded => "state_limit_exceeded",
            Self::Unavailable => "state_unavailable",
        }
    }
}

impl Error {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: code == Code::Unavailable }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// What is stored cannot be read, and trying again will not help.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self { retryable: false, ..Self::new(Code::Unavailable, message) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        tracing::error!(%error, "durable state is not available");
        let way_out = error.way_out().map(|way| format!(". {way}")).unwrap_or_default();
        let message = format!("durable state is not available: {error}{way_out}");
        match error {
            store::Error::Corrupt { .. } | store::Error::Replaced { .. } => Self::damaged(message),
            _ => Self::new(Code::Unavailable, message),
        }
    }
}

impl From<Error> for script::HostError {
    fn from(error: Error) -> Self {
        Self {
            name: "FloStateError".to_owned(),
            code: error.code.as_str().to_owned(),
            message: error.message,
            retryable: error.retryable,
        }
    }
}
