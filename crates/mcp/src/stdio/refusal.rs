//! Answers in place of a server that gave none.

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, ErrorData, JsonRpcMessage, ServerResult};
use rmcp::service::TxJsonRpcMessage;

use super::Unanswered;
use crate::{Outcome, tool};

impl Unanswered {
    /// The answer, as a line: why there is no other one, and what to do.
    pub fn refusal(self, why: &str) -> Vec<u8> {
        let said = format!("The daemon did not answer: {why}");
        let hint = "Try again, or look: string --daemon status";
        let message: TxJsonRpcMessage<RoleServer> = if self.is_call {
            let content = format!("ERROR(LOAD_ERROR): {said}\n  {hint}");
            let outcome = Outcome { topic: String::new(), ok: false, content };
            let result = CallToolResponse::from(tool::result(&outcome));
            JsonRpcMessage::response(ServerResult::from(result), self.id)
        } else {
            let error = ErrorData::internal_error(format!("{said} {hint}"), None);
            JsonRpcMessage::error(error, Some(self.id))
        };
        let mut line = serde_json::to_vec(&message).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use rmcp::model::NumberOrString;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_agent_is_told_of_its_call_and_the_program_of_the_rest() {
        let refused = |is_call| -> Value {
            let request = Unanswered { id: NumberOrString::Number(7), is_call };
            serde_json::from_slice(&request.refusal("it is gone.")).unwrap()
        };
        let call = refused(true);
        assert_eq!((&call["id"], &call["result"]["isError"]), (&json!(7), &json!(true)));
        let text = call["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("ERROR(LOAD_ERROR): The daemon did not answer: it is gone."), "{text}");
        let other = refused(false);
        assert_eq!((&other["id"], &other["error"]["code"]), (&json!(7), &json!(-32603)));
    }
}
