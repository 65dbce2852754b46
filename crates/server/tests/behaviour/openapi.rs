//! The OpenAPI document and the page about HTTP, held against what the daemon does.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};
use testkit::Daemon;

use crate::http::{Call, Route, documented_routes};

const PAGE: &str = include_str!("../../../../docs/http.md");
const ERRORS: &str = include_str!("../../../../docs/errors.md");

#[tokio::test]
async fn the_openapi_document_names_every_route_and_holds_together() {
    let daemon = Daemon::start().await;
    let answer = Call::new(&daemon, "GET", "/openapi.json").send(&daemon).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let document = answer.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."), "{}", document["openapi"]);
    assert_eq!(document["info"]["title"], "String");
    assert!(document["info"]["version"].is_string());
    let mut routes: Vec<_> = documented_routes(&daemon)
        .await
        .iter()
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    routes.sort();
    let expected = [
        "DELETE /agents/id",
        "DELETE /capabilities/id",
        "DELETE /events",
        "DELETE /exec/request_id",
        "DELETE /fs/path",
        "DELETE /mcp",
        "DELETE /sessions/topic",
        "GET /activity/stream",
        "GET /agents",
        "GET /agents/id/webhook",
        "GET /capabilities",
        "GET /describe",
        "GET /events",
        "GET /events/id",
        "GET /events/stream",
        "GET /fs/path",
        "GET /health",
        "GET /mcp",
        "GET /mcp/stdio",
        "GET /openapi.json",
        "GET /sessions",
        "GET /sessions/topic/terminal",
        "GET /tools",
        "HEAD /fs/path",
        "POST /agents",
        "POST /agents/id/webhook",
        "POST /capabilities",
        "POST /chanflow",
        "POST /complete",
        "POST /events/id/ack",
        "POST /exec",
        "POST /mcp",
        "POST /sessions",
        "POST /shutdown",
        "POST /webhook/token",
        "PUT /fs/path",
    ];
    assert_eq!(routes, expected);
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap());
    let mut ids = std::collections::HashSet::new();
    for (method, operation) in operations {
        assert!(!operation["responses"].as_object().unwrap().is_empty(), "{method} {operation}");
        let id = operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {operation}"));
        assert!(ids.insert(id.to_owned()), "{id} stands twice");
    }
    let mut references = Vec::new();
    collect_references(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

fn collect_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| collect_references(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| collect_references(value, found)),
        _ => {}
    }
}

