//! HTTP errors: a status and the one JSON shape.

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use runtime::error::Code;
use wire::{Error, ErrorBody};

#[derive(Debug)]
pub struct Failure {
    status: StatusCode,
    error: Error,
}

impl Failure {
    pub fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        let error = Error { code: code.to_owned(), message: message.into(), hints: Vec::new() };
        Self { status, error }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.error.hints.push(hint.into());
        self
    }

    /// What the runtime refused, with a status of the route's own choice.
    pub fn with_status(status: StatusCode, error: runtime::error::Error) -> Self {
        let error =
            Error { code: error.code.as_str().to_owned(), message: error.message, hints: error.hints };
        Self { status, error }
    }

    pub fn forbidden(message: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "FORBIDDEN", message)
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Code::InvalidParams.as_str(), message)
    }
}

/// A name in a path, or a query, that could not even be read.
impl From<PathRejection> for Failure {
    fn from(rejection: PathRejection) -> Self {
        Self::bad_request(rejection.body_text())
    }
}

impl From<QueryRejection> for Failure {
    fn from(rejection: QueryRejection) -> Self {
        Self::bad_request(rejection.body_text())
    }
}

/// What the runtime refused, with the status that says so in HTTP.
impl From<runtime::error::Error> for Failure {
    fn from(error: runtime::error::Error) -> Self {
        let status = match error.code {
            Code::NotFound => StatusCode::NOT_FOUND,
            Code::Conflict | Code::LastTopic => StatusCode::CONFLICT,
            Code::NotAllowed => StatusCode::FORBIDDEN,
            Code::QueueFull | Code::TooManyTopics => StatusCode::TOO_MANY_REQUESTS,
            Code::QueueTimeout => StatusCode::GATEWAY_TIMEOUT,
            Code::InternalError | Code::LoadError => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        Self::with_status(status, error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, Json(ErrorBody { error: self.error })).into_response()
    }
}
