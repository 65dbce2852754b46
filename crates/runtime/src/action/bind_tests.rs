//! Which word goes to which field, as a table.

use serde_json::{Value, json};

use super::bind::{Bound, Meaning, Meant, Wanted, bind};
use super::{Called, Word, split};
use crate::error::{Code, Result};
use crate::substitute::{Mark, Marked};

/// Words mean what they say, but for `{x}`, which is a list, `{dash}`, which looks like a flag, and `{off}`,
/// which is false.
struct Simple;

impl Meaning for Simple {
    fn word(&self, word: &Word, _wanted: Wanted<'_>) -> Result<Meant> {
        let value = match word.template.to_string().as_str() {
            "{x}" if word.placeholder().is_some() => json!(["a", 1]),
            "{dash}" if word.placeholder().is_some() => json!("--unit"),
            "{off}" if word.placeholder().is_some() => json!(false),
            text => json!(text),
        };
        Ok(Meant::given(value))
    }

    fn file(&self, path: &Word) -> Result<Meant> {
        Ok(Meant::given(json!(format!("content of {}", path.template))))
    }
}

const SEARCH: &str = "GET https://x\n  name, -n: string (required)\n  unit: string (c|f)\n  days, -d: number = 7\n  \
                      verbose, -v: boolean\n  data: json\n  note: string";

fn bound(definition: &str, call: &str) -> Result<Bound> {
    let document = sfmd::parse(&format!("```act.search\n{definition}\n```\n"));
    let called = Called::typed("/act.".to_owned(), split(call).unwrap());
    bind(&document.actions[0], &called, &Simple)
}

fn named(definition: &str, fields: Value) -> Result<Bound> {
    let document = sfmd::parse(&format!("```act.search\n{definition}\n```\n"));
    let fields = fields.as_object().unwrap().clone().into_iter();
    let fields = fields.map(|(name, value)| (name, Marked { value, mark: Mark::WEB })).collect();
    let called = Called { fields, ..Called::nothing() };
    bind(&document.actions[0], &called, &Simple)
}

#[track_caller]
fn check(call: &str, expected: Value) {
    let bound = bound(SEARCH, call).unwrap();
    let fields: serde_json::Map<String, Value> =
        bound.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    assert_eq!(Value::Object(fields), expected, "{call}");
}

#[test]
fn every_way_to_give_a_value() {
    check("--name Seoul", json!({"name": "Seoul", "days": 7}));
    check("--name=Seoul -d3", json!({"name": "Seoul", "days": 3}));
    check("-n \"New York\" -d -2", json!({"name": "New York", "days": -2}));
    check("-nSeoul -d=4", json!({"name": "Seoul", "days": 4}));
    check("Seoul c 5", json!({"name": "Seoul", "unit": "c", "days": 5}));
    check("--unit f Seoul", json!({"name": "Seoul", "unit": "f", "days": 7}));
    check("Seoul --verbose c", json!({"name": "Seoul", "unit": "c", "days": 7, "verbose": true}));
    check("Seoul -v false", json!({"name": "Seoul", "days": 7, "verbose": false}));
    check("Seoul --no-verbose", json!({"name": "Seoul", "days": 7, "verbose": false}));
    check("Seoul --verbose=false", json!({"name": "Seoul", "days": 7, "verbose": false}));
    check("--name ''", json!({"name": "", "days": 7}));
}

