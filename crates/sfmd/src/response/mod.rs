//! Response templates (`act.ID.response`): what becomes of an action's result, as a tree to evaluate.

mod condition;
mod expression;
mod parse;

use serde_json::Value;

use crate::id::Id;
use crate::template::{Path, Placeholder, Template};
use crate::warning::Warning;

pub(crate) use parse::parse;

/// How deep loops and conditions may nest.
pub const MAX_NESTING: usize = 32;

/// The template of one action.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The action it belongs to.
    pub id: Id,
    /// The line of its fence.
    pub line: usize,
    pub nodes: Vec<Node>,
    pub warnings: Vec<Warning>,
    /// Those of the warnings with which it cannot be used: a file would not be saved as its author meant it.
    pub faults: Vec<Warning>,
}

/// One line, or a loop or condition with the lines in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// `{name} = EXPR`
    Assign { name: String, value: Expression, line: usize },
    /// `{@name} = EXPR` or `{@name} = (EXPR, EXPR)`
    Shortcut { name: Id, value: ShortcutValue, line: usize },
    /// `for: item in PATH` … `end:`
    For { item: String, list: Path, body: Vec<Node>, line: usize },
    /// `if: EXPR` … `else:` … `end:`
    If { condition: Condition, then: Vec<Node>, otherwise: Vec<Node>, line: usize },
    /// `save: PATH`, `decode: …`, `to: FILE`
    Save { value: Placeholder, decode: Decode, to: Template, line: usize },
    /// One line of output.
    Output { text: Template, line: usize },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A value as it is, with its type.
    Value(Placeholder),
    /// `"text {x}"`
    Text(Template),
    /// A number, `true`, `false`, `null`, or `'text'` in which nothing is filled in.
    Literal(Value),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ShortcutValue {
    One(Expression),
    Tuple(Vec<Expression>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub test: Test,
    /// From `not`.
    pub negated: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The action did not succeed.
    Failed,
    /// The value is there, and not empty, zero or false.
    Truthy(Path),
    Compare {
        left: Path,
        comparison: Comparison,
        right: Operand,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    Greater,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Literal(Value),
    Path(Path),
}

/// How a saved value is turned into bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Decode {
    #[default]
    None,
    Base64,
}

impl Response {
    /// Whether the template wants to format failures too: some condition in it asks for them.
    pub fn handles_failure(&self) -> bool {
        asks_for_failure(&self.nodes)
    }
}

fn asks_for_failure(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::If { condition, then, otherwise, .. } => {
            condition.test == Test::Failed || asks_for_failure(then) || asks_for_failure(otherwise)
        }
        Node::For { body, .. } => asks_for_failure(body),
        _ => false,
    })
}
