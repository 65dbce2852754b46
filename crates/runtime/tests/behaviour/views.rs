//! `/info`, `/help` and the pages of hubs, whole.

use insta::assert_snapshot;
use runtime::session::HISTORY_MAX;
use testkit::World;

/// The replies to several commands, each under its topic and command, without what differs between runs.
async fn shown(world: &World, asked: &[(&str, &str)]) -> String {
    let mut all = String::new();
    for (topic, payload) in asked {
        let content = world.ok(topic, payload).await;
        let content = content.replace(&world.home.path().display().to_string(), "[home]");
        let lines: Vec<String> = content.lines().map(redacted).collect();
        all.push_str(&format!(">>> {topic} {payload}\n{}\n\n", lines.join("\n")));
    }
    all
}

fn redacted(line: &str) -> String {
    let key = ["pid:", "uptime:", "memory:"].into_iter().find(|key| line.starts_with(key));
    if let Some((address, _token)) = line.split_once("/webhook/wh_") {
        return format!("{address}/webhook/wh_[…]");
    }
    key.map_or_else(|| line.to_owned(), |key| format!("{key:11}[…]"))
}

#[tokio::test]
async fn info_shows_where_a_session_is_and_what_it_holds() {
    let world = World::new().await;
    let page = "---\ntitle: Quarterly Report\n---\n# Report\n\n<!-- #summary -->\nGood.\n<!-- /summary -->\n\n\
                <!-- #open -->\nnever closed\n";
    world.home.write("docs/report.md", page);
    world.home.write("plain.txt", "no heading\n");
    let empty = shown(&world, &[("main", "/info")]).await;
    world.ok("main", "/open plain.txt\n/open docs/report.md#summary").await;
    let rest = [("main", "/info"), ("app:gmail:work", "/info"), ("system", "/info")];
    assert_snapshot!("info", empty + &shown(&world, &rest).await);
}

#[tokio::test]
async fn info_counts_as_many_shortcuts_as_a_page_may_have() {
    let world = World::new().await;
    let count = 50_000;
    world
        .home
        .write("links.md", (0..count).map(|at| format!("[s](https://e.com/{at})\n")).collect::<String>());
    world.ok("main", "/open links.md --outline").await;
    let info = world.ok("main", "/info").await;
    assert!(
        info.contains(&format!(
            "@s, @s-2, @s-3, @s-4, @s-5, @s-6, @s-7, @s-8, @s-9, @s-10, @s-11, @s-12, +{} more",
            count - 12
        )),
        "{info}"
    );
}

#[tokio::test]
async fn thousands_of_actions_leave_room_for_the_page() {
    let world = World::new().await;
    let actions = (0..10_000).map(|at| format!("```act.action-{at}\nGET https://e.com\n```\n"));
    world.home.write("many.md", format!("# Many\n\nThe text of it.\n\n{}", actions.collect::<String>()));
    let page = world.ok("main", "/open many.md").await;
    assert!(
        page.len() <= 64 * 1024 && page.contains("The text of it.") && page.contains("bytes omitted"),
        "{page}"
    );
}

#[tokio::test]
async fn info_shows_whole_paths_outside_the_home() {
    let world = World::new().await;
    let outside = tempfile::tempdir().unwrap();
    let dir = outside.path().display();
    std::fs::write(outside.path().join("out.md"), "# Outside\n").unwrap();
    world.ok("agent", &format!("/allow {dir}")).await;
    world.ok("main", &format!("/open {dir}/out.md")).await;
    let expected = format!(
        "Session info\n---\nfile:      {dir}/out.md\ncwd:       {dir}/\ntitle:     Outside\nhistory:   0 entries"
    );
    assert_eq!(world.ok("main", "/info").await, expected);
}

#[tokio::test]
async fn help_shows_the_commands_of_the_place() {
    let world = World::new().await;
    let help = [("main", "/help"), ("bash:dev", "//help"), ("agent", "/help"), ("system", "/help")];
    assert_snapshot!("help", shown(&world, &help).await);
}

#[tokio::test]
async fn help_explains_one_command() {
    let world = World::new().await;
    let add = "Command: /add\n---\nregister an agent\n\
               Usage: /add ID [--home DIR] [--allow P1,P2] [--boundary B]\nWorks in: the agent hub";
    assert_eq!(world.ok("main", "/help add").await, add);
    assert_eq!(world.ok("main", "/help /ADD").await, add);
    assert_eq!(world.ok("bash:dev", "//help add").await, add);
    let wait = world.ok("bash:dev", "//help /wait").await;
    assert!(wait.starts_with("Command: //wait\n") && wait.contains("\nUsage: //wait [5m]\n"), "{wait}");
    let content = world.fails("bash:dev", "//help opne", "NOT_FOUND").await;
    assert!(content.contains("Did you mean //open?") && content.contains("Try //help"), "{content}");
    let content = world.fails("main", "/help opne", "NOT_FOUND").await;
    assert!(content.contains("Did you mean /open?"), "{content}");
    world.fails("main", "/help open close", "INVALID_PARAMS").await;
}

#[tokio::test]
async fn hubs_show_their_pages() {
    let world = World::new().await;
    let pages = ["agent", "system", "app", "bash", "tool", "event"].map(|hub| (hub, "/open"));
    assert_snapshot!("hubs", shown(&world, &pages).await);
}

#[tokio::test]
async fn a_history_has_an_end() {
    let world = World::new().await;
    for name in ["a", "b", "c"] {
        world.home.write(&format!("{name}.md"), format!("# {name}\n"));
    }
    world.ok("main", "/open c.md").await;
    for _ in 0..HISTORY_MAX / 2 {
        world.ok("main", "/open a.md\n/open b.md").await;
    }
    world.ok("main", "/open a.md").await;
    let info = world.ok("main", "/info").await;
    assert!(info.contains(&format!("history:   {HISTORY_MAX} entries")), "{info}");
    assert!(world.ok("main", "/back").await.starts_with("Back to ~/b.md"));
}
