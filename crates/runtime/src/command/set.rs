//! `/set`: sets variables, or shows them.

use serde_json::Value;

use super::{Context, surroundings};
use crate::document::Page;
use crate::error::Result;
use crate::reply::with_body;
use crate::substitute::{self, Marked, text_of};
use crate::variable::{
    self, Assignment, Change, Known, Persistent, Right, Scope, Secret, Target, Variables, shown_on_one_line,
};

pub async fn run(assignments: Vec<Assignment>, context: Context<'_>) -> Result<String> {
    let scope = Scope::of(&context.session.topic);
    let persistent = surroundings::persistent(&context, &scope).await?;
    if assignments.is_empty() {
        return Ok(list(&context.state.variables, &persistent));
    }
    let evaluated = evaluate(&assignments, &persistent, &context)?;
    let changes: Vec<Change> = evaluated.iter().filter_map(change).collect();
    if !changes.is_empty() {
        surroundings::change(&context, &scope, changes).await?;
    }
    let mut lines = Vec::with_capacity(evaluated.len());
    for (target, value) in evaluated {
        let shown = shown_on_one_line(&text_of(&value.value));
        match target {
            Target::Session(name) => {
                lines.push(format!("{{{name}}} = {shown}"));
                context.state.variables.set(name, value);
            }
            Target::Persistent(name) => lines.push(format!("${name} = {shown} ({scope})")),
        }
    }
    Ok(lines.join("\n"))
}

/// The command as logs show it: names, no values.
pub fn shown(assignments: &[Assignment]) -> String {
    let targets = assignments.iter().map(|assignment| format!("{} = …", assignment.target));
    format!("/set {}", targets.collect::<Vec<_>>().join(", ")).trim_end().to_owned()
}

/// The right sides, in order; each sees what the ones before it set.
fn evaluate(
    assignments: &[Assignment],
    persistent: &Persistent,
    context: &Context<'_>,
) -> Result<Vec<(Target, Marked)>> {
    let page = context.state.page.as_deref();
    let surroundings = surroundings::of(context, page);
    let mut variables = context.state.variables.clone();
    let mut done = Vec::with_capacity(assignments.len());
    for Assignment { target, right } in assignments {
        let known = Known {
            variables: &variables,
            response: context.state.response.as_deref(),
            persistent,
            surroundings: &surroundings,
            document: page.map(Page::content),
            bases: surroundings::bases(context, page),
        };
        let value = match right {
            Right::Literal(text) => Value::from(text.clone()).into(),
            Right::Value(placeholder) => substitute::assigned(placeholder, &known)?,
            Right::Filled(template) => {
                let filled = substitute::fill(template, &known)?;
                Marked { value: substitute::text(&filled).into(), mark: filled.mark() }
            }
        };
        if let Target::Session(name) = target {
            variables.set(name.clone(), value.clone());
        }
        done.push((target.clone(), value));
    }
    Ok(done)
}

fn change((target, value): &(Target, Marked)) -> Option<Change> {
    match target {
        Target::Session(_) => None,
        Target::Persistent(name) => Some(Change::Set(name.clone(), Secret::new(text_of(&value.value)))),
    }
}

fn list(variables: &Variables, persistent: &Persistent) -> String {
    let session =
        variables.iter().map(|(name, value)| format!("{{{name}}} = {}", variable::shown(&text_of(value))));
    let files =
        persistent.iter().map(|(name, secret)| format!("${name} = {}", variable::shown(secret.reveal())));
    let lines: Vec<String> = session.chain(files).collect();
    if lines.is_empty() {
        return "No variables set.".to_owned();
    }
    with_body("Variables", &lines.join("\n"))
}
