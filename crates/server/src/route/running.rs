//! `DELETE /exec/{request_id}`: stops one command, and no other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use tokio_util::sync::CancellationToken;
use wire::ErrorBody;

use super::App;
use super::speaker::Speaker;
use crate::failure::Failure;

/// Whose command, and what its caller calls it.
type Name = (String, String);

/// The commands that run or wait, for callers that named them.
#[derive(Debug, Default)]
pub struct Running(Mutex<HashMap<Name, CancellationToken>>);

/// A command that can be cancelled until this is dropped.
#[derive(Debug)]
pub struct Begun {
    pub cancel: CancellationToken,
    named: Option<(Arc<Running>, Name)>,
}

impl Running {
    pub fn begin(self: &Arc<Self>, agent: &str, request_id: Option<&str>) -> Begun {
        let cancel = CancellationToken::new();
        let named = request_id.map(|id| (agent.to_owned(), id.to_owned())).filter(|name| {
            // A name that is taken stays with the command that has it.
            let mut running = self.lock();
            let free = !running.contains_key(name);
            if free {
                running.insert(name.clone(), cancel.clone());
            }
            free
        });
        Begun { cancel, named: named.map(|name| (Arc::clone(self), name)) }
    }

    fn cancel(&self, agent: String, request_id: String) -> bool {
        let found = self.lock().get(&(agent, request_id)).cloned();
        found.inspect(CancellationToken::cancel).is_some()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Name, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some((running, name)) = self.named.take() {
            running.lock().remove(&name);
        }
    }
}

#[utoipa::path(
    delete,
    path = "/exec/{request_id}",
    params(
        ("request_id" = String, Path, description = "as given in `POST /exec`; unique among the agent's running commands"),
        Speaker,
    ),
    responses(
        (status = 202, description = "a waiting command is given up, a running one interrupted; its own reply says so"),
        (status = 404, description = "no such command runs", body = ErrorBody),
    )
)]
pub async fn cancel(
    State(app): State<App>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    match app.running.cancel(super::agent(&headers), id?.0) {
        true => Ok(StatusCode::ACCEPTED),
        false => {
            Err(Failure::new(StatusCode::NOT_FOUND, "NOT_FOUND", "No command with that request_id runs."))
        }
    }
}
