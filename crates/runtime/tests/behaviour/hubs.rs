//! The words of the hubs: lists as text and as JSON, and pages that can be opened from anywhere.

use runtime::Origin;
use runtime::command::table::{Place, commands};
use serde_json::{Value, json};
use testkit::World;

/// Every word of a hub that takes `--json`.
const LISTS: &[(&str, &str)] = &[
    ("app", "/list --json"),
    ("bash", "/list --json"),
    ("tool", "/list --json"),
    ("tool", "/info shout --json"),
    ("tool", "/tasks --json"),
    ("tool", "/task job-1 --json"),
    ("event", "/list --json"),
    ("event", "/list --all --json"),
    ("event", "/watch --json"),
    ("system", "/status --json"),
    ("system", "/env --json"),
    ("system", "/logs --json"),
    ("system", "/logs --audit --json"),
    ("system", "/doctor --json"),
    ("system", "/state ls --json"),
    ("system", "/state ls profile --json"),
    ("agent", "/list --json"),
    ("agent", "/current --json"),
    ("agent", "/allow --json"),
    ("agent", "/capability list --json"),
];

#[tokio::test]
async fn every_list_is_json_when_asked() {
    let world = World::new().await;
    world.ok("system", "/state put task:job-1 key 1").await;
    world.home.write("tools/shout.md", "# Shout\n");
    for (hub, line) in LISTS {
        let reply = world.ok(hub, line).await;
        let json: Value =
            serde_json::from_str(&reply).unwrap_or_else(|error| panic!("{hub} {line}: {error}\n{reply}"));
        assert!(json.is_array() || json.is_object(), "{hub} {line}: {reply}");
    }
}

#[test]
fn every_word_that_takes_json_is_tried() {
    for spec in commands().filter(|spec| spec.usage.contains("--json")) {
        let Place::Hub(hub) = spec.place else { continue };
        let word = format!("/{} ", spec.name);
        let tried = LISTS.iter().any(|(tried, line)| *tried == hub.as_str() && line.starts_with(&word));
        assert!(tried, "{} of the {} hub", spec.usage, hub.as_str());
    }
}

#[tokio::test]
async fn a_hub_opens_from_anywhere_and_answers_as_itself() {
    let world = World::new().await;
    for from in ["main", "app:x", "bash:dev", "system"] {
        for hub in ["app", "bash", "tool", "event", "system", "agent"] {
            let reply = world.say(from, &format!("//open {hub}")).await;
            assert!(reply.ok(), "{from} {hub}: {}", reply.content);
            assert_eq!(reply.topic.unwrap().to_string(), hub);
        }
    }
    let refused = world.fails("bash:dev", "//open notes.md", "COMMAND_UNSUPPORTED").await;
    assert!(refused.contains("Open documents in a tab, such as main."), "{refused}");
}

#[tokio::test]
async fn the_apps_as_json_have_their_open_topics() {
    let world = World::new().await;
    world.home.write("weather.md", "---\nname: weather\ntype: app\n---\n# Weather\n");
    world.ok("app", "/install weather.md").await;
    world.ok("app:weather:home", "/info").await;
    world.ok("app:other", "/info").await;
    let listed: Value = serde_json::from_str(&world.ok("app", "/list --json").await).unwrap();
    let brief = |one: &Value| json!([one["name"], one["installed"], one["topics"]]);
    let brief: Vec<Value> = listed.as_array().unwrap().iter().map(brief).collect();
    let expected = [json!(["weather", true, ["app:weather:home"]]), json!(["other", false, ["app:other"]])];
    assert_eq!(brief, expected);
}

#[tokio::test]
async fn an_app_says_which_variables_it_lacks() {
    let world = World::new().await;
    let page = "---\nname: weather\ntype: app\nversion: 1.2.0\nenv:\n  - API_KEY: \"OpenWeather API key\"\n  - REGION\n---\n# Weather\n";
    world.home.write("weather.md", page);
    world.ok("app", "/install weather.md").await;
    let listed = world.ok("app", "/list").await;
    assert!(
        listed.contains("app:weather  1.2.0") && listed.contains("missing: $API_KEY, $REGION"),
        "{listed}"
    );
    let info = world.ok("app", "/info weather").await;
    assert!(info.contains("$API_KEY · string app:weather '/set $API_KEY = \"…\"'"), "{info}");
    world.ok("app:weather", "/set $API_KEY = \"k-123456\"").await;
    let apps: Vec<Value> = serde_json::from_str(&world.ok("app", "/list --json").await).unwrap();
    assert_eq!(apps[0]["missing"], serde_json::json!(["REGION"]));
    assert!(world.ok("app", "/open").await.contains("app:weather"), "the page lists what is open");
}

