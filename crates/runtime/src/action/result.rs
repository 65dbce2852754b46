//! The result of a call: `Response`, the reply without a template, and the error if it failed.

use std::borrow::Cow;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Map, Value, json};
use shell::exec::End;
use web::html::Extent;
use web::page::json::indent;
use web::page::{Kind, render, whole_characters};

use super::coerce::long_numbers_as_text;
use crate::call::{Failed, shown};
use crate::error::{Code, Error};
use crate::substitute::text_of;

/// How many lines of a failed call's output the error shows, and how long each may be.
const LINES_SHOWN: usize = 20;
const LINE_SHOWN: usize = 400;

/// What a call gave.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    /// What `{Response}` means until the next action.
    pub response: Value,
    /// The reply, if there is no template.
    pub plain: String,
    /// Present if the call failed: `HTTP 404 from GET https://host/path`, `exit 3`, with the start of what it gave.
    pub error: Option<Error>,
}

impl CallResult {
    pub fn of_answer(answer: &web::Answer, shown: &str) -> Self {
        let page = render(answer, Extent::Main);
        let body: Value = match page.kind {
            Kind::Json => parsed(page.source.trim()).unwrap_or_else(|| page.source.clone().into()),
            Kind::Binary { .. } => BASE64_STANDARD.encode(&answer.body).into(),
            // Many servers call their JSON text. It is shown as the text that it is.
            Kind::Text => structured(&page.source).unwrap_or_else(|| page.source.clone().into()),
            Kind::Markdown | Kind::Html { .. } | Kind::Feed => page.source.clone().into(),
        };
        let plain = match page.kind {
            _ if answer.body.is_empty() => format!("HTTP {}, no body", answer.status.as_u16()),
            Kind::Json | Kind::Html { .. } | Kind::Feed | Kind::Binary { .. } => page.markdown,
            Kind::Markdown | Kind::Text => page.source,
        };
        let status = answer.status.as_u16();
        let ms = crate::milliseconds(answer.elapsed);
        let plain = plain.trim_end().to_owned();
        let is_failure = !answer.status.is_success();
        let error = is_failure.then(|| failed(format!("HTTP {status} from {shown}"), [&plain, ""]));
        let response =
            json!({ "status": status, "body": body, "headers": headers(&answer.headers), "ms": ms });
        Self { response, plain, error }
    }

    /// `limit` is how long the command was given.
    pub fn of_command(end: End, limit: Duration, stdout: &[u8], stderr: &[u8], ms: u64) -> Self {
        let stdout = String::from_utf8_lossy(stdout).into_owned();
        let stderr = String::from_utf8_lossy(stderr).into_owned();
        let text = stdout.strip_suffix('\n').unwrap_or(&stdout).to_owned();
        let whole = whole_characters(&stdout);
        let json = [stdout.as_str(), &whole].into_iter().find_map(|text| Some((parsed(text.trim())?, text)));
        let shown = match &json {
            Some((Value::Object(_) | Value::Array(_), text)) => indent(text).unwrap_or_default(),
            _ => text.trim_end().to_owned(),
        };
        let (status, failure) = match end {
            End::Finished(status) if status.is_success() => (0, None),
            End::Finished(status) => (status.code(), Some(format!("exit {}", status.code()))),
            End::Stopped => (-1, Some("The command was stopped.".to_owned())),
            End::TimedOut => {
                (-1, Some(format!("The command took longer than {} s and was ended.", limit.as_secs_f64())))
            }
        };
        let body = json.map_or_else(|| text.into(), |(value, _)| value);
        let error = failure.map(|failure| failed(failure, [&shown, stderr.trim_end()]));
        let plain = match (shown.trim().is_empty(), stderr.trim().is_empty()) {
            (false, _) => shown,
            (true, false) => stderr.trim_end().to_owned(),
            (true, true) => "(no output)".to_owned(),
        };
        let mut response =
            json!({ "status": status, "body": body, "stdout": stdout, "stderr": stderr, "ms": ms });
        // A command that ended by itself has an exit code to tell of.
        if let Some(error) = error.as_ref().filter(|_| !matches!(end, End::Finished(_))) {
            response["error"] = details(error);
        }
        Self { response, plain, error }
    }

