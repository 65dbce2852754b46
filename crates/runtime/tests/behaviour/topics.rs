//! Topics: their grammar, the canonical one that `/open` leads to, and several commands in one payload.

use testkit::World;

fn topic(reply: &runtime::Reply) -> String {
    reply.topic.as_ref().map(ToString::to_string).unwrap_or_default()
}

async fn open_topics(world: &World) -> Vec<String> {
    let agent = world.runtime.agents.named("default").unwrap();
    world.runtime.sessions.of(&agent.id).list().iter().map(|session| session.topic.to_string()).collect()
}

#[tokio::test]
async fn a_malformed_topic_creates_nothing() {
    let world = World::new().await;
    let long = "x".repeat(256);
    let table = [
        "intro.md",
        "my session",
        "app:",
        "app::x",
        "app:a:b:c",
        "bash:",
        "bash:a:b",
        "ftp:x",
        "file:",
        "file:app",
        "../x",
        "app:../x",
        "app:x:..",
        "bash:..",
        "%2e%2e",
        "a/b",
        "a\0b",
        "a\nb",
        "é",
        "main:",
        &long,
    ];
    for text in table {
        let reply = world.say(text, "/info").await;
        assert_eq!(reply.code.unwrap().as_str(), "INVALID_TARGET", "{text:?}");
        assert_eq!(reply.topic, None, "{text:?}");
        assert!(reply.content.starts_with("ERROR(INVALID_TARGET): Not a topic: \""), "{}", reply.content);
        assert!(
            reply.content.contains("app:gmail:work") && reply.content.contains("system"),
            "{}",
            reply.content
        );
    }
    assert!(open_topics(&world).await.is_empty());
}

#[tokio::test]
async fn a_wrong_command_or_agent_creates_nothing() {
    let world = World::new().await;
    world.fails("main", "/frobnicate", "COMMAND_UNSUPPORTED").await;
    world.fails("main", "/topics web", "INVALID_PARAMS").await;
    world.fails("main", "/open app:a b", "INVALID_TARGET").await;
    for (agent, code) in [("nobody", "NOT_FOUND"), ("no body", "INVALID_PARAMS"), ("../x", "INVALID_PARAMS")]
    {
        let reply = world.run(world.request_as(agent, "main", "/info")).await;
        assert_eq!(reply.code.unwrap().as_str(), code, "{agent}");
        assert!(reply.content.contains("Known agents: default"), "{}", reply.content);
    }
    assert!(open_topics(&world).await.is_empty());
}

#[tokio::test]
async fn a_near_miss_of_an_agent_is_named() {
    let world = World::new().await;
    let reply = world.run(world.request_as("defualt", "main", "/info")).await;
    assert!(reply.content.contains("Did you mean default?"), "{}", reply.content);
}

#[tokio::test]
async fn the_reply_carries_the_canonical_topic() {
    let world = World::new().await;
    for (given, canonical) in [("", "main"), ("  main ", "main"), ("file:notes", "notes"), ("Main", "Main")] {
        assert_eq!(topic(&world.say(given, "/info").await), canonical, "{given:?}");
    }
    assert_eq!(open_topics(&world).await, ["main", "notes", "Main"]);
}

#[tokio::test]
async fn opening_a_hub_runs_there_and_leaves_the_caller_untouched() {
    let world = World::new().await;
    world.home.write("a.md", "# A\n");
    world.ok("main", "/open a.md").await;
    let reply = world.say("main", "/open system").await;
    assert_eq!(topic(&reply), "system");
    assert!(reply.content.starts_with("System\n---\n"), "{}", reply.content);
    assert!(world.ok("main", "/info").await.contains("file:      a.md"));
    let reply = world.say("fresh", "/open agent").await;
    assert_eq!(topic(&reply), "agent");
    assert_eq!(open_topics(&world).await, ["main", "system", "agent"], "the caller's topic was not used");
}

#[tokio::test]
async fn only_the_whole_word_is_another_topic() {
    let world = World::new().await;
    for name in ["app-notes.md", "agent.md", "systems", "App"] {
        world.home.write(name, "# Text\n");
        let reply = world.say("main", &format!("/open {name}")).await;
        assert_eq!(topic(&reply), "main", "{name}");
        assert!(reply.content.starts_with(&format!("Opened ~/{name}\n")), "{}", reply.content);
    }
    assert_eq!(open_topics(&world).await, ["main"]);
}

