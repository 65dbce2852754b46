//! One call, from its words to its reply. The session is read only; what changes in it is returned.

use std::sync::Arc;
use std::time::Instant;

use sfmd::{Action, Call as Kind, HttpCall, PageAction, Response};

use super::bind::{Bound, bind};
use super::definition::Definition;
use super::meaning::InSession;
use super::result::{CallResult, readable};
use super::save::Saved;
use super::script::Scripted;
use super::shortcut::with_short_links;
use super::trust::allowed_places;
use super::{Called, Effects, Trust, cli, http, save, script};
use crate::Runtime;
use crate::agent::Agent;
use crate::blocking;
use crate::document::{Bases, Page, Source};
use crate::error::{Code, Error, Result};
use crate::long::shortened;
use crate::milliseconds;
use crate::session::{Session, State};
use crate::substitute::{Mark, Marked};
use crate::template::{self, Evaluated, Input};
use crate::variable::{
    Claimant, Known, Persistent, Scope, Secrets, Surroundings, Variables, missing, required,
};

/// What a call needs to know.
pub struct Call<'a> {
    pub runtime: &'a Runtime,
    pub agent: &'a Agent,
    pub session: &'a Session,
    pub state: &'a State,
    /// The task that the caller named.
    pub task: Option<&'a str>,
    /// The document that declares the action.
    pub page: &'a Page,
    pub claimant: Claimant,
    pub found: PageAction<'a>,
    pub called: &'a Called,
    pub persistent: &'a Persistent,
    pub surroundings: Surroundings,
    /// Where relative paths in arguments start.
    pub bases: Bases<'a>,
}

/// What came of a call. A call that failed may still have changed the session: its `Response` is there.
#[derive(Debug)]
pub struct Ran {
    pub reply: Result<String>,
    pub effects: Effects,
}

/// Calls an action.
pub async fn call(call: Call<'_>) -> Ran {
    let persistent = call.persistent;
    let ran = match call.run().await {
        Ok(ran) => ran,
        Err(error) => Ran { reply: Err(error), effects: Effects::default() },
    };
    Ran {
        reply: ran.reply.map_err(|error| Secrets::new(persistent.iter()).redact_error(error)),
        effects: ran.effects,
    }
}

