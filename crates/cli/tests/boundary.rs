//! The boundary around what agents start: what it hides from them, and what a change of it does to what runs.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
#![allow(clippy::print_stdout, reason = "what a kernel cannot do is said, and skipped")]

use std::fs;
use std::time::Duration;

use testkit::World;

/// A world that starts processes, if this kernel can hide anything from them.
async fn world() -> Option<World> {
    let world = World::with_program(env!("CARGO_BIN_EXE_string")).await;
    let hides = world.runtime.shells.support().await.unwrap().mounts.is_ok();
    if !hides {
        println!("skipped: mount namespaces are forbidden here");
    }
    hides.then_some(world)
}

/// The content of what another agent's command replies.
async fn reply(world: &World, agent: &str, topic: &str, payload: &str) -> String {
    world.run(world.request_as(agent, topic, payload)).await.content
}

#[tokio::test]
async fn an_agent_without_settings_cannot_make_its_own() {
    let Some(world) = world().await else { return };
    let elsewhere = tempfile::tempdir().unwrap();
    let home = elsewhere.path().join("w2");
    world.ok("agent", &format!("/add w2 --home {}", home.display())).await;
    let plant = "mkdir -p ~/.string; echo '{\"net\":{\"allow\":[\"127.0.0.1\"]}}' > ~/.string/config.json";
    for (topic, payload) in [("main", format!("/exec {plant}")), ("bash:x", plant.to_owned())] {
        let said = reply(&world, "w2", topic, &payload).await;
        assert!(said.contains("Read-only file system"), "{said}");
    }
    assert!(!home.join(".string/config.json").exists());
    // A link could be replaced, so nothing starts beside one.
    fs::remove_dir_all(home.join(".string")).unwrap();
    fs::create_dir(home.join("own")).unwrap();
    std::os::unix::fs::symlink(home.join("own"), home.join(".string")).unwrap();
    let said = reply(&world, "w2", "main", "/exec true").await;
    assert!(said.starts_with("ERROR(NOT_ALLOWED)") && said.contains(".string is a link"), "{said}");
}

#[tokio::test]
async fn what_one_agent_keeps_secret_is_hidden_from_the_others() {
    let Some(world) = world().await else { return };
    let elsewhere = tempfile::tempdir().unwrap();
    let (one, two, allowed) =
        (elsewhere.path().join("one"), elsewhere.path().join("two"), elsewhere.path().join("allowed"));
    fs::create_dir_all(allowed.join(".ssh")).unwrap();
    fs::write(allowed.join(".ssh/id"), "hush").unwrap();
    world.ok("agent", &format!("/add one --home {}", one.display())).await;
    let add = format!("/add two --home {} --allow {}", two.display(), allowed.display());
    world.ok("agent", &add).await;
    for home in [&one, &two, &world.home.path().to_owned()] {
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir_all(home.join(".string")).unwrap();
        fs::write(home.join(".ssh/id"), "hush").unwrap();
        fs::write(home.join(".string/config.json"), "{\"hush\":1}").unwrap();
        fs::write(home.join("open"), "shown\n").unwrap();
    }
    let homes = [&one, &two, &world.home.path().to_owned()].map(|home| home.display().to_string()).join(" ");
    let read = format!("/exec for h in {homes}; do cat $h/.ssh/id $h/.string/config.json $h/open; done");
    for agent in ["default", "one", "two"] {
        let said = reply(&world, agent, "main", &read).await;
        assert!(!said.contains("hush"), "{agent}: {said}");
        assert_eq!(said.matches("shown").count(), 3, "{agent}: {said}");
    }
    let said = reply(&world, "two", "main", &format!("/exec cat {}/.ssh/id", allowed.display())).await;
    assert!(said.starts_with("ERROR(EXIT_1)") && !said.contains("hush"), "{said}");
}

#[tokio::test]
async fn a_live_shell_does_not_see_secrets_that_appear_later() {
    let Some(world) = world().await else { return };
    world.ok("bash:a", "true").await;
    world.ok("main", "/set $KEY = \"hush\"").await;
    world.home.write(".netrc", "hush");
    world.home.write(".aws/credentials", "hush");
    let said = world.say("bash:a", "cat ~/.string/config.json ~/.netrc ~/.aws/credentials").await.content;
    assert!(!said.contains("hush"), "{said}");
    // Long output is still to be read there.
    let said = world.ok("bash:a", "seq 30000 >/dev/null; ls ~/.string").await;
    assert!(said.contains("output"), "{said}");
}

