//! Templates with what they give, as a table.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Evaluated, Input, evaluate};
use crate::error::{Code, Error, Result};
use crate::substitute::{Env, Mark, Marked, Named, Source, Values};

/// A session with `{city}`, with `{key}`, which holds a secret, and a call with the field `name`.
struct Session(BTreeMap<&'static str, Value>);

impl Values for Session {
    fn named(&self, name: &str) -> Named<'_> {
        match self.0.get(name) {
            Some(value) => {
                let mark = if name == "key" { Mark::SECRET } else { Mark::default() };
                Named::Value { value: Cow::Borrowed(value), source: Source::Other, mark }
            }
            None => Named::Unknown,
        }
    }

    fn env(&self, _name: &str) -> Option<Env<'_>> {
        None
    }

    fn file(&self, _value: &Named<'_>, _path: &str) -> Result<Vec<u8>> {
        Err(Error::new(Code::NotFound, "none"))
    }
}

fn evaluated(template: &str, failed: bool) -> Evaluated {
    evaluated_of(Mark::default(), template, failed)
}

fn evaluated_of(author: Mark, template: &str, failed: bool) -> Evaluated {
    let document = sfmd::parse(&format!("```act.a.response\n{template}\n```\n"));
    let response = json!({
        "status": 200,
        "body": {
            "city": "Seoul", "t": 24, "tags": ["x", "y"], "none": null, "hostile": "{city} {@it} $KEY\nend:",
            "items": [{"id": "a1", "name": "first", "tags": ["p", "q"]}, {"id": "b2", "name": "second", "tags": []}],
            "image": "/wA=", "index": [{"index": "own"}],
        },
    });
    let session =
        Session(BTreeMap::from([("city", json!("Oslo")), ("name", json!("field")), ("key", json!("sk-1"))]));
    let response = Marked { value: response, mark: author };
    evaluate(&document.responses[0], Input { response: &response, failed, values: &session, author })
}

#[track_caller]
fn check(template: &str, expected: &str) -> Evaluated {
    let evaluated = evaluated(template, false);
    assert_eq!(evaluated.text(), expected);
    evaluated
}

#[test]
fn output_sees_what_was_assigned_before_it() {
    let done = check(
        "{city}\n{city} = {Response.body.city}\n{city} {name} {Response.body.t}°C",
        "Oslo\nSeoul field 24°C",
    );
    assert_eq!(done.variables, [("city".to_owned(), json!("Seoul").into())]);
    let done = check(
        "{n} = 5\n{t} = \"{Response.body.t} {n}\"\n{raw} = '{n}'\n{all} = {Response.body.tags}",
        "OK {n}, {t}, {raw}, {all}",
    );
    assert_eq!(done.variables[1].1.value, json!("24 5"));
    assert_eq!(done.variables[2].1.value, json!("{n}"));
    assert_eq!(done.variables[3].1.value, json!(["x", "y"]));
    assert_eq!(done.warnings, [""; 0]);
}

#[test]
fn loops_nest_and_number_their_shortcuts() {
    let done = check(
        "for: item in Response.body.items\n{@it} = ({item.id}, {item.name})\n{item.index}. {item.name} [{@it}]\nfor: t in {item.tags}\n  {t.index} {t} of {item.id}\nend:\nend:\n{@one} = {Response.body.t}",
        "1. first [@it-1]\n  1 p of a1\n  2 q of a1\n2. second [@it-2]",
    );
    let ids: Vec<&str> = done.shortcuts.iter().map(|shortcut| shortcut.id.as_str()).collect();
    assert_eq!(ids, ["it-1", "it-2", "one"]);
    assert_eq!(done.shortcuts[1].value.value, json!(["b2", "second"]));
    check("for: x in Response.body.index\n{x.index}\nend:", "own");
    check("for: x in Response.body.none\n{x}\nend:\ndone", "done");
}

#[test]
fn conditions_choose() {
    let template = "if: failed\nbad\nelse:\ngood\nend:\nif: Response.body.tags\nhas tags\nend:\nif: not Response.body.nope\nnone\nend:\nif: Response.body.t > 20\nwarm\nend:\nif: Response.body.city == \"Seoul\"\nhere\nend:\nif: {city} != {Response.body.city}\nother\nend:";
    check(template, "good\nhas tags\nnone\nwarm\nhere\nother");
    assert!(evaluated(template, true).text().starts_with("bad\n"));
}

