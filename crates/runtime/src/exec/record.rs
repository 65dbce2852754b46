//! What is logged and told of a request: without values of the `$NAME` files.

use std::time::Instant;

use super::Call;
use crate::activity::{Phase, What};
use crate::command::Step;
use crate::error::{Code, Error};
use crate::reply::Reply;
use crate::topic::Topic;
use crate::{Request, Runtime, audit};

impl Runtime {
    /// A request that could not even be understood: nothing was created.
    pub(super) fn refuse(&self, request: &Request, topic: Option<Topic>, error: &Error) -> Reply {
        let word = request.payload.split_whitespace().next().unwrap_or_default();
        // What is not understood may hold anything, also a secret: the first word is all that is kept.
        let shown = if word.starts_with('/') { format!("{word} …") } else { "…".to_owned() };
        self.audit.write(audit::Line {
            time: self.clock.now(),
            agent: request.agent.clone(),
            topic: topic.as_ref().map_or_else(|| self.conceal.word(&request.topic), ToString::to_string),
            command: shown,
            code: Some(error.code),
            ms: 0,
        });
        Reply::failed(topic, error)
    }
}

impl Call {
    /// The steps, with values of the `$NAME` files taken out of what is logged of their arguments.
    pub(super) async fn conceal(&self, mut steps: Vec<Step>) -> Vec<Step> {
        for step in steps.iter_mut().filter(|step| step.shown.contains(char::is_whitespace)) {
            step.shown = self.runtime.conceal.line(&self.agent, &step.topic, &step.shown).await;
        }
        steps
    }

    pub(super) fn record(&self, step: &Step, code: Option<Code>, started: Instant) {
        let ms = crate::milliseconds(started.elapsed());
        self.tell(step, Phase::Ended { code, ms });
        self.runtime.audit.write(audit::Line {
            time: self.runtime.clock.now(),
            agent: self.agent.id.to_string(),
            topic: step.topic.to_string(),
            command: step.shown.clone(),
            code,
            ms,
        });
    }

    pub(super) fn tell(&self, step: &Step, phase: Phase) {
        let what = || What::Command { topic: step.topic.to_string(), command: step.shown.clone(), phase };
        self.runtime.activity.tell(&self.agent.id, what);
    }
}
