//! `flo.callTool` of a tool that is a document: one of its actions is called, over HTTP or as a command.

use std::pin::Pin;

use serde_json::{Value, json};
use sfmd::Call as Kind;

use super::failure::refused;
use super::host::Host;
use crate::action::{self, Called, Ran};
use crate::document::{Asker, Bases, Page, Web};
use crate::error::{Code, Error, Result};
use crate::session::State;
use crate::sink::Discard;
use crate::substitute::{Mark, Marked, text_of};
use crate::tool::{self, Name};
use crate::variable::{Claimant, Surroundings};

type Answered<'a> = Pin<Box<dyn Future<Output = Option<Value>> + Send + 'a>>;

impl Host<'_> {
    /// What came of the call; none if no document has that name. Boxed, because an action can be a script's.
    pub(super) fn call_document<'a>(&'a self, tool_id: &'a str, input: &'a Value) -> Answered<'a> {
        Box::pin(async move {
            let name = Name::parse(tool_id);
            let page = match self.load(&name.tool).await {
                Ok(page) => page,
                Err(error) if error.code == Code::NotFound => return None,
                Err(error) => return Some(failed(&error)),
            };
            if !self.tool.script_tools.contains(&name.tool) {
                return Some(self.not_allowed(&name.tool));
            }
            let ran = match self.act(&page, &name, input).await {
                Ok(ran) => ran,
                Err(error) => return Some(failed(&error)),
            };
            let Ran { reply, effects } = ran;
            let answer = match reply {
                Ok(text) => {
                    let part = |name: &str| {
                        effects.response.as_ref().map_or(Value::Null, |response| response.value[name].clone())
                    };
                    let output = json!({ "text": text, "status": part("status"), "body": part("body") });
                    json!({ "status": "success", "output": output })
                }
                Err(error) => failed(&error),
            };
            self.calls.shared.saw(effects.response.map(|response| response.mark).unwrap_or_default());
            for (name, value) in effects.variables {
                let bytes = text_of(&value.value).len();
                if self.calls.shared.set_variable(&name, value, bytes).is_err() {
                    break;
                }
            }
            Some(answer)
        })
    }

    async fn load(&self, tool: &str) -> Result<Box<Page>> {
        let runtime = self.calls.runtime;
        let cookies = web::CookieJar::new();
        let web = Web {
            client: &runtime.web,
            cookies: &cookies,
            port: runtime.port,
            asker: Asker::Local,
            confined: &[],
            sink: &Discard,
            until: None,
        };
        tool::load(tool, &self.calls.agent.workspace, web, &self.calls.catalogue, &runtime.shelf).await
    }

    async fn act(&self, page: &Page, name: &Name, input: &Value) -> Result<Ran> {
        let default = page.content().document().frontmatter.default.as_deref();
        let id = name.action.as_deref().or(default).ok_or_else(|| tool::no_action_named(&name.tool, page))?;
        let found = page.content().action(id).ok_or_else(|| action::action_not_found(id, page))?;
        if matches!(found.action.call, Kind::Script { .. }) {
            let message = format!("{}.{id} runs a script, which is a tool of its own.", name.tool);
            return Err(Error::new(Code::NotAllowed, message));
        }
        let calls = self.calls;
        let workspace = &calls.agent.workspace;
        let persistent = calls.settings().await?;
        let home = workspace.home().to_owned();
        let called = Called {
            prefix: format!("/tool:{}.", name.tool),
            words: Vec::new(),
            fields: fields(input, calls.shared.mark())?,
        };
        let state = State { variables: calls.shared.snapshot(), ..State::default() };
        let call = action::Call {
            runtime: calls.runtime,
            agent: calls.agent,
            session: calls.session,
            state: &state,
            task: Some(calls.task.as_str()),
            page,
            claimant: Claimant::Tool,
            found,
            called: &called,
            persistent,
            surroundings: Surroundings {
                directory: home.clone(),
                app_directory: home.clone(),
                work_directory: home.clone(),
                home,
                ..Surroundings::default()
            },
            bases: Bases { workspace, page: None, directory: None, caller: None },
        };
        Ok(action::call(call).await)
    }
}

/// The input as fields by name. It is made of all that the scripts have seen.
fn fields(input: &Value, mark: Mark) -> Result<Vec<(String, Marked)>> {
    let fields = input.as_object().ok_or_else(|| {
        Error::new(Code::InvalidParams, "The input of a tool is an object of its action's fields.")
    })?;
    let marked = |(name, value): (&String, &Value)| (name.clone(), Marked { value: value.clone(), mark });
    Ok(fields.iter().map(marked).collect())
}

fn failed(error: &Error) -> Value {
    let message = std::iter::once(&error.message).chain(&error.hints).cloned().collect::<Vec<_>>().join(" ");
    match error.code {
        Code::InvalidParams => refused("validation_error", "validation_error", &message, false),
        code => refused("failed", &code.as_str().to_lowercase(), &message, false),
    }
}