#[tokio::test]
async fn the_environment_names_variables_and_hides_their_values() {
    let world = World::new().await;
    assert!(world.ok("system", "/env").await.contains("No $NAME variables are set."));
    world.ok("main", "/set $API_KEY = \"sk-secret\"").await;
    world.ok("app:mail:work", "/set $PASS = \"hunter22\"").await;
    let text = world.ok("system", "/env").await;
    assert!(text.contains("global         $API_KEY") && text.contains("app:mail:work  $PASS"), "{text}");
    let json = world.ok("system", "/env --json").await;
    for shown in [text, json] {
        assert!(!shown.contains("sk-secret") && !shown.contains("hunter22"), "{shown}");
    }
}

#[tokio::test]
async fn logs_are_bounded_redacted_and_an_agent_sees_its_own() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    world.ok("main", "/set $API_KEY = \"sk-secret\"").await;
    let log = format!("old\nhello wh_{} with sk-secret\nlast \u{1b}[31m\n", "0f".repeat(24));
    world.home.write(".string/log/daemon.log", &log);
    let shown = world.ok("system", "/logs -n 2").await;
    let lines: Vec<&str> = shown.lines().skip(2).collect();
    assert_eq!(lines, ["hello wh_… with $API_KEY", "last \\u{1b}[31m"], "{shown}");
    let audit = |agent: &str| format!("{{\"agent\":\"{agent}\",\"command\":\"/of {agent}\"}}\n");
    world.home.write(".string/log/audit.jsonl", audit("default") + &audit("codex"));
    let mut request = world.request_as("codex", "system", "/logs --audit --json");
    request.origin = Origin::Agent;
    let own = world.run(request).await.content;
    assert!(own.contains("/of codex") && !own.contains("/of default"), "{own}");
    let all = world.ok("system", "/logs --audit").await;
    assert!(all.contains("/of codex") && all.contains("/of default"), "{all}");
    for (line, hint) in
        [("/logs -f", "string system logs -f"), ("/logs -n 0", "from 1 to 1000"), ("/logs x", "Usage: /logs")]
    {
        assert!(world.fails("system", line, "INVALID_PARAMS").await.contains(hint), "{line}");
    }
}

#[tokio::test]
async fn every_hub_has_help() {
    let world = World::new().await;
    for hub in ["app", "bash", "tool", "event", "system", "agent"] {
        let help = world.ok(hub, "/help").await;
        assert!(help.starts_with(&format!("Commands in {hub}\n---\n")) && help.contains("/open"), "{help}");
    }
}

#[tokio::test]
async fn what_a_program_asks_for_is_whole_and_what_people_read_names_a_file() {
    let world = World::new().await;
    let value = "é".repeat(100_000);
    world.ok("system", &format!("/state put profile big\n\"{value}\"")).await;
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let entry = read(&world.ok("system", "/state get profile big --json").await);
    assert_eq!(entry["value"], value.as_str());
    let listed = read(&world.ok("system", "/state ls profile --json").await);
    assert_eq!(listed["entries"][0]["value"], value.as_str());
    let shown = world.ok("system", "/state get profile big").await;
    assert!(shown.len() <= runtime::reply::REPLY_MAX, "{}", shown.len());
    let (_, rest) = shown.split_once("full output: ~/").unwrap();
    let (name, _) = rest.split_once(" …").unwrap();
    let kept = std::fs::read_to_string(world.home.path().join(name)).unwrap();
    assert!(kept.contains(&value), "{name}");
}

#[tokio::test]
async fn log_lines_that_have_no_room_are_counted_and_can_be_had() {
    let world = World::new().await;
    let line = "x".repeat(299);
    world.home.write(".string/log/daemon.log", format!("{line}\n").repeat(200));
    let shown = world.ok("system", "/logs -n 150").await;
    let all = "/logs -n 150 --json";
    assert!(shown.contains(&format!("… 69 older lines left out, with them: {all}\n")), "{shown}");
    assert_eq!(shown.lines().filter(|shown| **shown == line).count(), 81);
    let whole: Value = serde_json::from_str(&world.ok("system", all).await).unwrap();
    assert_eq!(whole.as_array().unwrap().len(), 150);
}

#[tokio::test]
async fn a_tool_that_is_named_where_none_is_called_leads_to_its_call() {
    let world = World::new().await;
    let hint = "A tool is called in a topic: string main '/tool:ed'";
    let error = world.fails("tool", "/ed", "COMMAND_UNSUPPORTED").await;
    assert!(error.contains(hint), "{error}");
    let error = runtime::topic::Topic::parse("tool:ed").unwrap_err().to_string();
    assert!(error.contains(hint), "{error}");
}
