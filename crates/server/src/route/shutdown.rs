//! `POST /shutdown`: ends the daemon in order.

use axum::Json;
use axum::extract::State;
use wire::Shutdown;

use super::App;
use crate::json::NoBody;

#[utoipa::path(post, path = "/shutdown", responses((status = 200, body = Shutdown)))]
pub async fn shutdown(State(app): State<App>, _: NoBody) -> Json<Shutdown> {
    app.runtime.stop.cancel();
    Json(Shutdown { ok: true, pid: std::process::id() })
}