#[tokio::test]
async fn an_app_writes_to_its_own_folder_and_to_nothing_else_of_strings() {
    let Some(world) = world().await else { return };
    world.home.write(".string/tools/x.ts", "");
    assert!(world.ok("app:weather", "/exec touch new && ls").await.ends_with("new"));
    for path in ["output/new", "tools/x.ts", "packages", "config.json"] {
        let said = world.fails("app:weather", &format!("/exec echo x > ~/.string/{path}"), "EXIT_1").await;
        assert!(said.contains("Read-only file system") || said.contains("Permission denied"), "{said}");
    }
}

#[tokio::test]
async fn shells_end_when_their_agent_may_touch_less() {
    let Some(world) = world().await else { return };
    world.ok("bash:a", "mkdir -p proj; cd proj; v=1").await;
    let said = world.ok("agent", "/boundary isolated").await;
    assert_eq!(said, "boundary: isolated\nended: bash:a, which could touch more");
    let said = world.fails("bash:a", "//interrupt", "NOT_FOUND").await;
    assert!(said.contains("It was ended: a person has changed what this agent may touch."), "{said}");
    let said = world.ok("bash:a", "echo \"${v-fresh}\"").await;
    assert_eq!(
        said,
        "exit: 0 | cwd: ~/proj\n---\n(the shell that was here was ended: a person has changed what this agent may touch; \
         this is a fresh one)\nfresh"
    );
    // Less of a boundary ends nothing, and the shell keeps the one it has.
    assert_eq!(world.ok("agent", "/boundary workspace").await, "boundary: workspace");
    let said = world.ok("bash:a", "//info").await;
    assert!(said.contains("boundary:  isolated (a new shell gets: workspace)"), "{said}");
    world.ok("agent", "/boundary off").await;
    world.fails("bash:a", "echo more", "NOT_ALLOWED").await;
    assert!(world.ok("bash:a", "//info").await.contains("boundary:  off"));
}

#[tokio::test]
async fn what_never_had_more_goes_on_when_its_agent_has_less_again() {
    let Some(world) = world().await else { return };
    let more = tempfile::tempdir().unwrap();
    let (allow, remove) =
        (format!("/allow {}", more.path().display()), format!("/allow --remove {}", more.path().display()));
    world.ok("bash:a", "v=kept").await;
    for (wider, narrower) in [("/boundary none", "/boundary workspace"), (allow.as_str(), remove.as_str())] {
        world.ok("agent", wider).await;
        world.ok("bash:b", "true").await;
        let said = world.ok("agent", narrower).await;
        assert!(said.ends_with("\nended: bash:b, which could touch more"), "{said}");
        assert!(world.ok("bash:a", "echo $v").await.ends_with("\nkept"), "{narrower}");
    }
    // What it is left with may in turn be taken away.
    assert!(world.ok("agent", "/boundary isolated").await.ends_with("ended: bash:a, which could touch more"));
}

#[tokio::test]
async fn what_runs_ends_when_its_agent_may_touch_less() {
    let Some(world) = world().await else { return };
    world.ok("bash:a", "true").await;
    let (shell, command) = (
        world.spawn(world.request("bash:a", "mkfifo began; cat began; sleep 1000")),
        world.spawn(world.request("main", "/exec mkfifo gone; cat gone; sleep 1000")),
    );
    for name in ["began", "gone"] {
        let pipe = world.home.path().join(name);
        // Opening it returns once the other side reads.
        let opened = async {
            while !pipe.exists() {
                tokio::task::yield_now().await;
            }
            let pipe = pipe.clone();
            tokio::task::spawn_blocking(move || fs::write(pipe, "")).await.unwrap().unwrap();
        };
        tokio::time::timeout(Duration::from_secs(60), opened).await.unwrap();
    }
    world.ok("agent", "/boundary off").await;
    for running in [shell, command] {
        let reply = running.await.unwrap();
        assert_eq!(reply.code.map(|code| code.as_str()), Some("NOT_ALLOWED"), "{}", reply.content);
    }
}
