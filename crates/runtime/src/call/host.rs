//! The answers to what a script asks: every argument is checked, and every answer is this tool's alone.

use script::{HostError, Log, Pending};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::calls::{Calls, Naming};
use super::session::{TooLarge, VARIABLES_BYTES_MAX};
use super::{fetch, format_time};
use crate::manifest::Tool;
use crate::state::{self, Condition, Owner, Write};
use crate::task::{self, Event};

/// How much of a wrong argument an error shows.
const SHOWN_MAX: usize = 40;

pub(super) type Answer = Result<Box<RawValue>, HostError>;

/// The host of one run.
pub(super) struct Host<'a> {
    pub(super) calls: &'a Calls<'a>,
    pub(super) tool: &'a Tool,
    pub(super) depth: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GetTaskState {
    key: String,
    #[serde(default)]
    tool_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PutTaskState {
    key: String,
    value: Value,
    #[serde(default)]
    ttl_seconds: Option<u64>,
    #[serde(default)]
    if_revision: Condition,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(default)]
    value: Value,
}

impl script::Host for Host<'_> {
    fn call<'a>(&'a self, method: &'a str, arguments: &'a RawValue) -> Pending<'a, Answer> {
        Box::pin(self.answer(method, arguments.get()))
    }

    fn refuse(&self, method: &str, arguments: script::TooLarge) -> HostError {
        match method.starts_with("state.") || method.starts_with("task.put") {
            true => state::request_too_large(arguments.bytes).into(),
            false => arguments.refused(method),
        }
    }

    fn log(&self, log: Log) {
        let text = self.calls.shared.revealed().redact(&log.text);
        self.calls.shared.add_event(Event::line(self.now(), &self.tool.name, log.level, text));
    }
}

