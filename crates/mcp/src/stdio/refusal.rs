//! Answers in place of a server that gave none.

use serde_json::json;
use wire::chanflow::envelope;

use super::Unanswered;

/// JSON-RPC: something is wrong on the server's side.
const INTERNAL_ERROR: i32 = -32603;

impl Unanswered {
    /// The answer, as a line: why there is no other one, and what to do.
    pub fn refusal(self, why: &str) -> Vec<u8> {
        let said = format!("The daemon did not answer: {why}");
        let hint = "Try again, or look: string --daemon status";
        // Written out, since every revision of the protocol understands this form.
        let message = if self.is_call {
            let text = envelope("", &format!("ERROR(LOAD_ERROR): {said}\n  {hint}"));
            let result = json!({ "content": [{ "type": "text", "text": text }], "isError": true });
            json!({ "jsonrpc": "2.0", "id": self.id, "result": result })
        } else {
            let error = json!({ "code": INTERNAL_ERROR, "message": format!("{said} {hint}") });
            json!({ "jsonrpc": "2.0", "id": self.id, "error": error })
        };
        format!("{message}\n").into_bytes()
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
