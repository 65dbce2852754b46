//! Definitions of actions, from the fence to the typed value and the help text.

use std::time::Duration;

use serde_json::json;
use sfmd::{Action, Call, FieldType, Method, action_help, parse, schema_line, usage_line};

fn action(definition: &str) -> Action {
    let document = parse(&format!("```act.search\n{definition}\n```\n"));
    document.actions.into_iter().next().expect("one action")
}

fn warnings(action: &Action) -> Vec<String> {
    action.warnings.iter().map(ToString::to_string).collect()
}

const SEARCH: &str = r#"GET https://api.weather.com/search?key=$API_KEY -H "Authorization: Bearer {token}"
  name, -n: string (required) "City name"
  unit: string (celsius|fahrenheit) "Unit" = "celsius"
  days: number (min:1, max:14) "How many days" = 7
  photo: path "Image to send"
  verbose: boolean
  body:
    {"q": "{name}", "image": "{photo|base64file}"}"#;

#[test]
fn a_definition_is_read_whole() {
    let action = action(SEARCH);
    assert_eq!(warnings(&action), [""; 0]);
    let Call::Http(http) = &action.call else { panic!("{:?}", action.call) };
    assert_eq!(http.method, Method::Get);
    assert_eq!(http.url.to_string(), "https://api.weather.com/search?key=$API_KEY");
    assert_eq!(http.url.env_names().collect::<Vec<_>>(), ["API_KEY"]);
    assert_eq!(http.headers[0].name, "Authorization");
    assert_eq!(http.headers[0].value.to_string(), "Bearer {token}");
    assert_eq!(http.body.as_ref().unwrap().to_string(), r#"{"q": "{name}", "image": "{photo|base64file}"}"#);
    let names: Vec<_> = http.body.as_ref().unwrap().placeholders().map(|p| p.path.root.as_str()).collect();
    assert_eq!(names, ["name", "photo"]);

    let name = action.field("name").unwrap();
    assert_eq!((name.short, name.required, name.line), (Some('n'), true, 3));
    let unit = action.field("unit").unwrap();
    assert_eq!(
        (&unit.choices[..], &unit.default),
        (&["celsius".to_owned(), "fahrenheit".to_owned()][..], &Some(json!("celsius")))
    );
    let days = action.field("days").unwrap();
    assert_eq!(
        (days.field_type, days.min, days.max, &days.default),
        (FieldType::Number, Some(1.0), Some(14.0), &Some(json!(7)))
    );
    assert_eq!(action.field("photo").unwrap().field_type, FieldType::Path);
    assert_eq!(action.field("verbose").unwrap().field_type, FieldType::Boolean);
}

#[test]
fn help_shows_parameters_and_nothing_else() {
    assert_eq!(
        action_help(&action(SEARCH)),
        "--name, -n: string (required) \"City name\"\n\
         --unit: string (celsius|fahrenheit) \"Unit\" = \"celsius\"\n\
         --days: number (min:1, max:14) \"How many days\" = 7\n\
         --photo: path \"Image to send\"\n\
         --verbose: boolean\n\
         \n\
         Usage: /act.search --name \"…\" [--unit celsius|fahrenheit] [--days N] [--photo PATH] [--verbose]"
    );
    assert_eq!(usage_line(&action("GET x\n  a: string (required) = y")), "Usage: /act.search [--a \"…\"]");
    assert_eq!(action_help(&action("CLI printf '[%s]' $ARGS")), "Usage: /act.search [words…]");
}

#[test]
fn help_names_what_was_not_understood_without_the_secrets_in_it() {
    let action = action("GET https://x/?k=SECRET -H \"Bad SECRET\"\n  name: string\n  ???\nSECRET");
    assert_eq!(
        action_help(&action),
        "--name: string\n\nUsage: /act.search [--name \"…\"]\n\
         warning: line 2: -H needs \"Key: Value\"\n\
         warning: line 4: this line cannot be understood\n\
         warning: line 5: this line cannot be understood"
    );
}

#[test]
fn each_kind_of_call_is_known() {
    let cases = [
        ("POST https://x", "POST"),
        ("PUT 'https://x y'", "PUT"),
        ("PATCH https://x", "PATCH"),
        ("DELETE https://x", "DELETE"),
        ("CLI echo hi", "CLI"),
        ("SCRIPT ./run.ts main --timeout 5s", "SCRIPT"),
        ("FETCH https://x", "?"),
        ("get https://x", "?"),
        ("GET", "?"),
        ("CLI", "?"),
        ("", "?"),
    ];
    for (definition, word) in cases {
        let action = action(definition);
        assert_eq!(action.call.word(), word, "{definition}");
        assert_eq!(action.warnings.is_empty(), word != "?", "{definition}");
    }
    let script = action("SCRIPT ./run.ts main --timeout 5s");
    assert_eq!(
        script.call,
        Call::Script { file: "./run.ts".to_owned(), entrypoint: Some("main".to_owned()) }
    );
    assert_eq!(script.timeout, Some(Duration::from_secs(5)));
}

#[test]
fn a_backslash_continues_a_line_and_options_may_have_their_own() {
    let http = action(
        "POST https://x/{id} \\\n  -H 'A: 1' \\\n  -H 'B: 2'\n  --timeout 500ms\n  -d '{\"n\": {n}}'\n  n: integer",
    );
    assert_eq!(warnings(&http), [""; 0]);
    let Call::Http(call) = &http.call else { panic!() };
    assert_eq!(call.headers.iter().map(|header| header.name.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    assert_eq!(call.body.as_ref().unwrap().to_string(), "{\"n\": {n}}");
    assert_eq!(http.timeout, Some(Duration::from_millis(500)));
    assert_eq!(http.fields.len(), 1);

    let cli = action("CLI echo a && \\\n    echo -H \"b\" $HOME ${x}\n  --timeout 2m");
    let Call::Cli { command } = &cli.call else { panic!() };
    assert_eq!(command.to_string(), "echo a && echo -H \"b\" $HOME ${x}");
    let Call::Http(call) = action("GET https://x/?\\\na=1&\\\nb=2 \\\n-H 'A: 1'").call else { panic!() };
    assert_eq!((call.url.to_string().as_str(), call.headers.len()), ("https://x/?a=1&b=2", 1));
    let Call::Cli { command } = action("CLI echo \\\\\n  a: string").call else { panic!() };
    assert_eq!(command.to_string(), "echo \\\\");
    assert_eq!(cli.timeout, Some(Duration::from_secs(120)));
}

#[test]
fn a_filter_that_does_not_exist_is_a_warning() {
    let http = "GET https://x/{q|bogus} -H 'A: {q|json}'\n  q: string \"one of {a|b}\"\n  -H 'B: {z|none}'\n  body:\n    {\"q\": {q|no}}";
    let expected = [
        "line 2: there is no filter |bogus",
        "line 4: there is no filter |none",
        "line 6: there is no filter |no",
    ];
    assert_eq!(warnings(&action(http)), expected);
    assert_eq!(
        warnings(&action("CLI awk '{print|cmd}' {q|bogus}\n  q: string")),
        ["line 2: there is no filter |bogus"]
    );
}

#[test]
fn a_body_keeps_its_shape() {
    let body = |definition: &str| match action(definition).call {
        Call::Http(http) => http.body.map(|body| body.to_string()),
        _ => None,
    };
    assert_eq!(
        body("POST x\n  body:\n    {\n      \"a\": 1\n\n    }\n  n: string").as_deref(),
        Some("{\n  \"a\": 1\n\n}")
    );
    assert_eq!(body("POST x\n\tbody:\n\t\t{a}\n").as_deref(), Some("{a}"));
    assert_eq!(body("POST x\n  body: {\"a\": {n}}").as_deref(), Some("{\"a\": {n}}"));
    let field = action("POST x\n  body: string (required) \"Text\"");
    assert_eq!(field.fields[0].name, "body");
    assert_eq!(warnings(&action("POST x -d a\n  body: b")), ["line 3: the body is given twice"]);
    assert_eq!(warnings(&action("CLI x\n  body: b")), ["line 3: only HTTP actions have headers and a body"]);
}

#[test]
fn fields_take_their_parts_in_any_order() {
    let cases = [
        ("a: string", "--a: string"),
        ("a,-b: integer = 3 (required) \"x\"", "--a, -b: integer (required) \"x\" = 3"),
        ("a: string (min:2) (max:5)", "--a: string (min:2, max:5)"),
        ("a: number = -0.5", "--a: number = -0.5"),
        ("a: boolean = true", "--a: boolean = true"),
        ("a: json = {\"x\": [1, \"y\"]} \"data\"", "--a: json \"data\" = {\"x\":[1,\"y\"]}"),
        ("a: string (optional) 'it \"is\"' = 'q'", "--a: string \"it \\\"is\\\"\" = \"q\""),
        ("user-id: string (required, x|y)", "--user-id: string (required, x|y)"),
    ];
    for (line, expected) in cases {
        let action = action(&format!("GET x\n  {line}"));
        assert_eq!(warnings(&action), [""; 0], "{line}");
        assert_eq!(schema_line(&action.fields[0]), expected);
    }
}

#[test]
fn a_field_that_is_half_understood_stays_with_a_warning() {
    let cases = [
        ("a: string City", "line 3: field a: the end of the line cannot be understood"),
        ("a: string (loud)", "line 3: field a: there is no constraint (loud)"),
        ("a: number = many", "line 3: field a: the default is no number"),
        ("a: string (x|y) = z", "line 3: field a: the default is not among the choices"),
        ("a: string \"x\" \"y\"", "line 3: field a: the description is given twice"),
        ("a: string = x = y", "line 3: field a: the default is given twice"),
        ("a: string (a|b, c|d)", "line 3: field a: the choices are given twice"),
        ("a: number (min:1, min:5)", "line 3: field a: min is given twice"),
        ("a: number (max:1) (max:5)", "line 3: field a: max is given twice"),
        ("a: number (min:5, max:1)", "line 3: field a: no value fits it: min 5 is more than max 1"),
        ("a: string (required, optional)", "line 3: field a: it is called both required and optional"),
        ("a: json = {", "line 3: field a: the default is no json"),
        ("a: string (min:x)", "line 3: field a: there is no constraint (min:x)"),
    ];
    for (line, warning) in cases {
        let action = action(&format!("GET x\n  {line}"));
        assert_eq!(warnings(&action), [warning]);
        assert_eq!(action.fields.len(), 1, "{line}");
    }
    for line in ["a: text", "1a: string", "a, b: string", "a string", "a, -bc: string"] {
        let action = action(&format!("GET x\n  {line}"));
        assert_eq!(warnings(&action), ["line 3: this line cannot be understood"], "{line}");
        assert_eq!(action.fields.len(), 0);
    }
}

#[test]
fn names_and_letters_are_given_once() {
    let action = action("GET x\n  a, -x: string\n  a: number\n  b, -x: string");
    assert_eq!(
        warnings(&action),
        ["line 4: field a: the name is already taken", "line 5: field b: the letter -x is already taken"]
    );
    assert_eq!(usage_line(&action), "Usage: /act.search [--a \"…\"] [--b \"…\"]");
    assert_eq!(action.fields[1].short, None);
}

#[test]
fn the_first_action_of_an_id_counts() {
    let document =
        parse("```act.a\nGET one\n```\n~~~act.a\nGET two\n~~~\n```act.Bad\nGET x\n```\n```act.b.c\n```\n");
    assert_eq!(document.actions.len(), 1);
    let Call::Http(http) = &document.actions[0].call else { panic!() };
    assert_eq!(http.url.to_string(), "one");
    let warnings: Vec<_> = document.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "line 4: act.a is already defined: the first one counts",
            "line 7: an action is act.ID, with ID = [a-z][a-z0-9_-]*",
            "line 10: an action is act.ID, with ID = [a-z][a-z0-9_-]*",
        ]
    );
}

#[test]
fn actions_work_in_lists_and_with_crlf_but_not_in_quotes() {
    let listed = parse("- Step one:\r\n\r\n  ```act.go\r\n  GET https://x\r\n    name: string\r\n  ```\r\n");
    assert_eq!(listed.actions[0].fields[0].name, "name");
    assert_eq!((listed.actions[0].line, listed.actions[0].fields[0].line), (3, 5));
    assert_eq!(parse("> ```act.go\n> GET https://x\n> ```\n").actions.len(), 0);
    assert_eq!(parse("````markdown\n```act.go\nGET x\n```\n````\n").actions.len(), 0);
    assert_eq!(parse("```act\\.go\nGET x\n```\n```act&#46;go\nGET x\n```\n").actions.len(), 0);
    assert_eq!(parse("    ```act.go\n    GET x\n    ```\n").actions.len(), 0);
}

#[test]
fn a_page_requires_what_its_parts_require() {
    let part = parse("---\nenv:\n  - KEY: \"Part\"\n  - OTHER\n---\ntext\n");
    let page = parse("---\nenv:\n  - KEY: \"Page\"\n---\n[!include:part](part.md)\n");
    let line = page.includes().next().expect("one include").0;
    let mut source = sfmd::Source::new(sfmd::Origin::new("page.md"), page);
    let included = sfmd::Source::new(sfmd::Origin::new("part.md"), part);
    source.inclusions.insert(line, sfmd::Inclusion::Loaded(Box::new(included)));
    let page = sfmd::Page::compose(source);
    let required: Vec<String> = page.requirements().iter().map(ToString::to_string).collect();
    assert_eq!(required, ["$KEY — \"Page\"", "$OTHER"]);
}

#[test]
fn a_fence_that_is_never_closed_is_a_warning() {
    let warnings =
        |source: &str| parse(source).warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let message = "the fence of act.a is not closed: all that follows is part of it";
    assert_eq!(warnings("text\n\n```act.a\nGET x"), format!("line 3: {message}"));
    assert_eq!(warnings("````act.a\nGET x\n```\n").split(';').next(), Some(&*format!("line 1: {message}")));
    assert_eq!(warnings("- ```act.a\n  GET x\n\ntext\n"), format!("line 1: {message}"));
    for closed in
        ["```act.a\nGET x\n```", "~~~act.a\nGET x\n~~~~~  \n\ntext\n", "- ```act.a\n  GET x\n  ```\n"]
    {
        assert_eq!(warnings(closed), "", "{closed}");
    }
}
