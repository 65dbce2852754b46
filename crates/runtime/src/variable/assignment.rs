//! What follows `/set`: assignments, one after the other, or fences for values of several lines.

use std::fmt;

use sfmd::{Dialect, Placeholder, Template, is_variable_name};

use super::RESERVED;
use crate::error::{Code, Error, Result, quoted};
use crate::substitute::no_such_filter;
use crate::words::double_quoted;

/// `TARGET = RIGHT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub target: Target,
    pub right: Right,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// `{name}`
    Session(String),
    /// `$NAME`
    Persistent(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Right {
    /// Single quotes and fences: nothing in it is filled in.
    Literal(String),
    /// `{path}` alone: the value keeps its type.
    Value(Placeholder),
    Filled(Template),
}

/// Reads all of it, or says what is wrong with the first that is not right.
pub fn parse(text: &str) -> Result<Vec<Assignment>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (assignment, after) = match fence(rest) {
            Some(opened) => fenced(opened, rest)?,
            None => assigned(rest)?,
        };
        all.push(assignment);
        rest = without_command(after.trim_start());
    }
    Ok(all)
}

/// Lines below may say the command again: it can mean nothing else there.
fn without_command(text: &str) -> &str {
    let again = text.strip_prefix("/set").filter(|rest| rest.starts_with([' ', '\t']));
    again.map_or(text, str::trim_start)
}

impl Target {
    /// `{name}`, `name` or `$NAME`.
    pub fn parse(text: &str) -> Result<Self> {
        let braced = text.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
        let target = match text.strip_prefix('$') {
            Some(name) => Self::Persistent(name.to_owned()),
            None => Self::Session(braced.unwrap_or(text).to_owned()),
        };
        match &target {
            Self::Session(name) if name == "Response" => {
                Err(wrong("{Response} is the result of the last action, and cannot be set."))
            }
            Self::Persistent(name) if RESERVED.contains(&name.as_str()) => {
                Err(wrong(format!("{target} says where a command runs, and cannot be set.")))
            }
            Self::Session(name) | Self::Persistent(name) if is_variable_name(name) => Ok(target),
            _ => Err(wrong(format!("Not the name of a variable: {}", quoted(text)))
                .hint("Names are {city} or $API_KEY: letters, digits and _, not beginning with a digit.")),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(name) => write!(f, "{{{name}}}"),
            Self::Persistent(name) => write!(f, "${name}"),
        }
    }
}

/// The opening line of a fence.
struct Fence<'a> {
    mark: char,
    length: usize,
    name: &'a str,
}

fn fence(text: &str) -> Option<Fence<'_>> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let line = text.lines().next().unwrap_or_default();
    let name = line.trim_start_matches(mark);
    let length = line.len() - name.len();
    (length >= 3).then(|| Fence { mark, length, name: name.trim() })
}

fn fenced<'a>(opened: Fence<'_>, text: &'a str) -> Result<(Assignment, &'a str)> {
    let target = Target::parse(opened.name)?;
    let closes = |line: &str| {
        let line = line.trim();
        line.len() >= opened.length && line.chars().all(|c| c == opened.mark)
    };
    let mut content: Vec<&str> = Vec::new();
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if number == 0 {
            continue;
        }
        if closes(line) {
            let right = Right::Literal(content.join("\n"));
            return Ok((Assignment { target, right }, &text[at..]));
        }
        content.push(line);
    }
    Err(wrong(format!("The fence of {target} is not closed.")))
}

fn assigned(text: &str) -> Result<(Assignment, &str)> {
    let line = text.lines().next().unwrap_or_default();
    let (left, _) = line
        .split_once('=')
        .ok_or_else(|| wrong(format!("Not an assignment: {}", quoted(line))).hint(FORMS))?;
    let target = Target::parse(left.trim())?;
    let right = text[left.len() + 1..].trim_start_matches([' ', '\t']);
    let unclosed = || wrong(format!("The quote of {target} is not closed."));
    let (right, after) = match right.chars().next() {
        Some('\'') => {
            let (value, after) = right[1..].split_once('\'').ok_or_else(unclosed)?;
            (Right::Literal(value.to_owned()), after)
        }
        Some('"') => {
            let (value, after) = double_quoted(&right[1..]).ok_or_else(unclosed)?;
            (Right::Filled(filled(&value, &target)?), after)
        }
        _ => {
            let (value, after) = right.split_once('\n').unwrap_or((right, ""));
            return Ok((Assignment { right: bare(value.trim(), &target)?, target }, after));
        }
    };
    let (trailing, after) = after.split_once('\n').unwrap_or((after, ""));
    if !trailing.trim().is_empty() {
        return Err(wrong(format!("After the value of {target} comes {}.", quoted(trailing.trim())))
            .hint("Quotes hold the whole value; inside \"…\" write \\\" for a quote."));
    }
    Ok((Assignment { target, right }, after))
}

