//! `string system env`: what shells see, and which `$NAME` variables are set. Values of the latter are never shown.

use serde_json::{Value, json};

use crate::blocking;
use crate::command::{Context, Format};
use crate::error::one_line;
use crate::reply::with_body;
use crate::variable;

pub async fn show(format: Format, context: &Context<'_>) -> String {
    let shell = context.runtime.shells.variables(context.agent);
    let home = context.agent.workspace.home().to_owned();
    let set = blocking::run(move || {
        let names = |scope| match variable::read(&home, scope) {
            Ok(read) => {
                read.names().filter(|name| read.scope_of(name) == Some(scope)).map(str::to_owned).collect()
            }
            Err(error) => vec![one_line(&error.message)],
        };
        variable::scopes(&home).iter().map(|scope| (scope.to_string(), names(scope))).collect::<Vec<_>>()
    })
    .await;
    match format {
        Format::Json => {
            let shell: Value = shell.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
            let set: Value = set.into_iter().map(|(scope, names)| (scope, json!(names))).collect();
            format!("{:#}", json!({ "shell": shell, "variables": set }))
        }
        Format::Text => with_body("Environment", &text(&shell, &set)),
    }
}

fn text(shell: &[(String, String)], set: &[(String, Vec<String>)]) -> String {
    let shell: Vec<[String; 2]> = shell.iter().map(|(name, value)| [name.clone(), one_line(value)]).collect();
    let set: Vec<[String; 2]> = set
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(scope, names)| [scope.clone(), format!("${}", names.join(", $"))])
        .collect();
    let set = match set.is_empty() {
        true => "No $NAME variables are set. Set one: string main '/set $NAME = \"…\"'".to_owned(),
        false => format!("Variables that are set, by scope (values stay hidden):\n{}", super::columns(&set)),
    };
    format!("What shells and commands see, and nothing else:\n{}\n\n{set}", super::columns(&shell))
}