#[test]
fn what_is_missing_is_empty_and_named() {
    let done = check(
        "a {Response.body.nope} b\n{v} = {Response.body.nope}\nfor: x in Response.body.city\nend:\n{@never}",
        "a  b",
    );
    assert_eq!(
        done.warnings,
        [
            "act.a.response, line 2: {Response.body.nope} has no value",
            "act.a.response, line 3: {Response.body.nope} has no value",
            "act.a.response, line 4: {Response.body.city} is no list",
            "act.a.response, line 6: {@never} has no value",
        ]
    );
    assert_eq!(done.variables, [("v".to_owned(), json!("").into())]);
    assert_eq!(check("{Response.body.none}.", ".").warnings, [""; 0]);
}

#[test]
fn output_is_never_read_again() {
    check("{Response.body.hostile}", "{city} {@it} $KEY\nend:");
    let done = check("{x} = {Response.body.hostile}\n{y} = \"<{x}>\"\n{y}", "<{city} {@it} $KEY\nend:>");
    assert_eq!(done.shortcuts, []);
}

#[test]
fn files_are_asked_for_with_their_bytes() {
    let done = check(
        "save: Response.body.image\ndecode: base64\nto: out/{city}.png\nsave: {Response.body.tags}\nto: \"t.json\"\nsave: Response.body.city\nto: c.txt",
        "OK out/Oslo.png, t.json, c.txt",
    );
    let saved: Vec<Vec<u8>> = done.saves.into_iter().map(|save| save.content.unwrap()).collect();
    assert_eq!(saved, [&[0xff, 0x00][..], b"[\n  \"x\",\n  \"y\"\n]\n", b"Seoul"]);
    let done = evaluated("save: Response.body.city\ndecode: base64\nto: x", false);
    let not_base64 = Error::new(Code::ActionFailed, "The value is not base64.");
    assert_eq!(done.saves[0].content, Err(not_base64));
    for packed in ["/+8", "_-8=", "_-8", "/+\n8="] {
        let call = format!("{{p}} = {packed:?}\nsave: p\ndecode: base64\nto: x").replace("\\n", " ");
        assert_eq!(evaluated(&call, false).saves[0].content, Ok(vec![0xff, 0xef]), "{packed}");
    }
}

#[test]
fn what_a_command_printed_is_assigned_without_its_line_ends() {
    let assigned = |response: Value, right: &str| {
        let document = sfmd::parse(&format!("```act.a.response\n{{x}} = {right}\n```\n"));
        let session = Session(BTreeMap::new());
        let input =
            Input { response: &response.into(), failed: false, values: &session, author: Mark::default() };
        evaluate(&document.responses[0], input).variables.remove(0).1.value
    };
    let printed = || json!({ "stdout": "a\r\n\n", "stderr": " b\n", "body": "a\n", "x": "y\n" });
    for (right, expected) in [
        ("{Response.stdout}", "a"),
        ("{Response.stderr}", " b"),
        ("{Response.body}", "a"),
        ("{Response.x}", "y\n"),
        ("{Response.stderr|json}", "\" b\\n\""),
        ("\"{Response.stderr}\"", " b\n"),
    ] {
        assert_eq!(assigned(printed(), right), expected, "{right}");
    }
    assert_eq!(assigned(json!({ "body": "text\n" }), "{Response.body}"), "text\n");
    assert_eq!(assigned(json!({ "body": { "stdout": "t\n" } }), "{Response.body.stdout}"), "t\n");
}

#[test]
fn loops_end() {
    let inner = "for: a in Response.body.many\nfor: b in Response.body.many\nx\nend:\nend:";
    let document = sfmd::parse(&format!("```act.a.response\n{inner}\n```\n"));
    let response = json!({ "body": { "many": vec![0; 1000] } });
    let session = Session(BTreeMap::new());
    let input =
        Input { response: &response.into(), failed: false, values: &session, author: Mark::default() };
    let done = evaluate(&document.responses[0], input);
    assert!(
        done.lines.len() < 20_000 && done.warnings[0].ends_with("too many turns and was cut"),
        "{:?}",
        done.warnings
    );
}

#[test]
fn what_is_assigned_keeps_the_marks_of_what_it_is_made_of() {
    let template = "{a} = \"x\"\n{b} = {key}\n{c} = \"<{b}>\"\n{d} = {Response.body.city}\n{@t} = ({a}, {c})\n\
                    for: x in Response.body.items\n{e} = {x.id}\nend:";
    let marks = |author: Mark| {
        let done = evaluated_of(author, template, false);
        let variables = done.variables.into_iter().map(|(name, marked)| (name, marked.mark));
        variables.chain([("@t".to_owned(), done.shortcuts[0].value.mark)]).collect::<Vec<_>>()
    };
    for author in [Mark::default(), Mark::WEB] {
        let secret = author.with(Mark::SECRET);
        let expected =
            [("a", author), ("b", secret), ("c", secret), ("d", author), ("e", author), ("@t", secret)];
        assert_eq!(marks(author), expected.map(|(name, mark)| (name.to_owned(), mark)));
    }
}
