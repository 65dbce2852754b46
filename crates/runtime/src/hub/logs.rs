//! `string system logs`: the end of the daemon's log or of the audit log, without secrets.

use serde_json::{Value, json};

use crate::blocking;
use crate::command::{Context, Format, Words};
use crate::error::{Code, Error, Result, one_line, quoted};
use crate::logs::{LINES, LINES_MAX, Redaction, Which, tail};
use crate::reply::with_body;

/// How much is shown as text: what is asked for as JSON is a program's, and whole.
const BYTES_MAX: usize = 24 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    which: Which,
    lines: usize,
    pub format: Format,
}

impl Asked {
    pub fn parse(words: &mut Words) -> Result<Self> {
        if words.switch("-f") || words.switch("--follow") {
            return Err(Error::new(Code::InvalidParams, "A reply has an end, so it cannot follow a log.")
                .hint("Follow it on the command line: string system logs -f"));
        }
        let which = if words.switch("--audit") { Which::Audit } else { Which::Daemon };
        let format = Format::asked(words);
        let lines = words.value("-n")?.map_or(Ok(LINES), |text| {
            let number = text.parse().ok().filter(|lines| (1..=LINES_MAX).contains(lines));
            number
                .ok_or_else(|| words.wrong(format!("Not a number from 1 to {LINES_MAX}: {}", quoted(&text))))
        })?;
        Ok(Self { which, lines, format })
    }
}

pub async fn show(asked: Asked, context: &Context<'_>) -> Result<String> {
    let Asked { which, lines, format } = asked;
    let path = which.path(&context.runtime.root);
    let home = context.agent.workspace.home().to_owned();
    let shown = path.display().to_string();
    let found = blocking::run(move || {
        let redaction = Redaction::of(&home);
        let found = tail(&path, lines)?;
        Ok::<_, std::io::Error>(found.iter().map(|line| one_line(&redaction.apply(line))).collect::<Vec<_>>())
    })
    .await;
    let found =
        found.map_err(|error| Error::new(Code::LoadError, format!("{shown} could not be read: {error}.")))?;
    // What other agents said is theirs.
    let person = context.caller.origin.is_person();
    let own: Vec<String> =
        found.into_iter().filter(|line| person || which.may_see(line, &context.agent.id)).collect();
    Ok(match format {
        Format::Json => {
            let row = |line: &String| serde_json::from_str(line).unwrap_or_else(|_| json!(line));
            format!("{:#}", Value::from_iter(own.iter().map(row)))
        }
        Format::Text => with_body(&format!("Log: {shown}"), &asked.text(&own)),
    })
}

impl Asked {
    fn text(self, lines: &[String]) -> String {
        let shown = newest(lines);
        match lines.len() - shown.len() {
            0 if shown.is_empty() => "Nothing is logged.".to_owned(),
            0 => shown.join("\n"),
            older => {
                let audit = if self.which == Which::Audit { " --audit" } else { "" };
                let all = format!("/logs{audit} -n {} --json", self.lines);
                format!("… {older} older lines left out, with them: {all}\n{}", shown.join("\n"))
            }
        }
    }
}

/// As many of the last lines as there is room for.
fn newest(lines: &[String]) -> &[String] {
    let mut room = BYTES_MAX;
    let fits = lines.iter().rev().take_while(|line| {
        let left = room.checked_sub(line.len() + 1);
        room = left.unwrap_or(0);
        left.is_some()
    });
    &lines[lines.len() - fits.count()..]
}
