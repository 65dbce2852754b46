//! Agents: registered, listed, changed and forgotten, each with its own home and topics.

use runtime::Origin;
use testkit::{Fault, World};

async fn ids(world: &World) -> Vec<String> {
    world.runtime.agents.list().iter().map(|agent| agent.id.to_string()).collect()
}

#[tokio::test]
async fn an_agent_is_added_with_a_home_of_its_own() {
    let world = World::new().await;
    assert_eq!(
        world.ok("agent", "/add codex").await,
        "Added agent codex: home ~/.string/agents/codex, boundary workspace"
    );
    assert!(world.home.exists(".string/agents/codex"));
    let reply = world.run(world.request_as("codex", "agent", "/current")).await;
    assert_eq!(reply.content, "codex");
    assert_eq!(world.ok("agent", "/current").await, "default");
    let home = world.home.path().display();
    assert_eq!(
        world.ok("agent", "/list").await,
        format!(
            "Agents\n---\ncodex    {home}/.string/agents/codex  workspace\n\
             default  {home}{:21}  workspace  (current)",
            ""
        )
    );
}

#[tokio::test]
async fn an_agent_is_added_with_everything_given() {
    let world = World::new().await;
    world.home.write("shared/x.md", "# Shared\n");
    world.home.write("data/y.md", "# Data\n");
    let added = "/add codex --home ~/codex --allow ~/shared,~/data --boundary isolated";
    assert_eq!(world.ok("agent", added).await, "Added agent codex: home ~/codex, boundary isolated");
    let list: serde_json::Value = serde_json::from_str(&world.ok("agent", "/list --json").await).unwrap();
    let home = world.home.path();
    assert_eq!(
        list[0],
        serde_json::json!({
            "id": "codex",
            "home": home.join("codex"),
            "allow": [home.join("shared"), home.join("data")],
            "boundary": "isolated",
            "current": false,
        })
    );
    assert_eq!(list[1]["id"], "default");
    assert_eq!(list[1]["current"], true);
    let shared = format!("/open {}", home.join("shared/x.md").display());
    assert!(world.run(world.request_as("codex", "main", &shared)).await.ok());
}

#[tokio::test]
async fn malformed_and_known_ids_are_refused() {
    let world = World::new().await;
    let long = "x".repeat(65);
    for id in ["../x", "a.b", "a/b", "é", "''", "%2e%2e", &long] {
        world.fails("agent", &format!("/add {id}"), "INVALID_PARAMS").await;
    }
    world.ok("agent", &format!("/add {}", "x".repeat(64))).await;
    world.ok("agent", "/add codex").await;
    let content = world.fails("agent", "/add codex", "CONFLICT").await;
    assert!(content.starts_with("ERROR(CONFLICT): Agent codex exists already."), "{content}");
    world.fails("agent", "/add default", "CONFLICT").await;
    for payload in ["/add", "/add a b", "/add a --hoem /x", "/add a --boundary open", "/add a --home"] {
        world.fails("agent", payload, "INVALID_PARAMS").await;
    }
    assert_eq!(ids(&world).await.len(), 3);
}

