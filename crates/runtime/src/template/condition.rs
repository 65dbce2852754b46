//! Conditions: is it there, is it equal, is it less.

use std::cmp::Ordering;

use serde_json::Value;
use sfmd::{Comparison, Condition, Operand, Path, Test};

use super::scope::Scope;
use crate::substitute::{self, Values, is_truthy, text_of};

pub(super) fn holds(condition: &Condition, scope: &Scope<'_>) -> bool {
    let holds = match &condition.test {
        Test::Failed => scope.input.failed,
        Test::Truthy(path) => is_truthy(&value(path, scope)),
        Test::Compare { left, comparison, right } => {
            let right = match right {
                Operand::Literal(literal) => literal.clone(),
                Operand::Path(path) => value(path, scope),
            };
            compares(&value(left, scope), *comparison, &right)
        }
    };
    holds != condition.negated
}

/// What has no value is null.
fn value(path: &Path, scope: &Scope<'_>) -> Value {
    match scope.at(path) {
        substitute::Named::Value { value, .. } => {
            let mut value = value.into_owned();
            substitute::drop_line_ends(&mut value, path, scope);
            value
        }
        substitute::Named::Empty | substitute::Named::Unknown => Value::Null,
    }
}

fn compares(left: &Value, comparison: Comparison, right: &Value) -> bool {
    match comparison {
        Comparison::Equal => is_equal(left, right),
        Comparison::NotEqual => !is_equal(left, right),
        Comparison::Less => order(left, right) == Some(Ordering::Less),
        Comparison::Greater => order(left, right) == Some(Ordering::Greater),
    }
}

/// A number equals its text: APIs are not of one mind about which they send. Two texts are never numbers: versions
/// and postal codes only look like them.
fn is_equal(left: &Value, right: &Value) -> bool {
    if left.is_string() && right.is_string() {
        return left == right;
    }
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left == right,
        _ => left == right || (!left.is_null() && !right.is_null() && text_of(left) == text_of(right)),
    }
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    if left.is_null() || right.is_null() {
        return None;
    }
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left.partial_cmp(&right),
        _ => Some(text_of(left).cmp(&text_of(right))),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_compare_as_numbers_where_both_are_and_texts_only_by_order() {
        use Comparison::{Equal, Greater, Less, NotEqual};
        let table = [
            (json!(24), Equal, json!("24"), true),
            (json!("24.0"), Equal, json!(24), true),
            (json!("a"), Equal, json!("a"), true),
            (json!("1.10"), Equal, json!("1.1"), false),
            (json!("1.10"), Equal, json!("1.10"), true),
            (json!("007"), NotEqual, json!("7"), true),
            (json!("1e2"), Equal, json!("100"), false),
            (json!("9"), Less, json!("10"), true),
            (json!("a"), NotEqual, json!("b"), true),
            (json!(null), Equal, json!(null), true),
            (json!(null), Equal, json!(""), false),
            (json!(true), Equal, json!(true), true),
            (json!(true), Equal, json!("true"), true),
            (json!(9), Less, json!("10"), true),
            (json!("b"), Greater, json!("a"), true),
            (json!(null), Less, json!(1), false),
            (json!([1]), Equal, json!([1]), true),
        ];
        for (left, comparison, right, expected) in table {
            assert_eq!(compares(&left, comparison, &right), expected, "{left} {comparison:?} {right}");
        }
    }
}