#[tokio::test]
async fn what_may_be_null_is_declared_so() {
    let daemon = Daemon::start().await;
    let document = Call::new(&daemon, "GET", "/openapi.json").send(&daemon).await.json();
    let topic = &document["components"]["schemas"]["ExecRequest"]["properties"]["topic"];
    assert_eq!(topic["type"], serde_json::json!(["string", "null"]), "{topic}");
    let null = Call::exec(&daemon, "", "/info").json(r#"{"topic": null, "cmd": "/info"}"#);
    assert_eq!(null.send(&daemon).await.json()["ok"], true);
}

#[tokio::test]
async fn every_route_stands_on_the_page_about_http() {
    let daemon = Daemon::start().await;
    for (method, path, _) in operations(&document(&daemon).await) {
        // Where to find the others.
        if path != "/openapi.json" {
            assert!(PAGE.contains(&format!("`{method} {path}`")), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn every_refusal_stands_on_both_pages() {
    let daemon = Daemon::start().await;
    let statuses = |page: &'static str| -> Vec<&str> {
        let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
        rows.flat_map(|row| row.split(", ")).collect()
    };
    let (http, errors) = (statuses(PAGE), statuses(ERRORS));
    for (method, path, operation) in operations(&document(&daemon).await) {
        let statuses = operation["responses"].as_object().unwrap().keys().map(String::as_str);
        for status in statuses.filter(|status| *status >= "400") {
            assert!(http.contains(&status), "docs/http.md lacks {status} ({method} {path})");
            assert!(errors.contains(&status), "docs/errors.md lacks {status} ({method} {path})");
        }
    }
}

#[test]
fn every_code_of_the_server_stands_on_the_page_about_errors() {
    let mut sources = Vec::new();
    collect_sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut sources);
    let is_code = |text: &&str| text.len() > 6 && text.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let codes: BTreeSet<&str> =
        sources.iter().flat_map(|source| source.split('"').skip(1).step_by(2)).filter(is_code).collect();
    assert!(codes.contains("NOT_ACCEPTABLE") && codes.contains("OUTDATED"), "{codes:?}");
    let (_, table) = ERRORS.split_once("## Refusals of the door").unwrap();
    let missing: Vec<_> = codes.iter().filter(|code| !table.contains(&format!("`{code}`"))).collect();
    assert!(missing.is_empty(), "docs/errors.md lacks {missing:?}");
}

fn collect_sources(folder: &Path, sources: &mut Vec<String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect_sources(&path, sources);
        } else {
            sources.push(std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[tokio::test]
async fn a_parameter_stands_where_it_is_read() {
    let daemon = Daemon::start().await;
    let mut in_queries = Vec::new();
    for (method, path, operation) in operations(&document(&daemon).await) {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let mut in_path = Vec::new();
        for parameter in parameters {
            let name = parameter["name"].as_str().unwrap();
            match parameter["in"].as_str().unwrap() {
                "path" => in_path.push(format!("{{{name}}}")),
                "query" => in_queries.push(format!("{method} {path} {name} {}", parameter["required"])),
                "header" => {}
                other => panic!("{method} {path}: {name} in {other}"),
            }
        }
        let segments: Vec<_> = path.split('/').filter(|segment| segment.starts_with('{')).collect();
        assert_eq!(in_path, segments, "{method} {path}");
    }
    in_queries.sort();
    let expected = [
        "DELETE /events all false",
        "DELETE /fs/{path} cap false",
        "GET /events after false",
        "GET /events all false",
        "GET /events limit false",
        "GET /fs/{path} cap false",
        "GET /sessions/{topic}/terminal columns true",
        "GET /sessions/{topic}/terminal rows true",
        "HEAD /fs/{path} cap false",
        "POST /chanflow cwd false",
        "POST /mcp tools false",
        "PUT /fs/{path} cap false",
    ];
    assert_eq!(in_queries, expected);
}

/// What callers send by mistake.
fn mistaken(call: Call) -> [Call; 7] {
    let stream = || call.clone().with("Accept", "text/event-stream");
    [
        call.clone(),
        call.clone().body("text/plain", "x"),
        call.clone().with("X-Agent-Id", "nobody"),
        call.clone().without("Authorization"),
        stream(),
        stream().with("Mcp-Session-Id", "none"),
        stream().with("MCP-Protocol-Version", "2026-07-28"),
    ]
}

#[tokio::test]
async fn every_answer_is_one_that_the_document_declares() {
    let daemon = Daemon::start().await;
    for (method, path, operation) in operations(&document(&daemon).await) {
        let route = Route { method: method.clone(), path: path.replace(['{', '}'], "") };
        for call in mistaken(Call::to(&daemon, &route)) {
            // It would end here.
            let would_end = path == "/shutdown" && !call.text().contains("text/plain");
            if would_end {
                continue;
            }
            let answer = call.send(&daemon).await;
            let declared = &operation["responses"][answer.status.to_string()];
            assert!(declared.is_object(), "{method} {path} does not declare {answer:?}");
            if method == "HEAD" {
                continue;
            }
            let kind = answer.header("content-type").map(|kind| kind.split(';').next().unwrap().to_owned());
            let empty = Map::new();
            let kinds = declared["content"].as_object().unwrap_or(&empty);
            let is_declared = match kind {
                Some(kind) => kinds.contains_key(&kind) || kinds.contains_key("*/*"),
                None => kinds.is_empty(),
            };
            assert!(is_declared, "{method} {path} declares {declared} and answers {answer:?}");
        }
    }
}

async fn document(daemon: &Daemon) -> Value {
    Call::new(daemon, "GET", "/openapi.json").send(daemon).await.json()
}

/// Methods, paths and what is said about them.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation.clone()))
    });
    operations.collect()
}
