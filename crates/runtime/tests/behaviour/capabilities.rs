//! Capabilities: granted by an agent out of what it has, kept as a hash, and gone in time.

use std::time::Duration;

use runtime::capability::CAPABILITIES_MAX;
use testkit::{Fault, World};

/// The value of a row of `mint`.
fn row<'a>(text: &'a str, name: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_else(|| panic!("{name} in {text}")).trim()
}

async fn mint(world: &World, options: &str) -> String {
    world.ok("agent", &format!("/capability mint {options}")).await
}

async fn opens(world: &World, token: &str) -> bool {
    world.runtime.capabilities.opened_by(token).await.unwrap().is_some()
}

#[tokio::test]
async fn mint_says_what_was_granted_and_list_never_shows_the_secret() {
    let world = World::new().await;
    std::fs::create_dir(world.home.path().join("reports")).unwrap();
    let minted = mint(&world, "--path ~/reports --verbs put,get --quota 10MB").await;
    let token = row(&minted, "token:");
    let id = &token[..30];
    assert_eq!(minted.lines().next(), Some(format!("Minted {id}").as_str()));
    for (name, expected) in [
        ("path:", "~/reports and all below it"),
        ("verbs:", "get, put"),
        ("expires:", "2024-01-02T04:04:05.678Z"),
        ("uses:", "any number"),
        ("quota:", "10 MB to write"),
    ] {
        assert_eq!(row(&minted, name), expected);
    }
    assert_eq!(row(&minted, "url:"), format!("http://127.0.0.1:3923/fs/~/reports/NAME?cap={token}"));
    let listed = world.ok("agent", "/capability list").await;
    let expected = format!("{id}  ~/reports  get,put  until 2024-01-02T04:04:05.678Z  0 B of 10 MB written");
    assert_eq!(listed, format!("Capabilities\n---\n{expected}"));
    let json = world.ok("agent", "/capability list --json").await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json[0]["id"], &json[0]["quota_bytes"]), (&id.into(), &(10 << 20).into()));
    assert!(!json.to_string().contains(&token[31..]), "{json}");
    assert!(opens(&world, token).await);
    assert_eq!(world.ok("agent", &format!("/capability revoke {id}")).await, format!("Revoked {id}"));
    assert!(!opens(&world, token).await);
    world.fails("agent", &format!("/capability revoke {id}"), "NOT_FOUND").await;
    let json = mint(&world, "--path ~/x.txt --verbs get --json --single-use").await;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["path"], &json["single_use"]), (&"~/x.txt".into(), &true.into()));
    assert!(json["url"].as_str().unwrap().ends_with(json["token"].as_str().unwrap()));
    for no_path in ["", "file:///etc", "~/reports/*", "https://example.com/x"] {
        world
            .fails("agent", &format!("/capability mint --path '{no_path}' --verbs get"), "INVALID_PARAMS")
            .await;
    }
    // A file may be called what it likes, once it is there.
    world.home.write("reports/*", "x");
    mint(&world, "--path '~/reports/*' --verbs get --ttl 1s").await;
    world.clock.advance(Duration::from_secs(2));
    // Whoever cannot write is not told how much.
    assert!(!mint(&world, "--path ~/x.txt --verbs get").await.contains("quota:"));
    assert!(!world.ok("agent", "/capability list").await.contains("written"));
}

#[tokio::test]
async fn revoke_ends_all_that_exist_and_names_the_others() {
    let world = World::new().await;
    let mut tokens = Vec::new();
    for _ in 0..4 {
        tokens.push(row(&mint(&world, "--path ~/x --verbs get").await, "token:").to_owned());
    }
    let ids: Vec<&str> = tokens.iter().map(|token| &token[..30]).collect();
    let twice = format!("/capability revoke {0} {0}", ids[0]);
    assert_eq!(world.ok("agent", &twice).await, format!("Revoked {}", ids[0]));
    let unknown = "cap_00000000000000000000000000";
    let some = format!("/capability revoke {} {unknown} {} {}", ids[1], ids[0], ids[2]);
    let error = world.fails("agent", &some, "NOT_FOUND").await;
    for said in [format!("No capability {unknown}."), format!("No capability {}.", ids[0])] {
        assert!(error.contains(&said), "{error}");
    }
    assert!(error.ends_with(&format!("\n  Revoked {}, {}", ids[1], ids[2])), "{error}");
    assert!(!opens(&world, &tokens[1]).await && !opens(&world, &tokens[2]).await);
    assert!(opens(&world, &tokens[3]).await);
    let mistyped = format!("/capability revoke cap_x {}", ids[3]);
    let error = world.fails("agent", &mistyped, "INVALID_PARAMS").await;
    assert!(error.contains("Not the id of a capability: \"cap_x\""), "{error}");
    assert!(error.ends_with(&format!("\n  Revoked {}", ids[3])), "{error}");
    assert!(!opens(&world, &tokens[3]).await);
}