    /// A call over HTTP that nobody answered.
    pub fn of_no_answer(error: Error, ms: u64) -> Self {
        let response =
            json!({ "status": 0, "body": null, "headers": {}, "error": details(&error), "ms": ms });
        Self { response, plain: String::new(), error: Some(error) }
    }

    /// A script's output is a text, shown as it is, or anything else, shown as indented JSON.
    pub fn of_script(outcome: Result<Value, Failed>, ms: u64) -> Self {
        match outcome {
            Ok(output) => {
                let plain = shown(&output);
                Self { response: json!({ "status": 0, "body": output, "ms": ms }), plain, error: None }
            }
            Err(Failed { error, details }) => {
                let response = json!({ "status": 1, "body": null, "error": details, "ms": ms });
                Self { response, plain: String::new(), error: Some(error) }
            }
        }
    }
}

/// Output of a call as a reply shows it: what steers a terminal rendered, and no first line that reads as our own.
pub fn readable(output: &str) -> String {
    let shown = shell::rendered(output);
    match shown.trim_start().starts_with("ERROR(") {
        true => format!("\\{}", shown.trim_start()),
        false => shown.into_owned(),
    }
}

/// What a template sees of an error.
fn details(error: &Error) -> Value {
    json!({ "code": error.code.as_str(), "message": error.message })
}

/// The error of a call that failed, with the start of what it gave.
fn failed(failure: String, output: [&str; 2]) -> Error {
    let output = output.map(shell::rendered);
    let mut rest = output.iter().flat_map(|text| text.lines());
    let shown = rest.by_ref().take(LINES_SHOWN).map(|line| line.chars().take(LINE_SHOWN).collect::<String>());
    let mut lines: Vec<String> = shown.collect();
    if rest.next().is_some() {
        lines.push("…".to_owned());
    }
    Error::new(Code::ActionFailed, failure).hints(lines)
}

/// What a text is as JSON. A number that would be written in another way is a text: `1.10` is a version.
fn parsed(text: &str) -> Option<Value> {
    let value = exact(text)?;
    let is_changed = value.is_number() && text_of(&value) != text;
    Some(if is_changed { text.into() } else { value })
}

/// The object or list that a text is as a whole.
fn structured(text: &str) -> Option<Value> {
    let begins = text.trim_start().starts_with(['{', '[']);
    begins.then(|| exact(text)).flatten()
}

/// The same for the numbers inside: an id of thirty digits stays that id.
fn exact(text: &str) -> Option<Value> {
    let rounded: Value = serde_json::from_str(text).ok()?;
    match long_numbers_as_text(text) {
        Cow::Borrowed(_) => Some(rounded),
        Cow::Owned(exact) => serde_json::from_str(&exact).ok(),
    }
}

