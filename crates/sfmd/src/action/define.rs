//! Reading a definition: the first line, then options, fields and the body.

use super::option::{Setting, settings, word};
use super::{Action, Call, HttpCall, MAX_FIELDS, Method, field};
use crate::id::Id;
use crate::template::{Dialect, Template};
use crate::warning::Warnings;

/// Columns to which a tab in an indentation goes.
const TAB_STOP: usize = 4;

/// `text` is the content of the fence on line `line`.
pub(crate) fn define(id: Id, text: &str, line: usize) -> Action {
    let lines: Vec<&str> = text.lines().collect();
    let mut definition = Definition {
        first_line: line + 1,
        action: Action {
            id,
            line,
            call: Call::Unreadable,
            timeout: None,
            fields: Vec::new(),
            warnings: Vec::new(),
        },
        warnings: Warnings::default(),
        is_full: false,
    };
    definition.read(&lines);
    definition.note_filters(&lines);
    let Definition { mut action, warnings, .. } = definition;
    action.warnings = warnings.into_sorted();
    action
}

struct Definition {
    first_line: usize,
    action: Action,
    warnings: Warnings,
    /// Fields were left out.
    is_full: bool,
}

impl Definition {
    fn read(&mut self, lines: &[&str]) {
        let Some(first) = lines.iter().position(|line| !line.trim().is_empty()) else {
            self.warnings.add(self.action.line, || "the action is empty".to_owned());
            return;
        };
        let (text, mut at) = joined(lines, first);
        self.call(text.trim(), self.first_line + first);
        while at < lines.len() {
            let line = self.first_line + at;
            let content = lines[at];
            if content.trim().is_empty() {
                at += 1;
                continue;
            }
            if let Some(inline) = body_line(content) {
                let (body, next) = body(lines, at, inline);
                self.body(&body, line);
                at = next;
                continue;
            }
            let (text, next) = joined(lines, at);
            at = next;
            if !content.starts_with([' ', '\t']) {
                self.warn_line(line);
            } else if text.trim_start().starts_with('-') {
                self.options(text.trim(), line);
            } else {
                self.field(text.trim(), line);
            }
        }
    }

    /// Warns of filters that do not exist. In a command line braces are the shell's, unless a field stands in them.
    fn note_filters(&mut self, lines: &[&str]) {
        let is_command = matches!(self.action.call, Call::Cli { .. });
        // Fields are in the order of their lines.
        let is_field =
            |line: usize| self.action.fields.binary_search_by_key(&line, |field| field.line).is_ok();
        let places = (self.first_line..).zip(lines).filter(|(line, _)| !is_field(*line));
        for (line, text) in places {
            let mut unknown = Vec::new();
            Template::parse_noting(text, Dialect::Definition, &mut unknown);
            unknown.retain(|unknown| !is_command || self.action.field(&unknown.root).is_some());
            for unknown in unknown {
                self.warnings.add(line, || unknown.to_string());
            }
        }
    }

    fn call(&mut self, text: &str, line: usize) {
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match (first, Method::parse(first)) {
            (_, Some(method)) if !rest.is_empty() => {
                let Some((url, options)) = address(rest) else { return self.warn_line(line) };
                let url = Template::parse(&url, Dialect::Definition);
                self.action.call = Call::Http(HttpCall { method, url, headers: Vec::new(), body: None });
                self.options(options.trim(), line);
            }
            ("CLI", _) if !rest.is_empty() => {
                self.action.call = Call::Cli { command: Template::parse(rest, Dialect::Shell) };
            }
            ("SCRIPT", _) if !rest.is_empty() => self.script(rest, line),
            _ => self.warnings.add(line, || {
                "an action begins with GET, POST, PUT, PATCH or DELETE and an address, CLI and a command, or SCRIPT and a file".to_owned()
            }),
        }
    }

    fn script(&mut self, text: &str, line: usize) {
        let Some((file, rest)) = word(text) else { return self.warn_line(line) };
        let mut rest = rest.trim_start();
        let mut entrypoint = None;
        if !rest.is_empty() && !rest.starts_with('-') {
            let Some((name, after)) = word(rest) else { return self.warn_line(line) };
            entrypoint = Some(name);
            rest = after;
        }
        self.action.call = Call::Script { file, entrypoint };
        self.options(rest.trim(), line);
    }

    fn options(&mut self, text: &str, line: usize) {
        for setting in settings(text) {
            match (setting, &mut self.action.call) {
                (Setting::Timeout(timeout), _) => self.action.timeout = Some(timeout),
                (Setting::Header(header), Call::Http(http)) => http.headers.push(header),
                (Setting::Body(body), Call::Http(http)) if http.body.is_none() => http.body = Some(body),
                (Setting::Body(_), Call::Http(_)) => {
                    self.warnings.add(line, || "the body is given twice".to_owned());
                }
                (Setting::Header(_) | Setting::Body(_), _) => {
                    self.warnings.add(line, || "only HTTP actions have headers and a body".to_owned());
                }
                (Setting::Bad(reason), _) => self.warnings.add(line, || reason.to_owned()),
            }
        }
    }

