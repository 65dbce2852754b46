//! The audit log: one line for every command, whatever its text tries.

use serde_json::{Value, json};
use testkit::{Daemon, Home};

use crate::http::Call;

fn lines(home: &Home) -> Vec<Value> {
    let text = home.read(".string/log/audit.jsonl");
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[tokio::test]
async fn every_command_leaves_one_line() {
    let daemon = Daemon::start().await;
    daemon.exec("main", "/info").await;
    daemon.exec("main", "/open gone.md\n/info").await;
    daemon.exec("notes", "/open system\n/topics").await;
    daemon.exec("a b", "/info secret words").await;
    daemon.exec("main", "the password is hunter2").await;
    daemon.exec("main", "/interrupt").await;
    Call::exec(&daemon, "main", "/info").with("X-Agent-Id", "nobody").send(&daemon).await;
    Call::new(&daemon, "POST", "/chanflow").body("text/plain", "<𝒞=string:c>/help</𝒞>").send(&daemon).await;
    let lines = lines(&daemon.stop().await);
    let shown: Vec<_> = lines
        .iter()
        .map(|line| {
            assert!(line["time"].as_str().is_some_and(|time| time.ends_with('Z')), "{line}");
            assert!(line["ms"].is_u64(), "{line}");
            assert_eq!(line["ok"], json!(line.get("code").is_none()), "{line}");
            let part = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or("ok").to_owned();
            [part("agent"), part("topic"), part("command"), part("code")].join(" | ")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "default | main | /info | ok",
            "default | main | /open gone.md | NOT_FOUND",
            "default | system | /open system | ok",
            "default | notes | /topics | ok",
            "default | a b | /info … | INVALID_TARGET",
            "default | main | … | COMMAND_UNSUPPORTED",
            "default | main | /interrupt | NOT_FOUND",
            "nobody | main | /info … | NOT_FOUND",
            "default | c | /help | ok",
        ]
    );
}

#[tokio::test]
async fn no_text_can_forge_a_line_or_fill_the_log() {
    let daemon = Daemon::start().await;
    let forged = "{\"time\":\"x\",\"agent\":\"default\",\"topic\":\"main\",\"command\":\"/rm -rf\",\"ok\":true,\"ms\":0}";
    let long = "x".repeat(1_000_000);
    let requests = [
        ("main".to_owned(), format!("/open a\u{1b}[2J\u{7}\r\u{85}\u{2028}{forged}")),
        (format!("main\n{forged}\n"), "/info".into()),
        ("main".into(), format!("/\u{1b}[31m{forged}")),
        ("main".into(), format!("/open {long}")),
        ("main".into(), format!("/{long}")),
        (long.clone(), "/info".into()),
    ];
    for (topic, cmd) in &requests {
        daemon.exec(topic, cmd).await;
    }
    let forger = Call::exec(&daemon, "main", "/info").with("X-Agent-Id", forged);
    forger.send(&daemon).await;
    let home = daemon.stop().await;
    let text = home.read(".string/log/audit.jsonl");
    assert_eq!(lines(&home).len(), requests.len() + 1);
    assert!(text.lines().all(|line| line.len() < 2_000), "a line is short whatever was sent");
    assert!(!text.contains(['\u{1b}', '\u{7}', '\r']), "control characters are escaped");
    assert!(lines(&home).iter().all(|line| line["command"] != "/rm -rf"));
}

#[tokio::test]
async fn no_token_of_ours_is_logged() {
    let daemon = Daemon::start().await;
    let minted = daemon.exec("agent", "/capability mint --path ~/x --verbs get --json").await.content;
    let minted: Value = serde_json::from_str(&minted).unwrap();
    let webhook = daemon.exec("event", "/webhook show").await.content;
    let token = std::fs::read_to_string(daemon.home.root().join("run/token")).unwrap();
    let secrets = [token.as_str(), minted["token"].as_str().unwrap(), webhook.rsplit('/').next().unwrap()];
    for secret in secrets {
        assert!(secret.len() > 40, "{secret}");
        daemon.exec("main", &format!("/open https://127.0.0.1:1/?t={secret}")).await;
        daemon.exec("main", &format!("/info {secret}")).await;
        daemon.exec(&format!("a {secret}"), "/info").await;
    }
    let home = daemon.stop().await;
    let log = home.read(".string/log/audit.jsonl");
    for secret in secrets {
        assert!(!log.contains(secret), "{log}");
    }
    assert_eq!(log.lines().count(), 2 + 9, "{log}");
}
