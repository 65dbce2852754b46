//! What the flags and the body of a call mean.

use std::path::Path;

use serde_json::json;

use super::*;
use crate::action::split;

/// Words mean what they say, but for `{off}`, which is false.
struct Literal;

impl Meaning for Literal {
    fn word(&self, word: &Word, _wanted: Wanted<'_>) -> Result<Meant> {
        let text = word.template.to_string();
        let value: Value = if text == "{off}" { false.into() } else { text.into() };
        Ok(Meant::given(value))
    }

    fn file(&self, path: &Word) -> Result<Meant> {
        self.word(path, Wanted::Text)
    }
}

fn tool() -> Tool {
    let manifest = "name: t
description: d
input_schema:
  type: object
  properties:
    op: { type: string }
    by: { type: integer }
    rate: { type: number }
    fast: { type: boolean }
    tags: { type: array, items: { type: integer } }
    at: { type: object, properties: { x: { type: number }, deep: { type: object, properties: { y: { type: boolean } } } } }
    level: { enum: [1, two, null] }
    either: { type: [integer, 'null'] }
    mixed: { type: [integer, boolean] }
    counts: { type: object, additionalProperties: { type: integer } }
    headers: { type: object }
    maybe: { anyOf: [{ type: 'null' }, { type: object, additionalProperties: { type: boolean } }] }
    pairs: { type: array, items: { type: array, items: { type: integer } } }
    tuple: { type: array, prefixItems: [{ type: integer }, { type: string }], items: { type: boolean } }
    points: { type: array, items: { type: object, properties: { x: { type: integer } } } }
    colour: { $ref: '#/$defs/colour' }
    texty: { oneOf: [{ type: boolean }, { type: string }] }
    dotted.name: { type: string }
    task: { type: string }
  patternProperties: { '^x-': { type: integer } }
  additionalProperties: false
  $defs: { colour: { enum: [red, 5, null] } }
execution: { type: script, script: x }
";
    Tool::parse(Path::new("/t.tool.yaml"), manifest).unwrap()
}

fn asked(line: &str, body: Option<&str>) -> Result<Asked> {
    read(&tool(), &split(line).unwrap(), body, &Literal)
}

#[test]
fn flags_get_the_declared_types() {
    let table = [
        ("", json!({})),
        ("--op bump --by 4", json!({"op": "bump", "by": 4})),
        ("--op=4 --by=-3 --rate 1e3", json!({"op": "4", "by": -3, "rate": 1000})),
        ("--op --x", json!({"op": "--x"})),
        ("--op ''", json!({"op": ""})),
        ("--by many", json!({"by": "many"})),
        ("--by 4.0", json!({"by": 4})),
        ("--by 4.5", json!({"by": "4.5"})),
        ("--by 18446744073709551615", json!({"by": 18_446_744_073_709_551_615_u64})),
        ("--rate .5", json!({"rate": 0.5})),
        ("--rate inf", json!({"rate": "inf"})),
        ("--fast --op x", json!({"fast": true, "op": "x"})),
        ("--fast false", json!({"fast": false})),
        ("--no-fast", json!({"fast": false})),
        ("--fast {off} --op x", json!({"fast": false, "op": "x"})),
        ("--mixed 5 --op x", json!({"mixed": 5, "op": "x"})),
        ("--mixed -5", json!({"mixed": -5})),
        ("--mixed --op x", json!({"mixed": true, "op": "x"})),
        ("--mixed false", json!({"mixed": false})),
        ("--texty word", json!({"texty": "word"})),
        ("--texty true", json!({"texty": true})),
        ("--texty", json!({"texty": true})),
        ("--tags 1 --tags 2 --tags x", json!({"tags": [1, 2, "x"]})),
        ("--tags '[1, 2]' --tags 3", json!({"tags": [1, 2, 3]})),
        ("--at.x 1.5 --at.deep.y", json!({"at": {"x": 1.5, "deep": {"y": true}}})),
        ("--at '{\"x\": 2}'", json!({"at": {"x": 2}})),
        ("--level 1", json!({"level": 1})),
        ("--level two", json!({"level": "two"})),
        ("--either null", json!({"either": null})),
        ("--counts.q 5 --counts.r x", json!({"counts": {"q": 5, "r": "x"}})),
        ("--headers.accept 5", json!({"headers": {"accept": "5"}})),
        ("--headers.a.b 5", json!({"headers": {"a": {"b": "5"}}})),
        ("--maybe.on --maybe null", json!({"maybe": null})),
        ("--maybe.on --op x", json!({"maybe": {"on": true}, "op": "x"})),
        ("--x-n 5", json!({"x-n": 5})),
        ("--pairs [1] --pairs [2,3]", json!({"pairs": [[1], [2, 3]]})),
        ("--pairs [[1],[2]] --pairs [3]", json!({"pairs": [[1], [2], [3]]})),
        ("--pairs []", json!({"pairs": []})),
        ("--tuple 1 --tuple 2 --tuple true", json!({"tuple": [1, "2", true]})),
        ("--tuple '[1, \"a\"]'", json!({"tuple": [1, "a"]})),
        ("--points '{\"x\": 1}'", json!({"points": [{"x": 1}]})),
        ("--colour 5", json!({"colour": 5})),
        ("--colour null", json!({"colour": null})),
        ("--colour ''", json!({"colour": ""})),
        ("--op \"--by\"", json!({"op": "--by"})),
        ("--dotted.name x", json!({"dotted.name": "x"})),
        ("--task mine", json!({"task": "mine"})),
        ("--json '{\"op\": \"a\", \"by\": 1}' --by 2", json!({"op": "a", "by": 2})),
        ("--op a --op b", json!({"op": "b"})),
    ];
    for (line, expected) in table {
        let asked = asked(line, None).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!((asked.input, asked.task, asked.help), (expected, None, false), "{line}");
    }
    let body = asked("--by 2", Some("{\"op\": \"{x}\"}")).unwrap();
    assert_eq!(body.input, json!({"op": "{x}", "by": 2}));
}

