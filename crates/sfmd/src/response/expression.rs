//! The right side of an assignment.

use serde_json::{Number, Value};

use super::{Expression, ShortcutValue};
use crate::template::{Dialect, Placeholder, Template, UnknownFilter};

/// `{path}`, `"text {x}"`, `'text'`, a number, `true`, `false` or `null`.
pub(super) fn expression(text: &str, unknown_filters: &mut Vec<UnknownFilter>) -> Option<Expression> {
    if let Some(placeholder) = Placeholder::parse(text) {
        return Some(Expression::Value(placeholder));
    }
    if let Some(text) = double_quoted(text) {
        return Some(Expression::Text(Template::parse_noting(&text, Dialect::Output, unknown_filters)));
    }
    literal(text).map(Expression::Literal)
}

/// One expression, or several between parentheses.
pub(super) fn shortcut_value(text: &str, unknown_filters: &mut Vec<UnknownFilter>) -> Option<ShortcutValue> {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return expression(text, unknown_filters).map(ShortcutValue::One);
    };
    let items = split_at_commas(inner).into_iter().map(|item| expression(item.trim(), unknown_filters));
    items.collect::<Option<Vec<_>>>().map(ShortcutValue::Tuple)
}

/// What compares or stands without filling in: `'text'`, a number, `true`, `false`, `null`.
pub(super) fn literal(text: &str) -> Option<Value> {
    if let Some(inner) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        return (!inner.contains('\'')).then(|| Value::String(inner.to_owned()));
    }
    match serde_json::from_str(text).ok()? {
        Value::Number(number) if is_rounded(&number, text) => None,
        value @ (Value::Number(_) | Value::Bool(_) | Value::Null) => Some(value),
        _ => None,
    }
}

/// Whether a whole number has more digits than it keeps: a changed value must not be taken for what was written.
fn is_rounded(number: &Number, text: &str) -> bool {
    number.is_f64() && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
}

/// The text between double quotes that hold all of `text`; `\"` and `\\` are one character each.
pub(super) fn double_quoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return None,
            '\\' => match chars.next()? {
                escaped @ ('"' | '\\') => out.push(escaped),
                other => out.extend(['\\', other]),
            },
            _ => out.push(c),
        }
    }
    Some(out)
}

/// Commas within quotes do not count.
fn split_at_commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote, mut escaped) = (0, None, false);
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if let Some(open) = quote {
            if c == open {
                quote = None;
            } else if c == '\\' && open == '"' {
                escaped = true;
            }
        } else {
            match c {
                '"' | '\'' => quote = Some(c),
                ',' => {
                    parts.push(&text[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
    }
    parts.push(&text[start..]);
    parts
}