    fn body(&mut self, text: &str, line: usize) {
        let message = match &mut self.action.call {
            Call::Http(http) if http.body.is_none() => {
                http.body = Some(Template::parse(text, Dialect::Definition));
                return;
            }
            Call::Http(_) => "the body is given twice",
            _ => "only HTTP actions have headers and a body",
        };
        self.warnings.add(line, || message.to_owned());
    }

    fn field(&mut self, text: &str, line: usize) {
        if self.action.fields.len() == MAX_FIELDS {
            return self.too_many_fields(line);
        }
        let Some((mut field, mut problems)) = field::parse(text, line) else { return self.warn_line(line) };
        let fields = &self.action.fields;
        let is_known = fields.iter().any(|known| known.name == field.name);
        let letter = field.short.filter(|_| !is_known);
        if letter.is_some() && fields.iter().any(|known| known.short == letter) {
            problems.extend(letter.map(|letter| format!("the letter -{letter} is already taken")));
            field.short = None;
        }
        if is_known {
            problems.push("the name is already taken".to_owned());
        }
        for problem in problems {
            self.warnings.add(line, || format!("field {}: {problem}", field.name));
        }
        if !is_known {
            self.action.fields.push(field);
        }
    }

    /// Said once, where the first of those is that are left out.
    fn too_many_fields(&mut self, line: usize) {
        if !self.is_full {
            self.is_full = true;
            self.warnings.add(line, || format!("more than {MAX_FIELDS} fields: the others are left out"));
        }
    }

    fn warn_line(&mut self, line: usize) {
        self.warnings.add(line, || "this line cannot be understood".to_owned());
    }
}

/// The line at `at` with the lines that continue it, and the line after them.
fn joined(lines: &[&str], at: usize) -> (String, usize) {
    let mut text = String::new();
    let mut at = at;
    while at < lines.len() {
        let own = lines[at].trim_start();
        // As in a shell, only a space that somebody wrote stands between two lines.
        let is_indented = own.len() < lines[at].len();
        if !text.is_empty() {
            let is_apart = is_indented || text.ends_with([' ', '\t']);
            text.truncate(text.trim_end().len());
            text.push_str(if is_apart { " " } else { "" });
        }
        let line = if text.is_empty() { lines[at] } else { own };
        at += 1;
        match continued(line) {
            Some(start) => text.push_str(start),
            None => {
                text.push_str(line);
                break;
            }
        }
    }
    (text, at)
}

/// What stands before a final `\` that is not itself escaped.
fn continued(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    (backslashes % 2 == 1).then(|| &line[..line.len() - 1])
}

/// The address up to the first space, byte for byte, or between quotes; and the rest.
fn address(text: &str) -> Option<(String, &str)> {
    if text.starts_with(['"', '\'']) {
        return word(text);
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    Some((text[..end].to_owned(), &text[end..]))
}

/// What stands after `body:` on an indented line; a type there makes it a field named body.
fn body_line(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("body:").filter(|_| line.starts_with([' ', '\t']))?.trim();
    let is_field = rest.split(|c: char| !c.is_ascii_alphabetic()).next().is_some_and(field::is_type);
    (!is_field).then_some(rest)
}

/// The body that begins at line `at`, and the line after it: the rest of the line, or all lines that are
/// indented deeper than `body:`, without the indentation of the first.
fn body(lines: &[&str], at: usize, inline: &str) -> (String, usize) {
    if !inline.is_empty() {
        return (inline.to_owned(), at + 1);
    }
    let outer = indentation(lines[at]);
    let belongs = |line: &&&str| line.trim().is_empty() || indentation(line) > outer;
    let body: Vec<&str> = lines[at + 1..].iter().take_while(belongs).copied().collect();
    let inner = body.iter().find(|line| !line.trim().is_empty()).map_or(0, |line| indentation(line));
    let dedented: Vec<&str> = body.iter().map(|line| dedent(line, inner)).collect();
    (dedented.join("\n").trim_matches('\n').to_owned(), at + 1 + body.len())
}

fn indentation(line: &str) -> usize {
    let mut columns = 0;
    for c in line.chars() {
        match c {
            ' ' => columns += 1,
            '\t' => columns += TAB_STOP - columns % TAB_STOP,
            _ => break,
        }
    }
    columns
}

fn dedent(line: &str, columns: usize) -> &str {
    let mut seen = 0;
    for (at, c) in line.char_indices() {
        if seen >= columns || !matches!(c, ' ' | '\t') {
            return &line[at..];
        }
        seen += if c == '\t' { TAB_STOP - seen % TAB_STOP } else { 1 };
    }
    ""
}
