//! The routes, one file each; together they are also the OpenAPI document.

mod activity;
mod agents;
mod capabilities;
mod chanflow;
mod complete;
mod describe;
mod document;
mod endless;
mod events;
mod exec;
mod fs;
mod mcp;
mod running;
mod sessions;
mod shutdown;
mod speaker;
mod stdio;
mod terminal;
mod tools;
mod upgrade;
mod webhook;

pub use exec::topic_type;

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Router, middleware};
use runtime::Runtime;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::door;
use crate::failure::Failure;
use crate::inside::Inside;
use crate::limits::Limits;
use crate::token::Token;

/// Whether a path needs no token, on TCP too. What lies below `/webhook/` and `/fs/` takes a secret of its own.
pub fn is_open_to_all(path: &str) -> bool {
    path == "/health" || path.starts_with("/webhook/") || path.starts_with("/fs/")
}

pub use events::info as event_info;
pub use sessions::info as session_info;
pub use tools::installed as installed_tools;

/// What every route works with.
#[derive(Clone)]
pub struct App {
    pub runtime: Arc<Runtime>,
    pub token: Token,
    /// The port that callers must name in `Host`.
    pub port: u16,
    pub limits: Limits,
    /// The commands that can be cancelled by their request id.
    pub running: Arc<running::Running>,
    /// The MCP conversations over HTTP.
    pub mcp: Arc<::mcp::Sessions<Inside>>,
    /// Those over the standard streams of a client; a stop waits for what they still have to answer.
    pub conversations: TaskTracker,
    pub stdio_places: Arc<Semaphore>,
    /// Streams that end only with their readers.
    pub endless: endless::Places,
}

impl App {
    pub fn new(runtime: Arc<Runtime>, token: Token, port: u16, limits: Limits) -> Self {
        let inside = Arc::new(Inside::new(Arc::clone(&runtime)));
        let (version, stop) = (runtime.version.clone(), runtime.stop.clone());
        let of_mcp = ::mcp::SessionLimits {
            sessions: limits.mcp_sessions,
            idle: limits.mcp_idle,
            body_bytes: limits.body_bytes,
        };
        let mcp = ::mcp::Sessions::new(inside, version, of_mcp, stop);
        Self {
            runtime,
            token,
            port,
            limits,
            running: Arc::default(),
            mcp: Arc::new(mcp),
            conversations: TaskTracker::new(),
            stdio_places: Arc::new(Semaphore::new(limits.mcp_sessions)),
            endless: endless::Places::new(limits.streams),
        }
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "String",
        description = "A runtime for AI agents: send a command to a topic, read Markdown back.",
        license(name = "MIT")
    ),
    // Routes whose address in the router cannot be written in an OpenAPI document.
    paths(describe::openapi, fs::get, fs::head, fs::put, fs::delete),
    // What streams carry as text.
    components(schemas(wire::Activity))
)]
struct Api;

pub fn router(app: App) -> Router {
    let (router, mut api) = OpenApiRouter::with_openapi(Api::openapi())
        .routes(routes!(describe::health))
        .routes(routes!(describe::describe))
        .routes(routes!(exec::exec))
        .routes(routes!(running::cancel))
        .routes(routes!(chanflow::chanflow))
        .routes(routes!(complete::complete))
        .routes(routes!(agents::list, agents::add))
        .routes(routes!(agents::remove))
        .routes(routes!(capabilities::list, capabilities::mint))
        .routes(routes!(capabilities::revoke))
        .routes(routes!(sessions::list, sessions::create))
        .routes(routes!(sessions::remove))
        .routes(routes!(tools::list))
        .routes(routes!(terminal::attach))
        .routes(routes!(activity::stream))
        .routes(routes!(mcp::post, mcp::get, mcp::delete))
        .routes(routes!(stdio::take_over))
        .routes(routes!(events::list, events::clear))
        .routes(routes!(events::read))
        .routes(routes!(events::ack))
        .routes(routes!(events::stream))
        .routes(routes!(webhook::post))
        .routes(routes!(webhook::show, webhook::rotate))
        .routes(routes!(shutdown::shutdown))
        .split_for_parts();
    document::complete(&mut api);
    router
        .route("/openapi.json", describe::serve_openapi(&api))
        .route("/fs/{*path}", fs::routes())
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(middleware::from_fn_with_state(app.clone(), door::guard))
        .layer(CatchPanicLayer::custom(panicked))
        .with_state(app)
}

/// The agent that a request speaks for.
pub fn agent(headers: &HeaderMap) -> String {
    let given = headers.get(wire::header::AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()));
    given.map_or_else(|| "default".to_owned(), |text| text.into_owned())
}

async fn no_route() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, "NOT_FOUND", "No such route.").hint("GET /openapi.json lists them.")
}

async fn no_method() -> Failure {
    Failure::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        "This route does not take that method.",
    )
    .hint("GET /openapi.json lists them.")
}

fn panicked(_panic: Box<dyn std::any::Any + Send>) -> Response {
    // The panic hook has logged it already.
    Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL_ERROR", "A bug in String stopped this request.")
        .into_response()
}
