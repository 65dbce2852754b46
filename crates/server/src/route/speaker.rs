//! The agent that a request speaks for, where the route needs one that exists.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use runtime::agent::Agent;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{Required, Type};
use utoipa::{IntoParams, openapi};

use super::App;
use crate::failure::Failure;

/// The agent that `X-Agent-Id` names.
pub struct Speaker(pub Arc<Agent>);

impl FromRequestParts<App> for Speaker {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Failure> {
        Ok(Self(app.runtime.agents.named(&super::agent(&parts.headers))?))
    }
}

impl IntoParams for Speaker {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = openapi::ObjectBuilder::new().schema_type(Type::String).build();
        let header = ParameterBuilder::new()
            .name("X-Agent-Id")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some("the agent that speaks; `default` when absent"))
            .schema(Some(text))
            .build();
        vec![header]
    }
}
