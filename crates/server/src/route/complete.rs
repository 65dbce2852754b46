//! `POST /complete`: what a command that is being typed may become.

use std::path::PathBuf;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use runtime::complete::Question;
use wire::{ErrorBody, Offer, Typed};

use super::App;
use super::speaker::Speaker;
use crate::failure::Failure;
use crate::json::JsonBody;

#[utoipa::path(
    post,
    path = "/complete",
    params(Speaker),
    request_body = Typed,
    responses(
        (status = 200, description = "the words that fit; often none", body = Offer),
        (status = 400, description = "a malformed topic", body = ErrorBody),
        (status = 404, description = "no such agent", body = ErrorBody),
    )
)]
pub async fn complete(
    State(app): State<App>,
    headers: HeaderMap,
    JsonBody(typed): JsonBody<Typed>,
) -> Result<Json<Offer>, Failure> {
    let Typed { topic, text, cwd } = typed;
    let cwd = cwd.map(PathBuf::from).filter(|path| path.is_absolute());
    let question = Question { agent: super::agent(&headers), topic, text, cwd };
    let offer = app.runtime.complete(question).await?;
    let runtime::complete::Offer { start, words, running, hidden } = offer;
    Ok(Json(Offer { start, words, running, hidden }))
}