#[test]
fn our_own_flags_give_way_to_fields_of_their_name() {
    let own = asked("--@task job-1 --@json '{}' --@help", None).unwrap();
    assert_eq!(own, Asked { input: json!({}), task: Some("job-1".into()), help: true, ..Asked::default() });
    assert!(asked("--help", None).unwrap().help);
    assert_eq!(asked("--task x --@task=y", None).unwrap().task.as_deref(), Some("y"));
}

#[test]
fn what_cannot_be_read_says_why() {
    for (line, body, part) in [
        ("--op", None, "--op needs a value.\n  --op: string\n  Usage: /tool:t "),
        ("--op --by 3", None, "--op needs a value"),
        ("stray", None, "Too many arguments: \"stray\""),
        ("--fast stray", None, "--fast takes true or false, not \"stray\"."),
        ("--opp x", None, "Did you mean --op?"),
        ("--", None, "is no flag"),
        ("--json '[1]'", None, "not a JSON object"),
        ("--json nope", None, "not JSON"),
        ("", Some("{"), "not JSON"),
        ("", Some("{\"by\": 12345678901234567890123}"), "too many digits"),
        ("--json '{}'", Some("{}"), "The whole input is given twice"),
        ("--json '{}' --json '{}'", None, "The whole input is given twice"),
        ("--points.0.x 5", None, "Unknown flag \"--points.0.x\".\n  --points: array of object\n"),
        ("--op.x 5", None, "Unknown flag \"--op.x\".\n  --op: string\n"),
        ("--at.x 1 --at text --at.deep.y", None, "do not fit together"),
    ] {
        let error = asked(line, body).unwrap_err().to_string();
        assert!(error.contains(part), "{line}: {error}");
    }
}

#[test]
fn input_that_may_have_more_than_its_fields_gets_names_as_they_are() {
    let manifest = "name: t
description: d
input_schema:
  type: object
  properties: { at: { type: object, properties: { x: { type: integer } }, additionalProperties: false } }
  additionalProperties: { type: integer }
execution: { type: script, script: x }
";
    let tool = Tool::parse(Path::new("/t.tool.yaml"), manifest).unwrap();
    let input = |line: &str| read(&tool, &split(line).unwrap(), None, &Literal).map(|asked| asked.input);
    assert_eq!(input("--k 5 --a.b 6 --at.x 7").unwrap(), json!({"k": 5, "a.b": 6, "at": {"x": 7}}));
    assert!(input("--at.y 5").is_err());
}

#[test]
fn dots_lead_into_what_nobody_declared() {
    let manifest = "name: t
description: d
input_schema: { type: object, properties: { c.d: { type: integer } }, patternProperties: { '^x-': { type: integer } } }
execution: { type: script, script: x }
";
    let tool = Tool::parse(Path::new("/t.tool.yaml"), manifest).unwrap();
    let input = |line: &str| read(&tool, &split(line).unwrap(), None, &Literal).map(|asked| asked.input);
    let table = [
        ("--a.b 1 --a.c.d 2 --k v", json!({"a": {"b": "1", "c": {"d": "2"}}, "k": "v"})),
        ("--c.d 1", json!({"c.d": 1})),
        ("--x-a.b 1", json!({"x-a.b": 1})),
        ("--a. 1 --.b 2 --c..d 3", json!({"a.": "1", ".b": "2", "c..d": "3"})),
    ];
    for (line, expected) in table {
        assert_eq!(input(line).unwrap(), expected, "{line}");
    }
    assert!(input("--a 1 --a.b 2").unwrap_err().message.contains("do not fit together"));
}
