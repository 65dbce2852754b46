//! Hostile values in every place a value can enter: each arrives as it is, and changes nothing around it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::process::Command;

use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use runtime::error::{Code, Error, Result};
use runtime::substitute::{
    Env, LONGEST_VALUES, Mark, Named, Source, Values, address, command_line, fill, fill_line, fill_output,
    form_body, header, json_body, json_word, text, undefined,
};
use serde_json::{Value, json};
use sfmd::{Dialect, Template};

/// Names and values as a test gives them.
#[derive(Default)]
pub struct Given {
    pub named: BTreeMap<String, Value>,
    pub env: BTreeMap<String, String>,
    pub words: Vec<String>,
}

impl Given {
    pub fn x(value: impl Into<Value>) -> Self {
        let named = BTreeMap::from([("x".to_owned(), value.into()), ("secret".to_owned(), json!("LEAK"))]);
        let env = BTreeMap::from([("KEY".to_owned(), "LEAK".to_owned())]);
        Self { named, env, words: Vec::new() }
    }
}

impl Values for Given {
    fn named(&self, name: &str) -> Named<'_> {
        match self.named.get(name) {
            Some(value) => {
                Named::Value { value: Cow::Borrowed(value), source: Source::Other, mark: Mark::default() }
            }
            None if name == "absent" => Named::Empty,
            None => Named::Unknown,
        }
    }

    fn env(&self, name: &str) -> Option<Env<'_>> {
        match name {
            "ARGS" => Some(Env::Words(&self.words, Mark::default())),
            _ => self.env.get(name).map(|value| Env::Secret(value)),
        }
    }

    fn file(&self, _value: &Named<'_>, path: &str) -> Result<Vec<u8>> {
        match path {
            "photo.png" => Ok(vec![0xff, 0x00]),
            "note.txt" => Ok(b"{x} $KEY".to_vec()),
            _ => Err(Error::new(Code::NotFound, "none")),
        }
    }
}

fn url(template: &str, given: &Given) -> Result<String> {
    let template = Template::parse(template, Dialect::Definition);
    address(&fill(&template, given)?, &[]).map(|address| address.url)
}

fn body(template: &str, given: &Given) -> String {
    json_body(&fill(&Template::parse(template, Dialect::Definition), given).unwrap())
}

