//! What stands after `if:`.

use super::expression::{double_quoted, literal};
use super::{Comparison, Condition, Operand, Test};
use crate::template::{Path, Placeholder};

pub(super) fn condition(text: &str) -> Option<Condition> {
    let mut rest = text.trim();
    let mut negated = false;
    while let Some(after) = rest.strip_prefix("not ") {
        negated = !negated;
        rest = after.trim_start();
    }
    test(rest).map(|test| Condition { test, negated })
}

/// A path, bare or in braces.
pub(super) fn path(text: &str) -> Option<Path> {
    Path::parse(text).or_else(|| braced(text))
}

fn braced(text: &str) -> Option<Path> {
    Placeholder::parse(text)
        .filter(|placeholder| placeholder.filters.is_empty())
        .map(|placeholder| placeholder.path)
}

fn test(text: &str) -> Option<Test> {
    match text {
        "failed" => return Some(Test::Failed),
        "not" => return None,
        _ => {}
    }
    let (left, rest) = left_side(text)?;
    let rest = rest.trim_start();
    if rest.is_empty() {
        return Some(Test::Truthy(left));
    }
    const OPERATORS: [(&str, Comparison); 4] = [
        ("==", Comparison::Equal),
        ("!=", Comparison::NotEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];
    let (operator, comparison) = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator))?;
    let right = operand(rest[operator.len()..].trim())?;
    Some(Test::Compare { left, comparison: *comparison, right })
}

fn left_side(text: &str) -> Option<(Path, &str)> {
    if text.starts_with('{') {
        let end = text.find('}')? + 1;
        return Some((braced(&text[..end])?, &text[end..]));
    }
    Path::parse_start(text)
}

fn operand(text: &str) -> Option<Operand> {
    let quoted = double_quoted(text).map(Into::into);
    if let Some(value) = quoted.or_else(|| literal(text)) {
        return Some(Operand::Literal(value));
    }
    path(text).map(Operand::Path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_are_typed() {
        let at = |text: &str| Path::parse(text).unwrap();
        let compare = |left: &str, comparison, right| Test::Compare { left: at(left), comparison, right };
        let cases = [
            ("failed", Test::Failed, false),
            ("not failed", Test::Failed, true),
            ("not not items", Test::Truthy(at("items")), false),
            ("{items[0].name}", Test::Truthy(at("items[0].name")), false),
            (
                "Response.status == 404",
                compare("Response.status", Comparison::Equal, Operand::Literal(json!(404))),
                false,
            ),
            (
                "a.b != \"x \\\"y\\\"\"",
                compare("a.b", Comparison::NotEqual, Operand::Literal(json!("x \"y\""))),
                false,
            ),
            ("n<-2.5", compare("n", Comparison::Less, Operand::Literal(json!(-2.5))), false),
            ("{n} > {m}", compare("n", Comparison::Greater, Operand::Path(at("m"))), false),
            ("done == true", compare("done", Comparison::Equal, Operand::Literal(json!(true))), false),
        ];
        for (text, test, negated) in cases {
            assert_eq!(condition(text), Some(Condition { test, negated }), "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in ["", "not", "a ==", "a = b", "a == \"x", "== 1", "a b", "{a", "{a|json} == 1", "a <= 1"] {
            assert_eq!(condition(text), None, "{text}");
        }
    }
}
