//! What the service calls the requests of one client.
//!
//! The library tells requests apart by the ids that the client chose. It forgets a cancelled one at once, though what it
//! began goes on for a while, and then takes its answer for that of a later request with the same id. So each request
//! gets a name that none had before.

use std::collections::BTreeMap;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, GetMeta, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
    ServerResult,
};

/// The names of the requests that are neither answered nor cancelled, with the ids that the client knows.
#[derive(Debug, Default)]
pub(crate) struct Names {
    ids: BTreeMap<i64, RequestId>,
    next: i64,
}

impl Names {
    /// Puts names into a message of the client. Says which request it cancels: none if the answer is on its way.
    pub(crate) fn give(&mut self, message: &mut ClientJsonRpcMessage) -> Option<RequestId> {
        match message {
            JsonRpcMessage::Request(request) => {
                let id = std::mem::replace(&mut request.id, RequestId::Number(self.next));
                self.ids.insert(self.next, id);
                self.next += 1;
                None
            }
            JsonRpcMessage::Notification(notification) => {
                let ClientNotification::CancelledNotification(cancel) = &mut notification.notification else {
                    return None;
                };
                let id = cancel.params.request_id.take()?;
                let name = self.ids.iter().find_map(|(name, known)| (*known == id).then_some(*name))?;
                self.ids.remove(&name);
                cancel.params.request_id = Some(RequestId::Number(name));
                Some(id)
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
        }
    }

    /// Puts the ids that the client knows into a message of the service. A message about a request that was cancelled
    /// is none.
    pub(crate) fn restore(&mut self, mut message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        match &mut message {
            JsonRpcMessage::Response(response) => {
                response.id = self.take(&response.id)?;
                if let ServerResult::SubscriptionsListenResult(result) = &mut response.result {
                    result.meta.set_subscription_id(response.id.clone());
                }
            }
            JsonRpcMessage::Error(error) => {
                if let Some(name) = &error.id {
                    error.id = Some(self.take(name)?);
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let Some(name) = notification.notification.get_meta().subscription_id() {
                    let id = self.ids.get(&number(&name)?)?.clone();
                    notification.notification.get_meta_mut().set_subscription_id(id);
                }
            }
            JsonRpcMessage::Request(_) => {}
        }
        Some(message)
    }

    fn take(&mut self, name: &RequestId) -> Option<RequestId> {
        self.ids.remove(&number(name)?)
    }
}

fn number(name: &RequestId) -> Option<i64> {
    match name {
        RequestId::Number(number) => Some(*number),
        RequestId::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::{Value, json};

    fn given(names: &mut Names, message: Value) -> (Value, Option<RequestId>) {
        let mut message = serde_json::from_value(message).expect("it is a message");
        let cancelled = names.give(&mut message);
        (serde_json::to_value(message).expect("it is JSON"), cancelled)
    }

    fn restored(names: &mut Names, message: Value) -> Option<Value> {
        let message = names.restore(serde_json::from_value(message).expect("it is a message"))?;
        Some(serde_json::to_value(message).expect("it is JSON"))
    }

    fn ping(id: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
    }

    fn cancel(id: Value) -> Value {
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    }

    fn answer(name: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": name, "result": {}})
    }

    #[test]
    fn a_cancelled_request_is_not_answered_and_a_later_one_with_its_id_is() {
        let mut names = Names::default();
        let first = given(&mut names, ping(json!("a"))).0["id"].clone();
        let (cancelling, cancelled) = given(&mut names, cancel(json!("a")));
        assert_eq!(
            (&cancelling["params"]["requestId"], cancelled),
            (&first, Some(RequestId::String("a".into())))
        );
        let second = given(&mut names, ping(json!("a"))).0["id"].clone();
        assert_eq!(restored(&mut names, answer(first)), None);
        assert_eq!(restored(&mut names, answer(second)), Some(answer(json!("a"))));
    }

    #[test]
    fn what_is_answered_or_was_never_asked_is_not_cancelled() {
        let mut names = Names::default();
        let name = given(&mut names, ping(json!(7))).0["id"].clone();
        assert_eq!(given(&mut names, cancel(name.clone())).1, None, "nobody knows the name");
        let error = json!({"jsonrpc": "2.0", "id": name, "error": {"code": -32000, "message": "no"}});
        assert_eq!(restored(&mut names, error).expect("it is due")["id"], 7);
        let (cancelling, cancelled) = given(&mut names, cancel(json!(7)));
        assert_eq!((&cancelling["params"]["requestId"], cancelled), (&Value::Null, None));
    }

    #[test]
    fn a_subscription_is_told_under_the_id_of_its_request() {
        let mut names = Names::default();
        let listen = json!({"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": {"notifications": {}}});
        let name = given(&mut names, listen).0["id"].clone();
        let meta = |id: Value| json!({"io.modelcontextprotocol/subscriptionId": id});
        let update = |id: Value| {
            let params = json!({"_meta": meta(id), "uri": "string://events"});
            json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params})
        };
        let end = |id: Value| json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "_meta": meta(id)}});
        assert_eq!(restored(&mut names, update(name.clone())), Some(update(json!(7))));
        assert_eq!(restored(&mut names, end(name.clone())), Some(end(json!(7))));
        assert_eq!(restored(&mut names, update(name)), None);
    }
}