/// By their names in lower case; a name that was sent twice has both values.
fn headers(headers: &web::HeaderMap) -> Value {
    let mut all: Map<String, Value> = Map::new();
    for (name, value) in headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        let joined = match all.get(name.as_str()).and_then(Value::as_str) {
            Some(before) => format!("{before}, {value}"),
            None => value.into_owned(),
        };
        all.insert(name.as_str().to_owned(), joined.into());
    }
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(code: u8, stdout: &str, stderr: &str) -> CallResult {
        let end = End::Finished(shell::Status::Code(code));
        CallResult::of_command(end, Duration::from_secs(9), stdout.as_bytes(), stderr.as_bytes(), 7)
    }

    #[test]
    fn a_command_that_was_ended_says_why() {
        let result = CallResult::of_command(End::TimedOut, Duration::from_millis(1500), b"begun\n", b"", 7);
        let message = "The command took longer than 1.5 s and was ended.";
        assert_eq!(result.response["error"], json!({ "code": "ACTION_FAILED", "message": message }));
        assert_eq!((&result.response["status"], &result.response["stdout"]), (&json!(-1), &json!("begun\n")));
        assert_eq!(result.error.unwrap().to_string(), format!("ERROR(ACTION_FAILED): {message}\n  begun"));
        assert_eq!(finished(3, "", "").response.get("error"), None);
    }

    #[test]
    fn a_command_is_read_as_json_where_it_is() {
        let table = [
            ("{\"b\":1,\"a\":[2]}\n", json!({"b": 1, "a": [2]}), "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}"),
            ("1.10\n", json!("1.10"), "1.10"),
            ("1e5\n", json!("1e5"), "1e5"),
            ("12345678901234567890123", json!("12345678901234567890123"), "12345678901234567890123"),
            (" 24\n", json!(24), " 24"),
            (
                "{\"id\":12345678901234567890123,\"price\":1.50}",
                json!({"id": "12345678901234567890123", "price": 1.5}),
                "{\n  \"id\": 12345678901234567890123,\n  \"price\": 1.50\n}",
            ),
            ("{\"a\":\"cut \\ud83d\"}", json!({"a": "cut \u{fffd}"}), "{\n  \"a\": \"cut \u{fffd}\"\n}"),
            ("plain words\n", json!("plain words"), "plain words"),
            ("", json!(""), "(no output)"),
        ];
        for (stdout, body, plain) in table {
            let result = finished(0, stdout, "");
            assert_eq!(result.response["body"], body);
            assert_eq!(result.plain, plain);
            assert_eq!(result.response["stdout"], stdout);
            assert_eq!(result.error, None);
        }
        assert_eq!(finished(0, "", "note\n").plain, "note");
    }

    #[test]
    fn a_number_with_too_many_digits_is_a_text() {
        let long = "12345678901234567890123";
        let text = format!("{{\"id\": {long}, \"all\": [1, -{long}], \"s\": \"{long}\", \"f\": 1.5}}");
        let body = json!({ "id": long, "all": [1, format!("-{long}")], "s": long, "f": 1.5 });
        assert_eq!(finished(0, &text, "").response["body"], body);
        assert_eq!(finished(0, long, "").response["body"], long);
    }

    #[test]
    fn output_steers_nothing_and_is_no_error_of_ours() {
        for (output, shown) in [
            ("ERROR(NOT_FOUND): gone", "\\ERROR(NOT_FOUND): gone"),
            ("\u{1b}[31m\n ERROR(X): y\u{1b}[0m", "\\ERROR(X): y"),
            ("a\r\nERROR(X): y", "a\nERROR(X): y"),
            ("10%\r99%", "99%"),
            ("  kept", "  kept"),
        ] {
            assert_eq!(readable(output), shown, "{output:?}");
        }
        let error = finished(1, "\u{1b}[31mred\u{1b}[0m\n", "").error.unwrap();
        assert_eq!(error.hints, ["red"]);
    }

    #[test]
    fn a_failure_shows_the_start_of_both_outputs() {
        let error = finished(3, "out\n", "err 1\nerr 2\n").error.unwrap().to_string();
        assert_eq!(error, "ERROR(ACTION_FAILED): exit 3\n  out\n  err 1\n  err 2");
        assert_eq!(finished(1, "", "one\ntwo\n").error.unwrap().hints, ["one", "two"]);
        assert_eq!(finished(1, "a\na\n", "").error.unwrap().hints, ["a", "a"]);
        assert!(finished(1, "", "").error.unwrap().hints.is_empty());
        let long = finished(1, &"x\ny\n".repeat(100), "").error.unwrap();
        assert_eq!((long.hints.len(), long.hints[20].as_str()), (21, "…"));
    }
}
