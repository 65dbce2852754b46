//! Reading a response template line by line.

use super::condition::{condition, path};
use super::expression::{double_quoted, expression, shortcut_value};
use super::{Condition, Decode, MAX_NESTING, Node, Response};
use crate::frontmatter::is_variable_name;
use crate::id::Id;
use crate::template::{Dialect, Path, Placeholder, Template, UnknownFilter};
use crate::warning::Warnings;

/// `text` is the content of the fence on line `line`.
pub(crate) fn parse(id: Id, text: &str, line: usize) -> Response {
    let mut reader = Reader::default();
    for (at, content) in text.lines().enumerate() {
        reader.line(content, line + 1 + at);
    }
    reader.finish(id, line)
}

#[derive(Default)]
struct Reader {
    /// Where finished nodes go: outermost first.
    open: Vec<Open>,
    nodes: Vec<Node>,
    saving: Option<Saving>,
    /// Loops and conditions that are open below the deepest level.
    too_deep: usize,
    warnings: Warnings,
    faults: Warnings,
}

struct Open {
    head: Head,
    /// The nodes around this one, put aside while it is open.
    outer: Vec<Node>,
    line: usize,
}

enum Head {
    For { item: String, list: Path },
    If { condition: Condition },
    Else { condition: Condition, then: Vec<Node> },
}

struct Saving {
    value: Placeholder,
    decode: Decode,
    line: usize,
}

impl Reader {
    fn line(&mut self, content: &str, line: usize) {
        let trimmed = content.trim();
        let saves = self.saving.is_some() || matches!(self.nodes.last(), Some(Node::Save { .. }));
        if saves && let Some(text) = trimmed.strip_prefix("decode:") {
            return self.decode(text, line);
        }
        if self.saving.is_some() && self.continue_saving(trimmed) {
            return;
        }
        if let Some(rest) = trimmed.strip_prefix("for:") {
            self.open(for_head(rest), content, line);
        } else if let Some(rest) = trimmed.strip_prefix("if:") {
            self.open(condition(rest).map(|condition| Head::If { condition }), content, line);
        } else if trimmed == "end:" {
            self.close(line);
        } else if self.too_deep == 0 {
            self.plain_line(trimmed, content, line);
        }
    }

    fn plain_line(&mut self, trimmed: &str, content: &str, line: usize) {
        if trimmed == "else:" {
            self.otherwise(line);
        } else if let Some(rest) = trimmed.strip_prefix("save:") {
            let rest = rest.trim();
            let bare = Path::parse(rest).map(|path| Placeholder { path, filters: Vec::new() });
            match bare.or_else(|| Placeholder::parse(rest)) {
                Some(value) => self.saving = Some(Saving { value, decode: Decode::None, line }),
                None => self.output_with_warning(content, line, "save: needs a path"),
            }
        } else if is_env_assignment(trimmed) {
            self.warnings.add(line, || "a response cannot assign $variables".to_owned());
        } else {
            self.assignment_or_output(content, line);
        }
    }

    fn finish(mut self, id: Id, line: usize) -> Response {
        self.drop_saving();
        while let Some(open) = self.open.last() {
            let opened = open.line;
            self.warnings.add(opened, || "this line has no end:".to_owned());
            self.close(opened);
        }
        let faults = self.faults.into_sorted();
        self.warnings.extend(faults.iter().cloned());
        Response { id, line, nodes: self.nodes, warnings: self.warnings.into_sorted(), faults }
    }

    fn open(&mut self, head: Option<Head>, content: &str, line: usize) {
        if self.too_deep > 0 || self.open.len() == MAX_NESTING {
            if self.too_deep == 0 {
                self.warnings.add(line, || format!("nested deeper than {MAX_NESTING}: left out"));
            }
            self.too_deep += 1;
            return;
        }
        match head {
            Some(head) => {
                let outer = std::mem::take(&mut self.nodes);
                self.open.push(Open { head, outer, line });
            }
            None => self.output_with_warning(content, line, "this line cannot be understood"),
        }
    }