#[tokio::test]
async fn nothing_of_the_secret_is_on_disk_or_in_the_log() {
    let world = World::new().await;
    let token = row(&mint(&world, "--path ~/x --verbs get").await, "token:").to_owned();
    let secret = &token[31..];
    let space = store::Space::new("capabilities");
    let key = store::Key::new(&token[..30]);
    let entry = store::Store::get(&*world.store, &space, &key).await.unwrap().unwrap();
    let stored = String::from_utf8(entry.value).unwrap();
    assert!(stored.contains("\"hash\"") && !stored.contains(secret), "{stored}");
    let home = world.close();
    let log = home.read(".string/log/audit.jsonl");
    assert!(log.contains("/capability mint") && !log.contains(secret), "{log}");
}

#[tokio::test]
async fn a_capability_lives_as_long_as_it_was_said_to_and_over_a_restart() {
    let world = World::new().await;
    let hour = row(&mint(&world, "--path ~/x --verbs get").await, "token:").to_owned();
    let week = row(&mint(&world, "--path ~/x --verbs get --ttl 7d").await, "token:").to_owned();
    let world = world.restart().await;
    assert!(opens(&world, &hour).await && opens(&world, &week).await);
    world.clock.advance(Duration::from_secs(60 * 60 - 1));
    assert!(opens(&world, &hour).await);
    world.clock.advance(Duration::from_secs(1));
    assert!(!opens(&world, &hour).await && opens(&world, &week).await);
    assert_eq!(world.ok("agent", "/capability list").await.lines().count(), 3);
}

#[tokio::test]
async fn what_an_agent_may_not_reach_it_may_not_grant() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    let home = world.home.path().display().to_string();
    for path in ["/etc", "/", "~/.ssh/id", "~/.string", "~/a/../../x", &format!("{home}-evil")] {
        world.fails("agent", &format!("/capability mint --path {path} --verbs get"), "INVALID_PATH").await;
    }
    let other = format!("/capability mint --path {home}/notes.md --verbs get");
    let reply = world.run(world.request_as("codex", "agent", &other)).await;
    assert_eq!(reply.code.map(|code| code.as_str()), Some("INVALID_PATH"), "{}", reply.content);
    world.ok("agent", &other).await;
    // What is granted is the agent's own: another one neither sees nor revokes it.
    let list = world.run(world.request_as("codex", "agent", "/capability list")).await.content;
    assert_eq!(list, "Capabilities\n---\nNo capabilities.");
}

#[tokio::test]
async fn a_bare_path_is_meant_from_the_home_and_one_with_a_dot_from_here() {
    let world = World::new().await;
    world.home.write("sub/x.txt", "x");
    for (path, shown) in [("sub", "~/sub"), ("~/sub", "~/sub"), ("./x.txt", "~/sub/x.txt")] {
        let payload = format!("/capability mint --path {path} --verbs get");
        let reply = world.run(world.request_from(world.home.path().join("sub"), "agent", &payload)).await;
        assert!(row(&reply.content, "path:").contains(shown), "{path}: {}", reply.content);
    }
}

#[tokio::test]
async fn wrong_words_are_explained() {
    let world = World::new().await;
    for (words, expected) in [
        ("frobnicate", "Unknown word"),
        ("mint --verbs get", "--path is missing."),
        ("mint --path ~/x", "--verbs is missing."),
        ("mint --path ~/x --verbs gte", "Did you mean get?"),
        ("mint --path ~/x --verbs get --ttl soon", "Not a time to live"),
        ("mint --path ~/x --verbs get --ttl 31d", "at most 30d"),
        ("mint --path ~/x --verbs get --quota many", "Not a number of bytes"),
        ("mint --path ~/x --verbs get --once", "Unknown flag"),
        ("revoke", "ID is missing."),
    ] {
        let content = world.fails("agent", &format!("/capability {words}"), "INVALID_PARAMS").await;
        assert!(content.contains(expected), "{words}: {content}");
        assert!(content.contains("mint --path P --verbs"), "{words}: {content}");
    }
}

#[tokio::test]
async fn an_agent_has_so_many_and_those_used_up_make_room() {
    let world = World::new().await;
    let once = row(&mint(&world, "--path ~/x --verbs get --single-use").await, "token:").to_owned();
    for _ in 1..CAPABILITIES_MAX {
        mint(&world, "--path ~/x --verbs get").await;
    }
    let full = world.fails("agent", "/capability mint --path ~/x --verbs get", "CONFLICT").await;
    assert!(full.contains("string agent capability list"), "{full}");
    let json = world.ok("agent", "/capability list --json").await;
    assert_eq!(serde_json::from_str::<Vec<serde_json::Value>>(&json).unwrap().len(), CAPABILITIES_MAX);
    let capability = world.runtime.capabilities.opened_by(&once).await.unwrap().unwrap();
    assert!(world.runtime.capabilities.use_once(&capability).await.unwrap());
    assert!(!world.runtime.capabilities.use_once(&capability).await.unwrap());
    assert!(!opens(&world, &once).await);
    mint(&world, "--path ~/x --verbs get").await;
    world.fails("agent", "/capability mint --path ~/x --verbs get", "CONFLICT").await;
}

#[tokio::test]
async fn a_full_disk_grants_nothing() {
    let world = World::new().await;
    world.store.set_fault(Fault::Full);
    world.fails("agent", "/capability mint --path ~/x --verbs get", "LOAD_ERROR").await;
    world.store.set_fault(Fault::None);
    assert_eq!(world.ok("agent", "/capability list").await, "Capabilities\n---\nNo capabilities.");
}
