//! `/unset`: removes variables.

use super::{Arguments, Context, surroundings};
use crate::error::{Code, Error, Result, nearest};
use crate::variable::{Change, Persistent, Scope, Target};

pub fn parse(arguments: Arguments<'_>) -> Result<Vec<Target>> {
    let mut words = arguments.words()?;
    let first = words.required("The name of a variable")?;
    std::iter::once(first).chain(words.rest()?).map(|word| Target::parse(&word)).collect()
}

pub async fn run(targets: &[Target], context: Context<'_>) -> Result<String> {
    let scope = Scope::of(&context.session.topic);
    let before = surroundings::persistent(&context, &scope).await?;
    for target in targets {
        check(target, &before, &scope, &context)?;
    }
    let changes: Vec<Change> = targets.iter().filter_map(change).collect();
    let after = if changes.is_empty() {
        before
    } else {
        surroundings::change(&context, &scope, changes).await?;
        surroundings::persistent(&context, &scope).await?
    };
    let mut lines = Vec::with_capacity(targets.len());
    for target in targets {
        match target {
            Target::Session(name) => {
                context.state.variables.remove(name);
                lines.push(format!("Unset {target}"));
            }
            Target::Persistent(name) => {
                lines.push(format!("Unset {target} ({scope})"));
                lines.extend(
                    after.scope_of(name).map(|broader| format!("{target} now comes from {broader}.")),
                );
            }
        }
    }
    Ok(lines.join("\n"))
}

/// Whether there is such a variable here.
fn check(target: &Target, persistent: &Persistent, scope: &Scope, context: &Context<'_>) -> Result<()> {
    let variables = &context.state.variables;
    let near = match target {
        Target::Session(name) if variables.get(name).is_some() => return Ok(()),
        Target::Session(name) => nearest(name, variables.names()).map(|name| format!("{{{name}}}")),
        Target::Persistent(name) => match persistent.scope_of(name) {
            Some(found) if found == scope => return Ok(()),
            Some(found) => {
                let message = format!("{target} is not set in {scope}, but in {found}.");
                return Err(Error::new(Code::UndefinedVariable, message)
                    .hint(format!("Unset it in a topic of {found}. Nothing was changed.")));
            }
            None => nearest(name, persistent.names()).map(|name| format!("${name}")),
        },
    };
    Err(Error::new(Code::UndefinedVariable, format!("{target} is not set."))
        .hints(near.map(|name| format!("Did you mean {name}?")))
        .hint("/set shows all variables. Nothing was changed."))
}

fn change(target: &Target) -> Option<Change> {
    match target {
        Target::Session(_) => None,
        Target::Persistent(name) => Some(Change::Remove(name.clone())),
    }
}