    fn close(&mut self, line: usize) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let Some(Open { head, outer, line: opened }) = self.open.pop() else {
            self.warnings.add(line, || "end: ends nothing".to_owned());
            return;
        };
        let inner = std::mem::replace(&mut self.nodes, outer);
        self.nodes.push(match head {
            Head::For { item, list } => Node::For { item, list, body: inner, line: opened },
            Head::If { condition } => {
                Node::If { condition, then: inner, otherwise: Vec::new(), line: opened }
            }
            Head::Else { condition, then } => Node::If { condition, then, otherwise: inner, line: opened },
        });
    }

    fn otherwise(&mut self, line: usize) {
        match self.open.pop() {
            Some(Open { head: Head::If { condition }, outer, line }) => {
                let then = std::mem::take(&mut self.nodes);
                self.open.push(Open { head: Head::Else { condition, then }, outer, line });
            }
            other => {
                self.open.extend(other);
                self.warnings.add(line, || "else: belongs to no if:".to_owned());
            }
        }
    }

    /// `decode:` belongs to the save before it, on either side of its `to:`.
    fn decode(&mut self, text: &str, line: usize) {
        let decode = match text.trim() {
            "base64" => Some(Decode::Base64),
            "none" => Some(Decode::None),
            _ => None,
        };
        let place = match (&mut self.saving, self.nodes.last_mut()) {
            (Some(saving), _) => Some(&mut saving.decode),
            (None, Some(Node::Save { decode, .. })) => Some(decode),
            _ => None,
        };
        match (decode, place) {
            (Some(decode), Some(place)) => *place = decode,
            _ => self.faults.add(line, || "decode: is base64 or none".to_owned()),
        }
    }

    /// `to:` follows `save:`, and completes it.
    fn continue_saving(&mut self, trimmed: &str) -> bool {
        if let Some(to) = trimmed.strip_prefix("to:").map(str::trim).filter(|to| !to.is_empty())
            && let Some(Saving { value, decode, line }) = self.saving.take()
        {
            let to = double_quoted(to).unwrap_or_else(|| to.to_owned());
            let to = self.template(&to, line);
            self.nodes.push(Node::Save { value, decode, to, line });
            return true;
        }
        self.drop_saving();
        false
    }

    fn drop_saving(&mut self) {
        if let Some(saving) = self.saving.take() {
            self.faults.add(saving.line, || "save: needs a to: line after it".to_owned());
        }
    }

    fn assignment_or_output(&mut self, content: &str, line: usize) {
        let Some((target, right)) = assignment(content.trim()) else {
            let text = self.template(content, line);
            self.nodes.push(Node::Output { text, line });
            return;
        };
        let mut unknown_filters = Vec::new();
        let node = match target {
            AssignTo::Variable(name) if name == "Response" => {
                let message = "a response cannot assign {Response}, which is the result of its action";
                return self.warnings.add(line, || message.to_owned());
            }
            AssignTo::Variable(name) => {
                expression(right, &mut unknown_filters).map(|value| Node::Assign { name, value, line })
            }
            AssignTo::Shortcut(name) => {
                shortcut_value(right, &mut unknown_filters).map(|value| Node::Shortcut { name, value, line })
            }
        };
        self.warn_filters(&unknown_filters, line);
        match node {
            Some(node) => self.nodes.push(node),
            None => self.output_with_warning(content, line, "shown as text: the right side needs quotes"),
        }
    }

    fn output_with_warning(&mut self, content: &str, line: usize, message: &str) {
        self.warnings.add(line, || message.to_owned());
        let text = self.template(content, line);
        self.nodes.push(Node::Output { text, line });
    }

    fn template(&mut self, text: &str, line: usize) -> Template {
        let mut unknown_filters = Vec::new();
        let template = Template::parse_noting(text, Dialect::Output, &mut unknown_filters);
        self.warn_filters(&unknown_filters, line);
        template
    }

    fn warn_filters(&mut self, unknown: &[UnknownFilter], line: usize) {
        for unknown in unknown {
            self.warnings.add(line, || unknown.to_string());
        }
    }
}

fn for_head(text: &str) -> Option<Head> {
    let (item, list) = text.trim().split_once(" in ")?;
    let item = item.trim();
    let item = item.strip_prefix('{').and_then(|item| item.strip_suffix('}')).unwrap_or(item);
    is_variable_name(item).then_some(())?;
    Some(Head::For { item: item.to_owned(), list: path(list.trim())? })
}

enum AssignTo {
    Variable(String),
    Shortcut(Id),
}

/// `{name} = …` or `{@name} = …`, with what stands on the right.
fn assignment(line: &str) -> Option<(AssignTo, &str)> {
    let (name, rest) = line.strip_prefix('{')?.split_once('}')?;
    let right = rest.trim_start().strip_prefix('=').filter(|right| !right.starts_with('='))?.trim_start();
    let target = match name.strip_prefix('@') {
        Some(name) => AssignTo::Shortcut(Id::parse(name)?),
        None => AssignTo::Variable(is_variable_name(name).then(|| name.to_owned())?),
    };
    Some((target, right))
}

fn is_env_assignment(line: &str) -> bool {
    let sides = line.strip_prefix('$').and_then(|line| line.split_once('='));
    sides.is_some_and(|(name, right)| is_variable_name(name.trim_end()) && !right.starts_with('='))
}