#[tokio::test]
async fn one_payload_may_mix_its_own_topic_and_others() {
    let world = World::new().await;
    world.home.write("a.md", "# A\n");
    let reply = world.say("main", "/open a.md\n/open agent\n\n//info\n").await;
    assert!(reply.ok(), "{}", reply.content);
    assert_eq!(topic(&reply), "main", "a mixed reply belongs to the caller");
    let parts = ["Opened ~/a.md\n---\n# A\n\nAgents: 1\n---\n", "\n\nSession info\n---\nfile:      a.md\n"];
    assert!(reply.content.starts_with(parts[0]), "{}", reply.content);
    assert!(reply.content.contains(parts[1]), "{}", reply.content);
    assert_eq!(reply.meta.uri.as_deref(), Some("~/a.md"));
    let reply = world.say("main", "/open system\n/open system").await;
    assert_eq!(topic(&reply), "system", "a reply from one topic as a whole carries that one");
}

#[tokio::test]
async fn the_first_error_stops_the_rest_and_says_what_was_not_run() {
    let world = World::new().await;
    world.home.write("a.md", "# A\n");
    let reply = world.say("main", "/open a.md\n/open gone.md\n/open agent\n/close").await;
    assert_eq!(reply.code.unwrap().as_str(), "NOT_FOUND");
    assert_eq!(
        reply.content,
        "Opened ~/a.md\n---\n# A\n\n\
         ERROR(NOT_FOUND): No such file: ~/gone.md\n  Look around: /ls ~/\n  Not run: /open agent\n  Not run: /close"
    );
    assert!(world.ok("main", "/info").await.contains("file:      a.md"), "the document is still open");
    assert_eq!(open_topics(&world).await, ["main"]);
}

#[tokio::test]
async fn stray_text_means_that_nothing_runs() {
    let world = World::new().await;
    world.home.write("a.md", "# A\n");
    for payload in ["/open a.md\nplease", "/open a.md\n/info\n  x", "/open a.md\n/open agent\n# text"] {
        let content = world.fails("main", payload, "INVALID_PARAMS").await;
        assert!(content.contains("Nothing was run."), "{content}");
    }
    assert!(open_topics(&world).await.is_empty());
}

#[tokio::test]
async fn a_later_command_that_is_wrong_fails_in_its_turn() {
    let world = World::new().await;
    world.home.write("a.md", "# A\n");
    let content = world.fails("main", "/open a.md\n/opne b.md\n/topics tab", "COMMAND_UNSUPPORTED").await;
    assert_eq!(
        content,
        "Opened ~/a.md\n---\n# A\n\n\
         ERROR(COMMAND_UNSUPPORTED): Unknown command \"/opne\".\n  Did you mean /open?\n  \
         Try /help for the commands valid here.\n  Not run: /topics tab"
    );
    let content = world.fails("main", "/close\n/info too many\n/open a.md", "INVALID_PARAMS").await;
    assert!(content.starts_with("Closed: ~/a.md\n\nERROR(INVALID_PARAMS): "), "{content}");
    assert!(content.ends_with("\n  Not run: /open a.md"), "{content}");
    let content = world.fails("other", "/bogus\n/info\n/opne x", "COMMAND_UNSUPPORTED").await;
    assert!(content.ends_with("\n  Not run: /info\n  Not run: /opne …"), "{content}");
    assert_eq!(open_topics(&world).await, ["main"], "a first command that is wrong creates nothing");
}

#[tokio::test]
async fn text_without_a_slash_is_refused() {
    let world = World::new().await;
    for payload in ["hello", "", " \n ", "open a.md", "-/info"] {
        let content = world.fails("main", payload, "COMMAND_UNSUPPORTED").await;
        assert!(content.contains("/help"), "{content}");
    }
}

#[tokio::test]
async fn command_words_ignore_case_and_arguments_do_not() {
    let world = World::new().await;
    world.home.write("A.md", "# A\n");
    world.ok("main", "/OPEN A.md").await;
    world.ok("main", "//Info").await;
    world.fails("main", "/open a.md", "NOT_FOUND").await;
    world.fails("main", "/topics TAB", "INVALID_PARAMS").await;
}