impl Call<'_> {
    async fn run(mut self) -> Result<Ran> {
        let requirements = self.page.content().requirements();
        let unmet = missing(requirements, self.persistent);
        if let Some(error) = required(self.claimant, &unmet, self.page.setup.as_ref()) {
            return Err(error);
        }
        if let Some(template) = self.found.response.filter(|template| !template.faults.is_empty()) {
            return Err(unsound(template));
        }
        let source = Source::from_origin(self.found.origin);
        let trust = Trust::of(&source);
        let meaning = InSession { known: self.known(), state: self.state, trust: &trust };
        let mut bound = bind(self.found.action, self.called, &meaning)?;
        self.surroundings.words = std::mem::take(&mut bound.words);
        self.surroundings.words_mark = bound.words_mark;
        if let Some(directory) = source.directory() {
            self.surroundings.app_directory = directory.to_owned();
        }
        let (result, mark) = match &self.found.action.call {
            Kind::Http(call) => self.http(call, &bound, &trust).await?,
            Kind::Cli { command } => {
                let directory = self.surroundings.app_directory.clone();
                for path in bound.paths_mut(self.found.action) {
                    *path = cli::path_from(&directory, path, self.bases);
                }
                let definition = self.definition(&bound, &trust);
                let (job, mark) = cli::prepare(self.found.action, command, &definition, &trust, directory)?;
                let limit = job.limit;
                let started = Instant::now();
                let finished = self.runtime.shells.exec_apart(self.agent, job, cli::OUTPUT_MAX).await?;
                let ms = milliseconds(started.elapsed());
                let (stdout, stderr) = (finished.stdout.bytes, finished.stderr.bytes);
                // A command may have asked anybody for what it prints.
                let mark = trust.mark().with(mark).with(Mark::ANSWER);
                (CallResult::of_command(finished.end, limit, &stdout, &stderr, ms), mark)
            }
            Kind::Script { .. } => {
                let Scripted { result, variables, changes, mark, unkept } =
                    script::run(&self, &source, &bound, &trust).await?;
                let definition =
                    Definition { known: self.known_with(&variables), ..self.definition(&bound, &trust) };
                let mut ran = self.finish(result, mark, &definition, changes).await;
                ran.effects.warnings.extend(unkept);
                return Ok(ran);
            }
            Kind::Unreadable => return Err(unreadable(self.found.action)),
        };
        let definition = self.definition(&bound, &trust);
        Ok(self.finish(result, mark, &definition, Vec::new()).await)
    }

    /// What came of a request, and the mark of that: whoever answers may send back what it was given.
    async fn http(&self, call: &HttpCall, bound: &Bound, trust: &Trust) -> Result<(CallResult, Mark)> {
        let prepared = http::prepare(self.found.action, call, &self.definition(bound, trust))?;
        let home = self.agent.workspace.home();
        if prepared.mark.secret {
            trust.require_host(&prepared.url, prepared.host_mark, &Scope::Global.file(home))?;
        }
        let policy = self.policy(trust, prepared.host_mark)?;
        let started = Instant::now();
        let answer = self.runtime.web.fetch(prepared.request, &policy, &self.state.cookies).await;
        let (shown, mark) = (prepared.shown, trust.mark().with(prepared.mark).with(Mark::ANSWER));
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let error = http::unanswered(&shown, &error);
                return Ok((CallResult::of_no_answer(error, milliseconds(started.elapsed())), mark));
            }
        };
        // A page of HTML may take a while to convert.
        Ok((blocking::run(move || CallResult::of_answer(&answer, &shown)).await, mark))
    }

    /// Which addresses the document may call: a page from the web public ones, and where it came from itself. A host
    /// that such a page chose is no other in an action of this machine.
    fn policy(&self, trust: &Trust, host_mark: Mark) -> Result<web::Policy> {
        let own_ports: Vec<u16> = self.runtime.port.into_iter().collect();
        if *trust == Trust::Local && !host_mark.from_web {
            return Ok(web::Policy::local(own_ports));
        }
        let policy = web::Policy::web(own_ports).allowing(allowed_places(self.agent.workspace.home())?);
        let Trust::Web { page } = trust else { return Ok(policy) };
        let is_page = self.page.location.source == Source::Web(page.clone());
        Ok(match self.page.fetched().filter(|_| is_page) {
            Some(fetched) => policy.for_page(page.clone(), fetched.from),
            None => policy,
        })
    }

    /// The reply: by the template, if there is one for this outcome. `mark` is that of the result, `changes` are
    /// variables set before it.
    async fn finish(
        &self,
        result: CallResult,
        mark: Mark,
        definition: &Definition<'_>,
        changes: Vec<(String, Marked)>,
    ) -> Ran {
        let error = result.error;
        let response = Marked { value: result.response, mark };
        let template = self.found.response.filter(|template| error.is_none() || template.handles_failure());
        let workspace = &self.agent.workspace;
        let mut files = Saved::default();
        let (reply, mut evaluated, links) = match (template, error) {
            (Some(template), error) => {
                let input = Input {
                    response: &response,
                    failed: error.is_some(),
                    values: definition,
                    author: definition.trust.mark(),
                };
                let mut evaluated = template::evaluate(template, input);
                let seen = Arc::clone(&self.state.seen);
                let saved = save::all(&mut evaluated, definition.trust, self.bases, seen, &mut files).await;
                let text = shortened(readable(&evaluated.text()), workspace.home()).await;
                let (text, links) =
                    with_short_links(&text, self.found.origin, &evaluated, self.state, workspace);
                // The output may claim that a file was written: it is not shown where one was not.
                (saved.map(|()| text + &evaluated.notes()), evaluated, links)
            }
            (None, Some(error)) => (Err(error), Evaluated::default(), Vec::new()),
            (None, None) => {
                let text = shortened(readable(&result.plain), workspace.home()).await;
                (Ok(text), Evaluated::default(), Vec::new())
            }
        };
        evaluated.variables.splice(0..0, changes);
        Ran { reply, effects: Effects::of(response, evaluated, links, files) }
    }

    fn known(&self) -> Known<'_> {
        self.known_with(&self.state.variables)
    }

    fn known_with<'k>(&'k self, variables: &'k Variables) -> Known<'k> {
        Known {
            variables,
            response: self.state.response.as_deref(),
            persistent: self.persistent,
            surroundings: &self.surroundings,
            document: Some(self.page.content()),
            bases: self.bases,
        }
    }

    fn definition<'d>(&'d self, bound: &'d Bound, trust: &'d Trust) -> Definition<'d> {
        Definition { action: self.found.action, bound, known: self.known(), trust }
    }
}

fn unreadable(action: &Action) -> Error {
    let warnings = action.warnings.iter().map(ToString::to_string);
    Error::new(Code::InvalidParams, format!("The definition of {} cannot be understood.", action.id))
        .hints(warnings)
}

/// Files would be missing afterwards, while the reply tells of them.
fn unsound(template: &Response) -> Error {
    let message = format!("The response template of {} cannot be understood.", template.id);
    Error::new(Code::InvalidParams, message)
        .hints(template.faults.iter().map(ToString::to_string))
        .hint("Nothing was called.")
}
