//! Messages that the protocol's library refuses without saying to whom, or what is wrong with them.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, JsonRpcMessage, ServerJsonRpcMessage};

use super::GREETING;
use crate::{invalid, params};

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The library's answer to a body, or a better one. What the library answers in JSON is a message already.
pub(super) fn explained(answer: Answer, body: &[u8]) -> Answer {
    let is_vague = matches!(answer.status(), StatusCode::BAD_REQUEST | StatusCode::UNSUPPORTED_MEDIA_TYPE)
        && answer.headers().get(CONTENT_TYPE).is_none_or(|kind| kind != JSON);
    let Some(Ok(message)) = is_vague.then(|| mistake(body)).flatten().map(|wrong| serde_json::to_vec(&wrong))
    else {
        return answer;
    };
    let mut explained = Response::new(Full::from(message).boxed());
    *explained.status_mut() = StatusCode::BAD_REQUEST;
    explained.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    explained
}

const JSON: &str = "application/json";

/// What somebody who waits for an answer is told: a greeting is not understood, which the library takes for a request
/// without a session, or a request is no message at all.
fn mistake(body: &[u8]) -> Option<ServerJsonRpcMessage> {
    match serde_json::from_slice(body) {
        Ok(ClientJsonRpcMessage::Request(request)) => match request.request {
            ClientRequest::CustomRequest(greeting) if greeting.method == GREETING => {
                let meta = greeting.get_meta().clone();
                Some(JsonRpcMessage::error(params::refusal(greeting, &meta), Some(request.id)))
            }
            _ => None,
        },
        Ok(_) => None,
        Err(_) => {
            let answer = invalid::answer(body);
            let is_awaited = matches!(&answer, JsonRpcMessage::Error(error) if error.id.is_some());
            is_awaited.then_some(answer)
        }
    }
}