fn bare(value: &str, target: &Target) -> Result<Right> {
    if value.is_empty() {
        return Err(wrong(format!("{target} is given no value."))
            .hint(format!("An empty one: /set {target} = \"\"; none at all: /unset {target}")));
    }
    Ok(match Placeholder::parse(value) {
        Some(placeholder) => Right::Value(placeholder),
        None => Right::Filled(filled(value, target)?),
    })
}

fn filled(value: &str, target: &Target) -> Result<Template> {
    let mut unknown = Vec::new();
    let template = Template::parse_noting(value, Dialect::Definition, &mut unknown);
    match unknown.first() {
        None => Ok(template),
        Some(unknown) => {
            Err(no_such_filter(&format!("the value of {target}"), unknown).hint("Nothing was set."))
        }
    }
}

const FORMS: &str = "/set {city} = \"Seoul\", /set $API_KEY = \"…\", or several lines of that form.";

fn wrong(message: impl Into<String>) -> Error {
    Error::new(Code::InvalidParams, message).hint("Nothing was set.")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::*;
    use crate::error::in_lines;

    /// Literals in angle quotes, the rest as it was written.
    fn show(text: &str) -> String {
        let shown = parse(text).unwrap().into_iter().map(|Assignment { target, right }| match right {
            Right::Literal(text) => format!("{target} = ‹{text}›"),
            Right::Value(placeholder) => format!("{target} = value {placeholder}"),
            Right::Filled(template) => format!("{target} = text {template}"),
        });
        shown.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn every_form_is_read() {
        let table = [
            (r#"{city} = "Seoul""#, "{city} = text Seoul"),
            ("city = Seoul city ", "{city} = text Seoul city"),
            ("{region}='TH'", "{region} = ‹TH›"),
            ("$REGION = \"TH\"", "$REGION = text TH"),
            ("{a} = \"say \\\"hi\\\" \\\\ \\n\"", "{a} = text say \"hi\" \\ \\n"),
            ("{a} = ''", "{a} = ‹›"),
            ("{a} = {Response.body.x[0]}", "{a} = value {Response.body.x[0]}"),
            ("{a} = \"{b}\"", "{a} = text {b}"),
            ("{a} = {\"k\": 1}", "{a} = text {\"k\": 1}"),
            ("{a} = 'x = y'", "{a} = ‹x = y›"),
            ("{a} = '{s|bogus}'", "{a} = ‹{s|bogus}›"),
            ("\n{a} = \"1\"\r\n\n$B = two\r\n", "{a} = text 1; $B = text two"),
            ("{a} = \"two\nlines\"\n{b} = 'x\ny'", "{a} = text two\nlines; {b} = ‹x\ny›"),
            ("```{p}\none {x}\n\n`` $Y\n```\n{b} = 1", "{p} = ‹one {x}\n\n`` $Y›; {b} = text 1"),
            ("~~~~ $P\r\n~~~\r\n~~~~", "$P = ‹~~~›"),
            ("```p\n```", "{p} = ‹›"),
            ("{region} = 'TH'\n/set $REGION = \"TH\"", "{region} = ‹TH›; $REGION = text TH"),
        ];
        for (text, expected) in table {
            assert_eq!(show(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_assignment_is_refused() {
        for text in [
            "{broken",
            "{city} = \"Busan\"\n{broken",
            "{a} = \"open",
            "{a} = 'open",
            "{a} = \"x\" y",
            "{a} =",
            "{1a} = x",
            "{a-b} = x",
            "$A.B = x",
            "= x",
            "```{p}\nopen",
            "```{p q}\n```",
            "{Response} = 1",
            "$HOME = x",
            "$ARGS = x",
            "{a} = {s|bogus}",
            "{a} = \"{s|json|bogus}\"",
        ] {
            assert_eq!(parse(text).unwrap_err().code, Code::InvalidParams, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_shown_value_is_read_back(value in "[^|]*") {
            let text = format!("{{x}} = {}", super::super::shown(&value));
            let read = parse(&text).unwrap();
            let template = Template::parse(&in_lines(&value), Dialect::Definition);
            prop_assert_eq!(&read[0].right, &Right::Filled(template));
        }

        #[test]
        fn nothing_makes_it_panic(text in any::<String>()) {
            let _ = parse(&text);
        }
    }
}