impl Host<'_> {
    async fn answer(&self, method: &str, arguments: &str) -> Answer {
        match method.split_once('.') {
            Some(("state", verb)) => self.state(verb, arguments).await,
            Some(("task", "getState")) => self.get_task_state(arguments, Reach::AllTools).await,
            Some(("task", "getToolState")) => self.get_task_state(arguments, Reach::OneTool).await,
            Some(("task", "putState")) => self.put_task_state(arguments, Reach::AllTools).await,
            Some(("task", "putToolState")) => self.put_task_state(arguments, Reach::OneTool).await,
            Some(("task", "getContext")) => self.context(),
            Some(("task", "getProfile")) => raw(&json!({ "agent_id": self.calls.agent.id.as_str() })),
            Some(("task", "emitEvent")) => self.emit(arguments).await,
            Some(("tool", "call")) => self.call_tool(arguments).await,
            Some(("vault", "get")) => self.vault(arguments).await,
            Some(("time", "format")) => format_time::answer(arguments),
            Some(("vars", verb)) => self.variables(verb, arguments),
            Some(("env", "get")) => self.env(arguments).await,
            None if method == "fetch" => fetch::answer(self.calls, arguments).await,
            _ => Err(refusal("invalid_argument", format!("there is no {method}"))),
        }
    }

    async fn state(&self, verb: &str, arguments: &str) -> Answer {
        let Some(_open) = self.calls.session.hold_open().await else {
            return Err(state::Error::new(state::Code::Unavailable, "the topic was closed").into());
        };
        let owner = Owner {
            agent: &self.calls.agent.id,
            topic: &self.calls.session.topic,
            task: self.calls.task.as_str(),
        };
        Ok(self.calls.runtime.durable.answer(verb, arguments, &self.tool.bindings, owner).await?)
    }

    async fn get_task_state(&self, arguments: &str, reach: Reach) -> Answer {
        let GetTaskState { key, tool_id } = typed_for_state(arguments)?;
        if tool_id.is_some() && reach == Reach::AllTools {
            return Err(
                state::Error::invalid("unknown field `tool_id`: this state is shared by all tools").into()
            );
        }
        state::check_key(&key)?;
        let space = self.task_space(reach, tool_id.as_deref());
        match self.calls.runtime.durable.get(&space, &key).await? {
            Some(entry) => {
                entry.check_exact()?;
                Ok(entry.value)
            }
            None => raw(&Value::Null),
        }
    }

    async fn put_task_state(&self, arguments: &str, reach: Reach) -> Answer {
        let PutTaskState { key, value, ttl_seconds, if_revision } = typed_for_state(arguments)?;
        state::check_key(&key)?;
        state::check_ttl(ttl_seconds)?;
        let space = self.task_space(reach, None);
        let durable = &self.calls.runtime.durable;
        raw(&durable.write(&space, &key, Write::Put(value), ttl_seconds, &if_revision).await?)
    }

    fn task_space(&self, reach: Reach, tool: Option<&str>) -> store::Space {
        let (agent, id) = (&self.calls.agent.id, &self.calls.task);
        match reach {
            Reach::AllTools => task::state_space(agent, id),
            Reach::OneTool => task::tool_space(agent, id, tool.unwrap_or(&self.tool.name)),
        }
    }

    fn context(&self) -> Answer {
        raw(&json!({
            "task_id": self.calls.task.as_str(),
            "tool_id": self.tool.name,
            "agent_id": self.calls.agent.id.as_str(),
            "topic": self.calls.session.topic.to_string(),
            "depth": self.depth,
        }))
    }

    async fn emit(&self, arguments: &str) -> Answer {
        let arguments = self.calls.shared.revealed().redact_value(typed(arguments)?);
        let event = Event::emitted(self.now(), &self.tool.name, arguments);
        let event = event.map_err(|message| refusal("invalid_argument", message))?;
        match self.calls.naming {
            Naming::Unnamed => self.calls.shared.add_event(event),
            Naming::Named => {
                // What was printed before it stands before it.
                let mut events = self.calls.shared.take_events();
                events.push(event);
                let tasks = &self.calls.runtime.tasks;
                let kept = tasks.add_events(&self.calls.agent.id, &self.calls.task, &events).await;
                if let Err(error) = kept {
                    events.pop();
                    events.into_iter().for_each(|line| self.calls.shared.add_event(line));
                    return Err(refusal("unavailable", error.message));
                }
            }
        }
        raw(&Value::Null)
    }

    fn variables(&self, verb: &str, arguments: &str) -> Answer {
        let shared = &self.calls.shared;
        if verb == "all" {
            return raw(&shared.variables());
        }
        let Named { name, value } = typed(arguments)?;
        if !sfmd::is_variable_name(&name) || name == "Response" {
            return Err(refusal("invalid_argument", format!("{name:?} is no name of a variable")));
        }
        match verb {
            "get" => raw(&shared.variable(&name)),
            "set" => {
                let set = shared.set_variable(&name, value.into(), arguments.len());
                set.map_err(|TooLarge| {
                    let limit = VARIABLES_BYTES_MAX / (1024 * 1024);
                    refusal("too_large", format!("the variables that a call sets hold at most {limit} MiB"))
                })?;
                raw(&Value::Null)
            }
            other => Err(refusal("invalid_argument", format!("there is no vars.{other}"))),
        }
    }

    fn now(&self) -> i64 {
        self.calls.runtime.now().as_millis()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    AllTools,
    OneTool,
}

/// A refusal that is not about state.
pub(super) fn refusal(code: &str, message: impl Into<String>) -> HostError {
    HostError { name: "FloError".into(), code: code.into(), message: message.into(), retryable: false }
}

/// The arguments of a call, which are an object with known fields.
pub(super) fn typed<T: DeserializeOwned>(arguments: &str) -> Result<T, HostError> {
    understood(arguments).map_err(|message| refusal("invalid_argument", message))
}

/// Those of a call about state.
fn typed_for_state<T: DeserializeOwned>(arguments: &str) -> Result<T, HostError> {
    understood(arguments).map_err(|message| state::Error::invalid(message).into())
}

fn understood<T: DeserializeOwned>(arguments: &str) -> Result<T, String> {
    if !arguments.trim_start().starts_with('{') {
        return Err(format!("the argument is an object of fields, not {}", cut(arguments)));
    }
    serde_json::from_str(arguments).map_err(|error| {
        let text = error.to_string();
        text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).to_owned()
    })
}

/// The start of what was given instead.
fn cut(arguments: &str) -> String {
    arguments.chars().take(SHOWN_MAX).collect()
}

pub(super) fn raw(value: &impl serde::Serialize) -> Answer {
    to_raw_value(value).map_err(|error| refusal("internal_error", error.to_string()))
}