/// What bash makes of a line: each word that `printf` got.
fn words(line: &str, given: &Given) -> Vec<String> {
    let template = Template::parse(line, Dialect::Shell);
    let filled = fill_line(&template, given).unwrap();
    let built = command_line(&filled).unwrap();
    let output =
        Command::new("bash").arg("-c").arg(&built.line).env_clear().envs(built.values).output().unwrap();
    assert!(output.status.success(), "{}: {}", built.line, String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

/// Text that means something to a shell, an address, JSON, a header or to us.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("$(touch pwned)".to_owned()),
        Just("`id`".to_owned()),
        Just("; id".to_owned()),
        Just("{secret}".to_owned()),
        Just("$KEY".to_owned()),
        Just("${KEY}".to_owned()),
        Just("$$".to_owned()),
        Just("'".to_owned()),
        Just("\"".to_owned()),
        Just("\\".to_owned()),
        Just("\n".to_owned()),
        Just("\r\nX-Evil: 1".to_owned()),
        Just("&a=b#c?d/../e".to_owned()),
        Just("-rf".to_owned()),
        Just("*".to_owned()),
        Just("~".to_owned()),
        Just("%2e%2e".to_owned()),
        Just("@me".to_owned()),
        Just("é漢\u{202e}".to_owned()),
        "[ -~]{0,4}",
        any::<String>().prop_map(|text| text.replace('\0', "")),
    ];
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn an_address_keeps_its_shape(value in hostile()) {
        let given = Given::x(value.clone());
        let built = url("https://host/a/p{x}q/b?k=v&y={x}&z=1", &given).unwrap();
        let (path, query) = built.split_once('?').unwrap();
        let segments: Vec<&str> = path.strip_prefix("https://host/").unwrap().split('/').collect();
        prop_assert_eq!((segments.len(), segments[0], segments[2]), (3, "a", "b"));
        let pairs: Vec<(&str, &str)> = query.split('&').map(|pair| pair.split_once('=').unwrap()).collect();
        prop_assert_eq!((pairs.len(), pairs[0], pairs[2]), (3, ("k", "v"), ("z", "1")));
        let decoded = percent_encoding::percent_decode_str(pairs[1].1).decode_utf8().unwrap();
        prop_assert_eq!(&decoded, &value);
        prop_assert!(!built.contains('#') && built.is_ascii() && !built.contains(char::is_whitespace));
    }

    #[test]
    fn fields_left_over_are_one_parameter_each(value in hostile()) {
        let template = Template::parse("https://host/?own=a b&c#part", Dialect::Definition);
        let built = address(&fill(&template, &Given::default()).unwrap(), &[("n&", value.clone())]).unwrap();
        let encoded = runtime::substitute::encoded(&value);
        prop_assert_eq!(built.url, format!("https://host/?own=a b&c&n%26={encoded}"));
    }

    #[test]
    fn json_stays_json(value in hostile()) {
        let given = Given::x(value.clone());
        let built = body(r#"{"a": "<{x}>", "b": {x}, "c": "\\", "d": [{x}, {absent}], "e": "{absent}"}"#, &given);
        let parsed: Value = serde_json::from_str(&built).unwrap();
        prop_assert_eq!(parsed, json!({
            "a": format!("<{value}>"), "b": value, "c": "\\", "d": [value, null], "e": "",
        }));
    }

    #[test]
    fn a_header_is_one_line_or_refused(value in hostile()) {
        let template = Template::parse("Bearer {x}", Dialect::Definition);
        let given = Given::x(value.clone());
        match header("Authorization", &fill(&template, &given).unwrap()) {
            Ok(built) => {
                prop_assert_eq!(built, format!("Bearer {value}"));
                prop_assert!(!value.contains(['\r', '\n', '\0']));
            }
            Err(error) => {
                prop_assert_eq!(error.code, Code::InvalidParams);
                prop_assert!(value.chars().any(char::is_control));
            }
        }
    }

    #[test]
    fn a_form_keeps_its_fields(value in hostile()) {
        let given = Given::x(value.clone());
        let template = Template::parse("a={x}&b=1", Dialect::Definition);
        let built = form_body(&fill(&template, &given).unwrap());
        prop_assert_eq!(built, format!("a={}&b=1", runtime::substitute::encoded(&value)));
    }

    #[test]
    fn output_is_never_filled_twice(value in hostile()) {
        let given = Given::x(value.clone());
        let template = Template::parse("<{x}> $KEY", Dialect::Output);
        let mut missing = Vec::new();
        prop_assert_eq!(text(&fill_output(&template, &given, &mut missing)), format!("<{value}> $KEY"));
        prop_assert_eq!(missing, Vec::<String>::new());
    }
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    #[test]
    fn a_shell_word_is_one_word_in_every_quoting(value in hostile()) {
        let mut given = Given::x(value.clone());
        given.env.insert("KEY".into(), value.clone());
        given.words = vec![value.clone(), String::new(), "b".into()];
        let line = concat!(
            r#"printf '%s\0' {x} "a {x} b" 'c {x} d' p{x}q "$(printf %s {x}; echo .)" $KEY '$KEY' "${NONE:-{x}}" "#,
            r#"$'e\'{x}' \\{x} \{x} \$KEY '\{print}' {absent} $ARGS "$ARGS" $$KEY "`printf %s {x}; echo .`""#,
        );
        let joined = format!("{value}  b");
        let expected = [
            value.clone(), format!("a {value} b"), format!("c {value} d"), format!("p{value}q"), format!("{value}."),
            value.clone(), value.clone(), value.clone(), format!("e'{value}"), format!("\\{value}"),
            "{x}".to_owned(), "$KEY".to_owned(), "{print}".to_owned(), String::new(),
            value.clone(), String::new(), "b".to_owned(), joined, "$KEY".to_owned(), format!("{value}."),
        ];
        prop_assert_eq!(words(line, &given), expected);
    }
}

#[test]
fn a_value_cannot_lead_the_path_elsewhere() {
    for value in ["..", ".", "%2e%2e"] {
        let built = url("https://host/items/{x}/edit", &Given::x(value));
        assert_eq!(built.is_err(), value != "%2e%2e", "{value}: {built:?}");
    }
    assert!(url("https://host/items/{x}.", &Given::x(".")).is_err());
    assert_eq!(url("https://host/../{x}", &Given::x("a")).unwrap(), "https://host/../a");
}

#[test]
fn a_value_cannot_choose_another_host_unless_it_is_the_address() {
    for value in ["evil.com/", "evil.com#", "a@evil.com", "evil.com:80", "a b", "é", "evil.com\\"] {
        assert!(url("https://{x}.example.com/", &Given::x(value)).is_err(), "{value}");
    }
    assert_eq!(url("https://{x}.example.com/", &Given::x("api-2")).unwrap(), "https://api-2.example.com/");
    assert_eq!(url("{x}/items", &Given::x("http://h/v1?a=b")).unwrap(), "http://h/v1?a=b/items");
    for value in ["file:///etc/passwd", "javascript:1", "//host", "", "https://a b", "https"] {
        assert!(url("{x}/items", &Given::x(value)).is_err(), "{value}");
    }
    assert!(url("file:///etc/{x}", &Given::x("passwd")).is_err());
}

#[test]
fn an_address_is_shown_without_query_and_secrets() {
    let template = Template::parse("https://h/$KEY/{x}?k=$KEY&y={x}", Dialect::Definition);
    let filled = fill(&template, &Given::x("a/b")).unwrap();
    assert!(filled.mark().secret);
    assert_eq!(address(&filled, &[]).unwrap().shown, "https://h/$KEY/a%2Fb");
}

#[test]
fn values_arrive_typed_in_json() {
    let mut given = Given::x(json!([1, {"a": true}]));
    given.named.insert("n".into(), json!(5));
    given.named.insert("photo".into(), json!("photo.png"));
    given.named.insert("note".into(), json!("note.txt"));
    let built = body(
        r#"{"n": {n}, "t": "{n}", "x": {x}, "i": {x[1].a}, "j": {x|json}, "p": "{photo|base64file}", "f": "{note|file}", "k": "$KEY"}"#,
        &given,
    );
    let expected = json!({
        "n": 5, "t": "5", "x": [1, {"a": true}], "i": true, "j": [1, {"a": true}],
        "p": "/wA=", "f": "{x} $KEY", "k": "LEAK",
    });
    assert_eq!(serde_json::from_str::<Value>(&built).unwrap(), expected);
    let filters = Template::parse("{note|base64|urlencode} {n|json}", Dialect::Definition);
    assert_eq!(text(&fill(&filters, &given).unwrap()), "bm90ZS50eHQ%3D 5");
    let photo = Template::parse("{photo|file}", Dialect::Definition);
    assert_eq!(fill(&photo, &given).unwrap_err().code, Code::InvalidParams);
}

#[test]
fn a_typed_word_of_json_keeps_its_shape() {
    let hostile = "x\", \"i\": 99, \"z\": \"y";
    let word = |template: &str, value: Value| {
        let built =
            json_word(&fill(&Template::parse(template, Dialect::Definition), &Given::x(value)).unwrap());
        built.map(|word| {
            serde_json::from_str::<Value>(&word).unwrap_or_else(|_| format!("text {word}").into())
        })
    };
    for (template, value, expected) in [
        (r#"{"q": "{x}"}"#, json!(hostile), json!({"q": hostile})),
        (r#"["{x}", "a {x}"]"#, json!(hostile), json!([hostile, format!("a {hostile}")])),
        (r#""{x}""#, json!("a\\u0041"), json!("a\\u0041")),
        (r#"{"q": {x}}"#, json!(hostile), json!({"q": hostile})),
        (r#"[{x}]"#, json!("1, 2"), json!(["1, 2"])),
        (r#"[{x}, 2]"#, json!("1.5"), json!([1.5, 2])),
        (r#"[{x}]"#, json!("true"), json!([true])),
        (r#"[{x}]"#, json!("{}"), json!(["{}"])),
        (r#"[{x}]"#, json!({"a": 1}), json!([{"a": 1}])),
        (" {x} ", json!("{\"a\": 1}"), json!({"a": 1})),
        ("[note] {x}", json!("\"a\""), json!("text [note] \"a\"")),
    ] {
        assert_eq!(word(template, value).unwrap(), expected, "{template}");
    }
    for (template, value) in [("[{x}", "1]"), ("{x}]", "[1"), ("{\"a\": {x}", "1}")] {
        assert_eq!(word(template, value.into()).unwrap_err().code, Code::InvalidParams, "{template}");
    }
}

#[test]
fn what_cannot_be_passed_to_a_command_is_refused() {
    let template = Template::parse("echo {x}", Dialect::Shell);
    for value in ["a\0b".to_owned(), "x".repeat(LONGEST_VALUES + 1)] {
        let given = Given::x(value);
        assert_eq!(
            command_line(&fill_line(&template, &given).unwrap()).unwrap_err().code,
            Code::InvalidParams
        );
    }
}

#[test]
fn a_long_value_arrives_whole_however_often_it_stands_in_a_line() {
    for length in [127 * 1024, 127 * 1024 + 1, LONGEST_VALUES - 4] {
        // Letters of three bytes, so that no border falls between two of them.
        let long = "é漢".repeat(length / 5) + " *";
        let line = r#"printf '%s\0' {x} "a{x}" 'b{x}' $'c{x}'"#;
        let expected = ["", "a", "b", "c"].map(|before| format!("{before}{long}"));
        assert!(words(line, &Given::x(long)) == expected, "{length}");
    }
}

#[test]
fn the_shell_keeps_what_is_its_own() {
    let line = r#"set -- one; x=own; for f in 1 2; do printf '%s\0' $f; done; printf '%s\0' "$x" ${x} $1 $? $UNKNOWN. "$(echo {x})""#;
    assert_eq!(words(line, &Given::x("v")), ["1", "2", "own", "own", "one", "0", ".", "v"]);
}

#[test]
fn names_without_a_value_are_an_error_that_says_how_to_set_them() {
    let template = Template::parse("{nope.a[0]} $NONE", Dialect::Definition);
    assert_eq!(fill(&template, &Given::default()).unwrap_err().code, Code::UndefinedVariable);
    let error = undefined(["{nope.a[0]}".to_owned(), "$NONE".to_owned()], &Given::default());
    assert_eq!(
        error.to_string(),
        "ERROR(UNDEFINED_VARIABLE): {nope.a[0]}, $NONE have no value.\n  /set {nope} = \"…\"\n  /set $NONE = \"…\""
    );
    let parts = ["{x.a}", "{x[0]}", "{Response.body.x}", "{Response.body.y}"].map(str::to_owned);
    let hints = undefined(parts, &Given::x("v")).hints;
    assert_eq!(hints.len(), 2, "{hints:?}");
    assert!(hints[0].starts_with("{x} has a value") && hints[1].starts_with("{Response} is"), "{hints:?}");
}
