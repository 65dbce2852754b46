//! What a client need not say twice: its greeting and its subscriptions, for the server after this one.
#![allow(
    deprecated,
    reason = "the revisions with sessions subscribe in a way that the stateless one replaced"
)]

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, InitializedNotification, JsonRpcMessage, NumberOrString,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification, SubscribeRequest,
    SubscribeRequestParams,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};

use super::record::Remembered;

/// What a request changes once it is granted.
#[derive(Debug)]
pub(super) enum Change {
    Greet(String),
    Subscribe(String),
    Unsubscribe(String),
}

impl Change {
    pub(super) fn of(message: &RxJsonRpcMessage<RoleServer>, request: &ClientRequest) -> Option<Self> {
        match request {
            ClientRequest::InitializeRequest(_) => serde_json::to_string(message).ok().map(Self::Greet),
            ClientRequest::SubscribeRequest(request) => Some(Self::Subscribe(request.params.uri.clone())),
            ClientRequest::UnsubscribeRequest(request) => Some(Self::Unsubscribe(request.params.uri.clone())),
            _ => None,
        }
    }
}

impl Remembered {
    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Greet(message) => self.greeting = Some(message),
            Change::Subscribe(uri) => {
                self.subscriptions.insert(uri);
            }
            Change::Unsubscribe(uri) => {
                self.subscriptions.remove(&uri);
            }
        }
    }
}

/// Tells the client that a resource has changed.
pub(super) fn updated(uri: &str) -> TxJsonRpcMessage<RoleServer> {
    let changed = ResourceUpdatedNotification::new(ResourceUpdatedNotificationParam::new(uri));
    JsonRpcMessage::notification(ServerNotification::ResourceUpdatedNotification(changed))
}

/// Tells a new server what the client has told the one before. Without a greeting there is nothing to tell.
pub(super) fn replay(remembered: &Remembered) -> Vec<RxJsonRpcMessage<RoleServer>> {
    let greeting = remembered.greeting.as_deref().and_then(|message| serde_json::from_str(message).ok());
    let Some(greeting) = greeting else { return Vec::new() };
    let begun = ClientNotification::InitializedNotification(InitializedNotification::default());
    let subscriptions = remembered.subscriptions.iter().enumerate().map(|(number, uri)| {
        let request = SubscribeRequest::new(SubscribeRequestParams::new(uri.clone()));
        // No client calls its requests like this.
        let id = NumberOrString::String(format!("string-replay-{number}").into());
        JsonRpcMessage::request(ClientRequest::SubscribeRequest(request), id)
    });
    [greeting, JsonRpcMessage::notification(begun)].into_iter().chain(subscriptions).collect()
}
