//! Response templates as trees.

use serde_json::json;
use sfmd::{Decode, Expression, MAX_NESTING, Node, Response, ShortcutValue, parse};

fn response(template: &str) -> Response {
    let document = parse(&format!("```act.a.response\n{template}\n```\n"));
    document.responses.into_iter().next().expect("one response")
}

fn warnings(response: &Response) -> Vec<String> {
    response.warnings.iter().map(ToString::to_string).collect()
}

/// The tree in one line, to compare whole templates.
fn show(nodes: &[Node]) -> String {
    let one = |node: &Node| match node {
        Node::Assign { name, value, .. } => format!("set {name} {}", show_expression(value)),
        Node::Shortcut { name, value: ShortcutValue::One(value), .. } => {
            format!("@{name} {}", show_expression(value))
        }
        Node::Shortcut { name, value: ShortcutValue::Tuple(values), .. } => {
            format!("@{name} ({})", values.iter().map(show_expression).collect::<Vec<_>>().join(" & "))
        }
        Node::For { item, list, body, .. } => format!("for {item} in {list} [{}]", show(body)),
        Node::If { condition, then, otherwise, .. } => {
            let not = if condition.negated { "not " } else { "" };
            format!("if {not}{:?} [{}] else [{}]", condition.test, show(then), show(otherwise))
        }
        Node::Save { value, decode, to, .. } => format!("save {value} {decode:?} {to}"),
        Node::Output { text, .. } => format!("out {text}"),
    };
    nodes.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn show_expression(value: &Expression) -> String {
    match value {
        Expression::Value(placeholder) => placeholder.to_string(),
        Expression::Text(template) => format!("“{template}”"),
        Expression::Literal(value) => value.to_string(),
    }
}

#[track_caller]
fn check(template: &str, expected: &str) {
    let response = response(template);
    assert_eq!(warnings(&response), [""; 0]);
    assert_eq!(show(&response.nodes), expected);
}

#[test]
fn assignments_and_output() {
    check(
        "{city} = {Response.body.city}\n{n}=5\n{ok} = true\n{t} = \"in {city} \\\"now\\\"\"\n{raw} = '{city}'\n## Weather in {city} ($UNITS)\n\n{city} == {n}\n$A == {n}",
        "set city {Response.body.city}; set n 5; set ok true; set t “in {city} \"now\"”; set raw \"{city}\"; out ## Weather in {city} ($UNITS); out ; out {city} == {n}; out $A == {n}",
    );
}

#[test]
fn loops_conditions_and_value_shortcuts() {
    check(
        "for: item in Response.body.items\n{@item} = {item.id}\n- {item.name} [{@item}]\nfor: x in {item.tags}\n  {x.index}: {x}\nend:\nend:\n{@pair} = ({a}, \"b, {c}\", 3)",
        "for item in Response.body.items [@item {item.id}; out - {item.name} [{@item}]; for x in item.tags [out   {x.index}: {x}]]; @pair ({a} & “b, {c}” & 3)",
    );
    let failing = response("for: x in xs\nif: not failed\nok\nelse:\nbad {Response.status}\nend:\nend:");
    assert_eq!(show(&failing.nodes), "for x in xs [if not Failed [out ok] else [out bad {Response.status}]]");
    assert!(failing.handles_failure());
    assert!(!response("if: x\ny\nend:").handles_failure());
}

#[test]
fn values_are_saved_to_files() {
    check(
        "save: Response.body.image\ndecode: base64\nto: out/{name}.png\nsaved\nsave: {x|json}\nto: \"a b.json\"\nto: nobody",
        "save {Response.body.image} Base64 out/{name}.png; out saved; save {x|json} None a b.json; out to: nobody",
    );
    assert_eq!(response("save: a\nto: b").nodes.len(), 1);
    assert!(matches!(&response("save: a\nto: b").nodes[0], Node::Save { decode: Decode::None, line: 2, .. }));
    let behind = response("save: a\nto: b\ndecode: base64\ndecode: hex");
    assert!(matches!(&behind.nodes[..], [Node::Save { decode: Decode::Base64, .. }]), "{behind:?}");
    assert_eq!(behind.faults.len(), 1, "{behind:?}");
}

#[test]
fn what_is_wrong_is_a_warning_and_the_rest_works() {
    let cases = [
        ("$KEY = {x}", "", "line 2: a response cannot assign $variables"),
        (
            "{Response} = \"evil\"",
            "",
            "line 2: a response cannot assign {Response}, which is the result of its action",
        ),
        (
            "{x} = 12345678901234567890123",
            "out {x} = 12345678901234567890123",
            "line 2: shown as text: the right side needs quotes",
        ),
        ("{x} = some words", "out {x} = some words", "line 2: shown as text: the right side needs quotes"),
        ("{x} = \"{a|rot13}\"", "set x “{a|rot13}”", "line 2: there is no filter |rot13"),
        ("for: x on y", "out for: x on y", "line 2: this line cannot be understood"),
        ("if: a = b", "out if: a = b", "line 2: this line cannot be understood"),
        ("for: x in y\nz", "for x in y [out z]", "line 2: this line has no end:"),
        ("end:", "", "line 2: end: ends nothing"),
        ("else:", "", "line 2: else: belongs to no if:"),
        ("save: a\nb", "out b", "line 2: save: needs a to: line after it"),
        ("save: a b", "out save: a b", "line 2: save: needs a path"),
    ];
    for (template, tree, warning) in cases {
        let response = response(template);
        assert_eq!(show(&response.nodes), tree);
        assert_eq!(warnings(&response), [warning]);
    }
}

#[test]
fn a_second_else_is_a_warning() {
    let response = response("if: a\nx\nelse:\ny\nelse:\nz\nend:");
    assert_eq!(warnings(&response), ["line 6: else: belongs to no if:"]);
    let Node::If { then, otherwise, .. } = &response.nodes[0] else { panic!() };
    assert_eq!((then.len(), otherwise.len()), (1, 2));
}

#[test]
fn nesting_has_a_bottom() {
    let deep = MAX_NESTING + 3;
    let template = format!("{}inner\n{}after", "if: a\n".repeat(deep), "end:\n".repeat(deep));
    let response = response(&template);
    assert_eq!(warnings(&response), [format!("line {}: nested deeper than 32: left out", MAX_NESTING + 2)]);
    assert_eq!(response.nodes.len(), 2);
    assert!(!show(&response.nodes).contains("inner"));
}

#[test]
fn literals_keep_their_types() {
    let response = response("{a} = -1.5\n{b} = null\n{c} = 'x'");
    let values: Vec<_> = response
        .nodes
        .iter()
        .map(|node| match node {
            Node::Assign { value: Expression::Literal(value), .. } => value.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(values, [json!(-1.5), json!(null), json!("x")]);
}