#[tokio::test]
async fn no_two_agents_share_a_home() {
    let world = World::new().await;
    world.ok("agent", "/add one --home ~/one").await;
    std::os::unix::fs::symlink(world.home.path().join("one"), world.home.path().join("link")).unwrap();
    for payload in ["/add two --home ~/one", "/add two --home ~/link", "/set-home ~/one"] {
        let error = world.fails("agent", payload, "CONFLICT").await;
        assert!(error.contains("is the home of agent one."), "{payload}: {error}");
    }
    let known = world.fails("agent", "/add default", "CONFLICT").await;
    assert!(!known.contains("agent rm default"), "{known}");
    assert_eq!(world.ok("agent", "/current --json").await, r#"{"id":"default"}"#);
}

#[tokio::test]
async fn homes_and_allowed_paths_must_make_sense() {
    let world = World::new().await;
    world.home.write("file", "x");
    for home in
        ["relative", "~/.string", "~/.string/run", "~/.string/agents", "~/x/../.string/log", "~/file/x"]
    {
        world.fails("agent", &format!("/add a --home {home}"), "INVALID_PARAMS").await;
    }
    for allowed in ["~/gone", "~/file", "relative", "~/.string", "~/.string/run", "~/x/../.string/log"] {
        world.fails("agent", &format!("/add a --allow {allowed}"), "INVALID_PARAMS").await;
        world.fails("agent", &format!("/allow {allowed}"), "INVALID_PARAMS").await;
    }
    assert_eq!(ids(&world).await, ["default"]);
}

#[tokio::test]
async fn credentials_are_neither_a_home_nor_an_allowed_path() {
    let world = World::new().await;
    let outside = tempfile::tempdir().unwrap();
    for path in [".aws", ".gnupg/private", ".config/gh"] {
        std::fs::create_dir_all(outside.path().join(path)).unwrap();
        std::os::unix::fs::symlink(outside.path().join(path), world.home.path().join("link")).unwrap();
        let real = outside.path().join(path).display().to_string();
        for written in [real.as_str(), "~/link"] {
            for line in [
                format!("/allow {written}"),
                format!("/add a --home {written}"),
                format!("/add a --allow {written}"),
                format!("/set-home {written}"),
            ] {
                let refused = world.fails("agent", &line, "INVALID_PARAMS").await;
                assert!(refused.contains("places of credentials"), "{line}: {refused}");
            }
        }
        std::fs::remove_file(world.home.path().join("link")).unwrap();
    }
    world.fails("agent", "/add a --home ~/.string/agents/b/.ssh", "INVALID_PARAMS").await;
    assert_eq!(ids(&world).await, ["default"]);
}

#[tokio::test]
async fn a_home_inside_an_allowed_path_stays_open_to_its_agent() {
    let world = World::new().await;
    world.home.write("note.md", "# Note\n");
    world.ok("agent", "/add codex --allow ~\n/add other").await;
    world.home.write(".string/agents/codex/mine.md", "# Mine\n");
    world.home.write(".string/agents/other/theirs.md", "# Theirs\n");
    let open = async |target: &str| {
        let target = format!("/open {}", world.home.path().join(target).display());
        world.run(world.request_as("codex", "main", &target)).await
    };
    assert!(open(".string/agents/codex/mine.md").await.content.ends_with("# Mine"));
    assert!(open("note.md").await.content.ends_with("# Note"));
    for closed in [".string/agents/other/theirs.md", ".string/log/audit.jsonl", ".string"] {
        assert_eq!(open(closed).await.code.unwrap().as_str(), "INVALID_PATH", "{closed}");
    }
}

#[tokio::test]
async fn an_allowed_path_that_is_gone_is_in_nobodys_way() {
    let world = World::new().await;
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().display().to_string();
    world.ok("agent", &format!("/allow {path}")).await;
    drop(outside);
    assert_eq!(world.ok("agent", "/boundary off").await, "boundary: off");
    assert!(world.ok("agent", &format!("/allow --remove {path}")).await.ends_with("None besides the home."));
}

#[tokio::test]
async fn agents_survive_a_restart() {
    let world = World::new().await;
    std::fs::create_dir(world.home.path().join("data")).unwrap();
    world.ok("agent", "/add codex --boundary off --home ~/codex").await;
    world.ok("agent", "/add gone").await;
    world.ok("agent", "/rm gone").await;
    world.ok("agent", "/boundary isolated\n/allow ~/data").await;
    let before = world.ok("agent", "/list --json").await;
    let world = world.restart().await;
    assert_eq!(world.ok("agent", "/list --json").await, before);
    assert_eq!(ids(&world).await, ["codex", "default"]);
}

#[tokio::test]
async fn each_agent_has_its_own_topics_and_home() {
    let world = World::new().await;
    world.home.write("note.md", "# Default's\n");
    world.ok("agent", "/add codex --home ~/codex").await;
    world.home.write("codex/note.md", "# Codex's\n");
    world.ok("main", "/open note.md").await;
    let reply = world.run(world.request_as("codex", "main", "/topics")).await;
    assert!(reply.content.ends_with("1 topic open."), "{}", reply.content);
    let reply = world.run(world.request_as("codex", "main", "/open note.md")).await;
    assert_eq!(reply.content, "Opened ~/note.md\n---\n# Codex's");
    let outside = format!("/open {}", world.home.path().join("note.md").display());
    let reply = world.run(world.request_as("codex", "main", &outside)).await;
    assert_eq!(reply.code.unwrap().as_str(), "INVALID_PATH");
    assert!(world.ok("main", "/info").await.contains("title:     Default's"));
}

#[tokio::test]
async fn a_home_can_be_moved() {
    let world = World::new().await;
    world.home.write("new/a.md", "# Moved\n");
    world.home.write("other/a.md", "# Moved\n");
    world.ok("agent", "/add codex").await;
    assert_eq!(
        world.ok("agent", "/set-home codex ~/new").await,
        "Agent codex: home ~/new, boundary workspace"
    );
    let reply = world.run(world.request_as("codex", "main", "/open a.md")).await;
    assert!(reply.content.starts_with("Opened ~/a.md"), "{}", reply.content);
    world.fails("agent", "/set-home codex ~/.string/run", "INVALID_PARAMS").await;
    let reply = world.run(world.request_from(world.home.path(), "agent", "/set-home other")).await;
    assert!(reply.content.starts_with("Agent default: home ~/other, "), "{}", reply.content);
    assert!(world.ok("main", "/open a.md").await.ends_with("# Moved"));
    world.fails("agent", "/set-home nobody ~/x", "NOT_FOUND").await;
    world.fails("agent", "/set-home", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn the_boundary_is_shown_and_set() {
    let world = World::new().await;
    assert_eq!(world.ok("agent", "/boundary").await, "boundary: workspace");
    for value in ["none", "isolated", "off", "workspace"] {
        assert_eq!(world.ok("agent", &format!("/boundary {value}")).await, format!("boundary: {value}"));
        assert_eq!(world.ok("agent", "/boundary").await, format!("boundary: {value}"));
    }
    let content = world.fails("agent", "/boundary wide", "INVALID_PARAMS").await;
    assert!(content.contains("none, workspace, isolated or off"), "{content}");
}

#[tokio::test]
async fn allowed_paths_are_added_and_removed() {
    let world = World::new().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("x.md"), "# Out\n").unwrap();
    let path = outside.path().display().to_string();
    let open = format!("/open {path}/x.md");
    assert_eq!(world.ok("agent", "/allow").await, "Allowed paths\n---\nNone besides the home.");
    world.fails("main", &open, "INVALID_PATH").await;
    let shown = format!("Allowed paths\n---\n{path}");
    assert_eq!(world.ok("agent", &format!("/allow {path}")).await, shown);
    assert_eq!(world.ok("agent", &format!("/allow {path}/")).await, shown, "once is enough");
    assert_eq!(world.ok("main", &open).await, format!("Opened {path}/x.md\n---\n# Out"));
    assert_eq!(
        world.ok("agent", &format!("/allow --remove {path}")).await,
        "Allowed paths\n---\nNone besides the home."
    );
    world.fails("main", &open, "INVALID_PATH").await;
    let refused = world.fails("agent", &format!("/allow --remove {path}"), "NOT_FOUND").await;
    assert!(refused.contains("is not an allowed path.") && refused.contains("None besides"), "{refused}");
    for line in ["/allow ''", "/set-home ''", "/add a --home=''", "/allow --remove ~/a --remove ~/b"] {
        world.fails("agent", line, "INVALID_PARAMS").await;
    }
}

#[tokio::test]
async fn an_agent_is_forgotten_and_its_files_stay() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    world.home.write(".string/agents/codex/note.md", "# Mine\n");
    assert!(world.run(world.request_as("codex", "main", "/open note.md")).await.ok());
    let home = world.home.path().join(".string/agents/codex");
    assert_eq!(
        world.ok("agent", "/rm codex").await,
        format!("Removed agent codex. Its files stay in {}", home.display())
    );
    assert!(home.join("note.md").exists());
    let reply = world.run(world.request_as("codex", "main", "/info")).await;
    assert_eq!(reply.code.unwrap().as_str(), "NOT_FOUND");
    world.ok("agent", "/add codex").await;
    let reply = world.run(world.request_as("codex", "main", "/info")).await;
    assert!(reply.content.ends_with("(none open)"), "its topics went with it: {}", reply.content);
    world.fails("agent", "/rm nobody", "NOT_FOUND").await;
    world.fails("agent", "/rm", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn default_cannot_be_removed() {
    let world = World::new().await;
    assert_eq!(
        world.fails("agent", "/rm default", "NOT_ALLOWED").await,
        "ERROR(NOT_ALLOWED): The agent default always exists."
    );
    world.ok("main", "/info").await;
}

#[tokio::test]
async fn changes_by_two_topics_at_once_are_both_kept() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    world.store.set_fault(Fault::Hold);
    let home = world.spawn(world.request("agent", "/set-home codex ~/moved"));
    world.store.until_held(1).await;
    world.store.set_fault(Fault::None);
    let boundary = world.spawn(world.request_as("codex", "agent", "/boundary off"));
    tokio::task::yield_now().await;
    world.store.release(1);
    assert!(home.await.unwrap().ok());
    assert!(boundary.await.unwrap().ok());
    let list: serde_json::Value = serde_json::from_str(&world.ok("agent", "/list --json").await).unwrap();
    assert_eq!(list[0]["home"], serde_json::json!(world.home.path().join("moved")));
    assert_eq!(list[0]["boundary"], "off");
    let again: serde_json::Value =
        serde_json::from_str(&world.restart().await.ok("agent", "/list --json").await).unwrap();
    assert_eq!(again, list);
}

#[tokio::test]
async fn policy_is_changed_by_people_only() {
    let world = World::new().await;
    world.ok("agent", "/add codex").await;
    let before = world.ok("agent", "/list --json").await;
    let mut child = std::process::Command::new("cat")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let started = Origin::Process { pid: child.id() };
    let words = [
        "/add other",
        "/use codex",
        "/use codex --local",
        "/set-home ~/x",
        "/set-home default ~/x",
        "/boundary off",
        "/allow ~",
        "/allow --remove ~",
        "/rm codex",
    ];
    for origin in [Origin::Network, started] {
        for word in words {
            let request = runtime::Request { origin, ..world.request_from(world.home.path(), "agent", word) };
            let reply = world.run(request).await;
            assert_eq!(reply.code.unwrap().as_str(), "NOT_ALLOWED", "{origin:?} {word}: {}", reply.content);
        }
        for word in ["/list", "/current", "/boundary", "/allow", "/open"] {
            let reply = world.run(runtime::Request { origin, ..world.request("agent", word) }).await;
            assert!(reply.ok(), "{origin:?} {word}: {}", reply.content);
        }
    }
    drop(child.stdin.take());
    child.wait().unwrap();
    assert_eq!(world.ok("agent", "/list --json").await, before);
    assert!(!world.home.exists(".string/config.json"));
}