#[test]
fn a_placeholder_after_a_switch_is_its_value() {
    check("--verbose {off} Seoul", json!({"name": "Seoul", "days": 7, "verbose": false}));
    check("-v {off} Seoul", json!({"name": "Seoul", "days": 7, "verbose": false}));
    check("Seoul --verbose --no-verbose", json!({"name": "Seoul", "days": 7, "verbose": false}));
    check("Seoul --no-verbose --verbose", json!({"name": "Seoul", "days": 7, "verbose": true}));
    let fields = |call: &str| {
        let bound = bound("GET https://x\n  draft: boolean\n  title: string", call).unwrap();
        bound.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(fields("{off}"), "title=\"false\"");
    assert_eq!(fields("t {off}"), "draft=false title=\"t\"");
    assert_eq!(fields("true t"), "draft=true title=\"t\"");
    assert_eq!(bound(SEARCH, "a --verbose {x}").unwrap_err().code, Code::InvalidParams);
}

#[test]
fn a_switch_is_answered_as_languages_do_and_never_the_other_way_round() {
    for (word, value) in [("False", false), ("TRUE", true)] {
        for call in
            [format!("Seoul --verbose {word}"), format!("Seoul -v {word}"), format!("Seoul --verbose={word}")]
        {
            check(&call, json!({"name": "Seoul", "days": 7, "verbose": value}));
        }
    }
    for word in ["no", "Yes", "off", "ON", "0", "1"] {
        let error = bound(SEARCH, &format!("Seoul --verbose {word}")).unwrap_err();
        assert_eq!(error.message, format!("--verbose is no boolean: \"{word}\""));
    }
    assert_eq!(bound(SEARCH, "Seoul --no-verbose true").unwrap_err().message, "--no-verbose takes no value.");
    check("--verbose 12", json!({"name": "12", "days": 7, "verbose": true}));
    check("off", json!({"name": "off", "days": 7}));
    let fields = |call: &str| {
        let bound = bound("GET https://x\n  draft: boolean\n  title: string", call).unwrap();
        bound.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(fields("False t"), "draft=false title=\"t\"");
    assert_eq!(fields("no"), "title=\"no\"");
}

#[test]
fn a_flag_is_no_value_of_the_flag_before_it() {
    let message = |call: &str| bound(SEARCH, call).unwrap_err().message;
    assert_eq!(message("--name --unt c"), "Unknown flag \"--unt\".");
    assert_eq!(message("--name --unt{x} c"), "Unknown flag \"--unt{x}\".");
    assert_eq!(message("--name --no-verbose"), "--name needs a value.");
    assert_eq!(message("a --note-file --unt"), "Unknown flag \"--unt\".");
    check("--name=--x", json!({"name": "--x", "days": 7}));
    check("--name \"--x\"", json!({"name": "--x", "days": 7}));
    check("--name --", json!({"name": "--", "days": 7}));
    check("--name --5", json!({"name": "--5", "days": 7}));
    let any = bound("CLI x {name} $ARGS\n  name: string", "--name --unt c").unwrap();
    assert_eq!((&any.get("name").unwrap().value, any.words.join("|")), (&json!("--unt"), "c".to_owned()));
}

#[test]
fn dashes_lists_and_files() {
    check("--name -x", json!({"name": "-x", "days": 7}));
    check("--name '--unit'", json!({"name": "--unit", "days": 7}));
    check("--name {dash}", json!({"name": "--unit", "days": 7}));
    check("{dash}", json!({"name": "--unit", "days": 7}));
    check("-- -n", json!({"name": "-n", "days": 7}));
    check("--name a --name b", json!({"name": ["a", "b"], "days": 7}));
    check("--name {x}", json!({"name": ["a", 1], "days": 7}));
    check("a --data '{\"k\": [1]}'", json!({"name": "a", "days": 7, "data": {"k": [1]}}));
    check("a --data {x}", json!({"name": "a", "days": 7, "data": ["a", 1]}));
    check("a --note-file ~/n.md", json!({"name": "a", "days": 7, "note": "content of ~/n.md"}));
    check("a --note-file=n.md", json!({"name": "a", "days": 7, "note": "content of n.md"}));
}

#[test]
fn an_error_repairs_the_call() {
    let usage =
        "Usage: /act.search --name \"…\" [--unit c|f] [--days N] [--verbose] [--data JSON] [--note \"…\"]";
    let table: &[(&str, &[&str])] = &[
        ("", &["--name is missing.", "--name, -n: string (required)", usage]),
        ("--name", &["--name needs a value.", "--name, -n: string (required)", usage]),
        ("--name --unit c", &["--name needs a value.", "--name, -n: string (required)", usage]),
        ("a --unit k", &["--unit is not one of c|f: \"k\"", "--unit: string (c|f)", usage]),
        ("a --days many", &["--days is no number: \"many\"", "--days, -d: number = 7", usage]),
        (
            "a --nme b",
            &[
                "Unknown flag \"--nme\".",
                "--name, -n: string (required)",
                usage,
                "Did you mean --name?",
                "-- before a word makes it a value.",
            ],
        ),
        ("a --data '{'", &["--data is no json: \"{\"", "--data: json", usage]),
        (
            "a --data {\"a\":1}",
            &[
                "--data is no json: \"{a:1}\"",
                "--data: json",
                usage,
                "Put JSON in '…', or its own quotes are gone: --data '{\"a\": 1}'",
            ],
        ),
        ("a -q", &["Unknown flag \"-q\".", usage, "-- before a word makes it a value."]),
        ("a --un{x} c", &["Unknown flag \"--un{x}\".", usage]),
    ];
    for (call, expected) in table {
        let error = bound(SEARCH, call).unwrap_err();
        assert_eq!(error.code, Code::InvalidParams, "{call}");
        let mut lines = vec![error.message];
        lines.extend(error.hints);
        let head: Vec<&str> = lines.iter().map(String::as_str).take(expected.len()).collect();
        assert_eq!(&head, expected, "{call}");
    }
    let error = bound(SEARCH, "a c 1 5 n x").unwrap_err();
    assert_eq!(error.message, "Too many arguments: \"x\".");
}

#[test]
fn what_no_field_takes_is_for_args() {
    let words = |call: &str| {
        let definition = "CLI x {name} $ARGS\n  name: string";
        let bound = bound(definition, call).unwrap();
        (bound.get("name").map(|meant| meant.value.clone()), bound.words.join("|"))
    };
    assert_eq!(words("a --flag \"b c\" --name n -x"), (Some(json!("n")), "a|--flag|b c|-x".to_owned()));
    assert_eq!(words("'; touch x' ''"), (None, "; touch x|".to_owned()));
    assert_eq!(words("-- --name n"), (None, "--name|n".to_owned()));
}

#[test]
fn fields_given_by_name_are_values_and_never_words() {
    let given = |fields: Value| {
        let bound = named(SEARCH, fields).unwrap();
        assert_eq!(bound.mark(), Mark::WEB);
        Value::Object(bound.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect())
    };
    for (fields, expected) in [
        (json!({"name": "--unit", "unit": "c"}), json!({"name": "--unit", "unit": "c", "days": 7})),
        (json!({"name": "@a {x}", "days": 2}), json!({"name": "@a {x}", "days": 2})),
        (
            json!({"name": 5, "days": "2", "verbose": "true"}),
            json!({"name": "5", "days": 2, "verbose": true}),
        ),
        (json!({"name": ["one"], "days": [1, "2"]}), json!({"name": ["one"], "days": [1, 2]})),
        (json!({"name": "a", "data": "text"}), json!({"name": "a", "days": 7, "data": "text"})),
        (json!({"name": "a", "data": [[1]]}), json!({"name": "a", "days": 7, "data": [[1]]})),
        (json!({"name": "a", "data": null}), json!({"name": "a", "days": 7, "data": null})),
        (json!({"name": "a", "unit": null}), json!({"name": "a", "days": 7})),
    ] {
        assert_eq!(given(fields.clone()), expected, "{fields}");
    }
    for (fields, message) in [
        (json!({"name": "a", "note-file": "n.md"}), "Unknown field \"note-file\"."),
        (json!({"name": "a", "": "pos"}), "Unknown field \"\"."),
        (json!({"name": "a", "note=x": "y"}), "Unknown field \"note=x\"."),
        (json!({"name": "a", "no-verbose": true}), "Unknown field \"no-verbose\"."),
        (json!({"n": "a"}), "Unknown field \"n\"."),
        (json!({"name": "a", "verbose": "yes"}), "--verbose is no boolean: \"yes\""),
        (json!({"name": "a", "verbose": [true]}), "--verbose is no boolean: \"[true]\""),
        (json!({"name": "a", "unit": ["c", "k"]}), "--unit is not one of c|f: \"k\""),
        (json!({"unit": "c"}), "--name is missing."),
    ] {
        let error = named(SEARCH, fields.clone()).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::InvalidParams, message), "{fields}");
    }
    let near = named(SEARCH, json!({"name": "a", "nte": 1})).unwrap_err();
    assert!(near.hints.contains(&"Did you mean note?".to_owned()), "{near}");
    let any = named(
        "CLI x {name} $ARGS\n  name: string",
        json!({"name": "n", "name-file": "x", "on": true, "l": [1, "b c"]}),
    )
    .unwrap();
    assert_eq!(any.get("name").unwrap().value, json!("n"));
    assert_eq!(any.words, ["--name-file", "x", "--on=true", "--l", "1", "--l", "b c"]);
    assert_eq!(any.words_mark, Mark::WEB);
}
