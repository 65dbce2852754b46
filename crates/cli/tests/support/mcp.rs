//! An MCP client at the other end of `string --mcp`: JSON-RPC, a line each.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::World;

/// A client with the real binary at the other end.
pub(crate) struct Client {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: BufReader<ChildStdout>,
    /// What came while something else was waited for.
    kept: Vec<Value>,
}

impl Client {
    pub(crate) fn start(world: &World, words: &[&str]) -> Self {
        Self::of(world.string(words))
    }

    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, kept: Vec::new() }
    }

    pub(crate) fn greet(world: &World) -> Self {
        Self::greeted(world.string(&["--mcp"]))
    }

    /// Greets, in a revision that keeps sessions.
    pub(crate) fn greeted(command: Command) -> Self {
        let mut client = Self::of(command);
        let answer = client.ask(0, "initialize", json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
        }));
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(answer["result"]["serverInfo"]["name"], "string");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn request(&mut self, id: u32, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    pub(crate) fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.request(id, method, params);
        self.wait_for(|message| message["id"] == id)
    }

    pub(crate) fn call(&mut self, id: u32, topic: &str, cmd: &str) -> Value {
        self.ask(id, "tools/call", call(topic, cmd))["result"].clone()
    }

    /// The next message that fits; the others are kept for later.
    pub(crate) fn wait_for(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&fits) {
            return self.kept.remove(at);
        }
        loop {
            let message = self.next().expect("the conversation goes on");
            if fits(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        (self.output.read_line(&mut line).unwrap() > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Waits until a progress notification carries a text, beginning with the one at hand.
    pub(crate) fn wait_for_progress(&mut self, first: &Value, expected: &str) {
        let says = |message: &Value| {
            message["params"]["message"].as_str().is_some_and(|text| text.contains(expected))
        };
        if !says(first) {
            self.wait_for(|message| message["method"] == "notifications/progress" && says(message));
        }
    }

    /// Closes the input and gives what still comes.
    pub(crate) fn finish(mut self) -> Vec<Value> {
        drop(self.input.take());
        let rest = std::iter::from_fn(|| self.next()).collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        // Ended already, or a failed test: then it must not outlive it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn call(topic: &str, cmd: &str) -> Value {
    json!({"name": "string", "arguments": {"topic": topic, "cmd": cmd}})
}

pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}
