//! Editing: what becomes of files, and what the agent reads about it.

use std::sync::Arc;

use testkit::World;

const MEETING: &str = "# Notes\n\n<!-- #decisions -->\n## Decisions\n(none yet)\n<!-- /decisions -->\n";

/// The names in a directory of the home.
fn names(world: &World, dir: &str) -> Vec<String> {
    let entries = std::fs::read_dir(world.home.path().join(dir)).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_file_is_created_shown_changed_and_turned_back() {
    let world = World::new().await;
    let made = world.ok("main", &format!("/write ~/notes/meeting.md\n{MEETING}")).await;
    assert_eq!(made, "✓ created ~/notes/meeting.md (6 lines)");
    assert_eq!(world.home.read("notes/meeting.md"), MEETING);

    let source = world.ok("main", "/edit notes/meeting.md").await;
    assert!(source.starts_with("Editing ~/notes/meeting.md\n---\n  1 │ # Notes\n  2 │\n"), "{source}");
    let block = world.ok("main", "/edit notes/meeting.md#decisions").await;
    assert_eq!(block, "Editing ~/notes/meeting.md#decisions\n---\n  4 │ ## Decisions\n  5 │ (none yet)");

    let replaced =
        world.ok("main", "/replace notes/meeting.md#decisions\n## Decisions\n1. April\n2. weekly\n").await;
    let expected = [
        "✓ ~/notes/meeting.md#decisions — Added 2 lines, removed 1 line",
        "",
        "  2  │",
        "  3  │ <!-- #decisions -->",
        "  4  │ ## Decisions",
        "  5 -│ (none yet)",
        "  5 +│ 1. April",
        "  6 +│ 2. weekly",
        "  7  │ <!-- /decisions -->",
    ];
    assert_eq!(replaced, expected.join("\n"));

    let undone = world.ok("main", "/undo").await;
    assert!(undone.starts_with("✓ ~/notes/meeting.md — Reverted last change\n\n"), "{undone}");
    assert!(undone.contains("  5 +│ (none yet)"), "{undone}");
    assert_eq!(world.home.read("notes/meeting.md"), MEETING);
    world.fails("main", "/undo", "NOT_FOUND").await;
    assert_eq!(names(&world, "notes"), ["meeting.md"]);
}

#[tokio::test]
async fn what_a_topic_has_not_read_it_does_not_overwrite() {
    let world = World::new().await;
    world.home.write("a.md", "one\n");
    let refused = world.fails("main", "/write a.md\nmine", "CONFLICT").await;
    assert!(refused.contains("has not read it") && refused.contains("/edit ~/a.md"), "{refused}");
    world.fails("main", "/replace a.md:L1\nmine", "CONFLICT").await;
    world.fails("main", "/edit a.md\nmine", "CONFLICT").await;
    assert_eq!(world.home.read("a.md"), "one\n");

    world.ok("main", "/open a.md").await;
    world.fails("other", "/write a.md\nmine", "CONFLICT").await;
    world.ok("main", "/write a.md\nmine").await;
    world.ok("main", "/write a.md\nmine again").await;

    world.home.write("a.md", "theirs\n");
    let refused = world.fails("main", "/write a.md\nmine", "CONFLICT").await;
    assert!(refused.contains("has changed") && refused.contains("/write ~/a.md --force"), "{refused}");
    assert_eq!(world.home.read("a.md"), "theirs\n");
    world.fails("main", "/undo", "CONFLICT").await;
    assert_eq!(world.home.read("a.md"), "theirs\n");

    world.ok("main", "/write a.md --force\nmine").await;
    world.ok("main", "/undo").await;
    assert_eq!(world.home.read("a.md"), "theirs\n");
    // Going back shows the file, and so does a refresh.
    world.home.write("b.md", "b\n");
    world.ok("main", "/open a.md\n/open b.md").await;
    world.home.write("a.md", "newer\n");
    world.ok("main", "/back").await;
    world.ok("main", "/write a.md\nmine").await;
    world.home.write("a.md", "newest\n");
    world.ok("main", "/refresh\n/replace a.md:L1\nmine").await;
}

#[tokio::test]
async fn a_part_that_was_replaced_unseen_leaves_the_rest_unseen() {
    let world = World::new().await;
    world.home.write("a.md", "one\ntwo\n");
    world.ok("main", "/replace a.md:L1 --force\nmine").await;
    world.fails("main", "/write a.md\nmine", "CONFLICT").await;
    world.ok("main", "/append a.md\nmore").await;
    world.fails("main", "/write a.md\nmine", "CONFLICT").await;
    assert_eq!(world.home.read("a.md"), "mine\ntwo\nmore\n");
    world.ok("main", "/edit a.md").await;
    world.ok("main", "/append a.md\nmore").await;
    world.ok("main", "/write a.md\nmine").await;
}

#[tokio::test]
async fn adding_at_the_end_loses_nothing() {
    let world = World::new().await;
    world.home.write("log.md", "no end");
    world.ok("main", "/append log.md\none").await;
    world.home.write("log.md", world.home.read("log.md") + "theirs\n");
    world.ok("main", "/append log.md\ntwo\n").await;
    assert_eq!(world.home.read("log.md"), "no end\none\ntheirs\ntwo\n");
    assert_eq!(world.ok("main", "/append new/log.md\nx").await, "✓ created ~/new/log.md (1 line)");

    let topics =
        (0..8).map(|n| world.spawn(world.request(&format!("t{n}"), &format!("/append all.md\n{n}"))));
    for reply in topics.collect::<Vec<_>>() {
        let reply = reply.await.unwrap();
        assert!(reply.ok(), "{}", reply.content);
    }
    let all = world.home.read("all.md");
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[tokio::test]
async fn an_undone_creation_is_gone() {
    let world = World::new().await;
    world.ok("main", "/write new.md\na\nb").await;
    world.ok("main", "/open new.md").await;
    let undone = world.ok("main", "/undo").await;
    assert_eq!(undone, "✓ ~/new.md — Reverted last change\n\n  1 -│ a\n  2 -│ b");
    assert!(!world.home.exists("new.md"));
    let warning = "~/new.md was edited and could not be loaded again";
    let reply = world.say("main", "/info").await;
    assert!(reply.meta.warnings[0].starts_with(warning), "{:?}", reply.meta);
    assert!(reply.content.contains(warning), "{}", reply.content);
    world.ok("main", "/write new.md\nagain").await;
    assert!(world.say("main", "/info").await.meta.warnings.is_empty());
}

#[tokio::test]
async fn pages_of_an_edited_file_are_loaded_anew() {
    let world = World::new().await;
    world.home.write("part.md", "old part\n");
    world.home.write("page.md", "# Old\n\n<!-- #b -->\nx\n<!-- /b -->\n\n[!include:p](part.md)\n");
    for topic in ["main", "reader"] {
        world.ok(topic, "/open page.md#b").await;
    }
    world.ok("main", "/edit page.md").await;
    world.ok("main", "/replace page.md:L1\n# New").await;
    for topic in ["main", "reader"] {
        let reply = world.say(topic, "/info").await;
        assert_eq!(reply.meta.title.as_deref(), Some("New"), "{topic}");
        assert_eq!(reply.meta.current_block.as_deref(), Some("b"), "{topic}");
    }
    // The reader was shown nothing of it, so that it may not overwrite it.
    world.fails("reader", "/write page.md\nmine", "CONFLICT").await;

    world.ok("writer", "/append part.md\nnew part").await;
    assert!(world.ok("reader", "/open #p").await.ends_with("old part\nnew part"));
    world.ok("main", "/write page.md\n# Third").await;
    assert_eq!(world.say("reader", "/info").await.meta.current_block, None);
}

#[tokio::test]
async fn an_apps_page_is_loaded_anew_from_its_package() {
    let world = World::new().await;
    world.home.write("shop/string.md", "---\ntype: app\n---\n# Shop\n");
    world.ok("main", "/install shop").await;
    world.ok("app:shop", "/open").await;
    // After so many edits any page counts as edited.
    for n in 0..17 {
        world.ok("main", &format!("/write {n}.md\nx")).await;
    }
    let info = world.ok("app:shop", "/info").await;
    assert!(!info.contains("warnings:"), "{info}");
    let topics = world.ok("main", "/topics").await;
    assert!(topics.contains("current: home"), "{topics}");
}

#[tokio::test]
async fn edits_stay_in_the_workspace() {
    let world = World::new().await;
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), world.home.path().join("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("none"), world.home.path().join("dangling")).unwrap();
    world.home.write("file", "x\n");
    for target in [
        "/etc/string-test",
        "../../../etc/string-test",
        "%2e%2e/string-test",
        "%2e%2e%2fstring-test",
        "out/x.md",
        "out/a/b.md",
        "dangling",
        "dangling/x",
        ".string/config.json",
        "a/.ssh/authorized_keys",
        ".netrc",
        "https://example.com/x.md",
        "file:///etc/string-test",
        "@docs",
        "file/below",
        "~",
    ] {
        for command in ["/write", "/append", "/edit", "/write --force"] {
            let reply = world.say("main", &format!("{command} {target}\nx")).await;
            let code = reply.code.map(|code| code.as_str());
            let told = (target == "file/below" || target == "~") && code.is_some();
            assert!(told || code == Some("INVALID_PATH"), "{command} {target}: {}", reply.content);
        }
    }
    for command in ["/ls out", "/ls /etc", "/log /etc/passwd", "/commit out/x --message x", "/ls .ssh"] {
        world.fails("main", command, "INVALID_PATH").await;
    }
    assert!(std::fs::read_dir(outside.path()).unwrap().next().is_none());
    assert_eq!(names(&world, "."), [".string", "dangling", "file", "out"]);
}

#[tokio::test]
async fn names_may_hold_spaces_and_quotes() {
    let world = World::new().await;
    world.ok("main", "/write my notes.md\na\nb").await;
    world.ok("main", "/replace \"my notes.md\":L1\nx").await;
    world.ok("main", "/replace \"my notes.md:L2\" --force\ny").await;
    world.ok("main", "/append my%20notes.md\nz").await;
    world.ok("main", "/write it's.md\n$& \\1 {x} $HOME").await;
    assert_eq!(world.home.read("my notes.md"), "x\ny\nz\n");
    assert_eq!(world.home.read("it's.md"), "$& \\1 {x} $HOME\n");
    assert_eq!(world.ok("main", "/ls").await, "Listing ~/\n---\nit's.md\nmy notes.md");
    world.ok("main", "/open my notes.md").await;
    world.ok("main", "/replace :L1\nagain").await;
    assert!(world.home.read("my notes.md").starts_with("again\n"));
}

#[tokio::test]
async fn what_cannot_be_done_is_said() {
    let world = World::new().await;
    world.home.write("a.md", MEETING);
    world.home.write("dir/x.md", "x\n");
    world.home.write("binary", b"\xff\xfe\0");
    world.ok("main", "/open a.md").await;
    for (payload, code, words) in [
        ("/write", "INVALID_PARAMS", "PATH is missing"),
        ("/write new.md", "INVALID_PARAMS", "The text is missing"),
        ("/append new.md", "INVALID_PARAMS", "The text is missing"),
        ("/replace a.md:L1", "INVALID_PARAMS", "The text is missing"),
        ("/edit", "INVALID_PARAMS", "Usage: /edit PATH"),
        ("/write a.md --frce\nx", "INVALID_PARAMS", "Did you mean --force?"),
        ("/replace a.md\nx", "INVALID_PARAMS", "/write PATH"),
        ("/append a.md#decisions\nx", "INVALID_PARAMS", "/replace PATH#BLOCK"),
        ("/replace a.md#decisions:L2\nx", "INVALID_PARAMS", "name one of them"),
        ("/replace a.md:L3-L2\nx", "INVALID_PARAMS", "L3-L2"),
        ("/replace a.md:L7\nx", "LINE_OUT_OF_RANGE", "has 6 lines"),
        ("/replace a.md#nope\nx", "BLOCK_NOT_FOUND", "#decisions"),
        ("/edit a.md#nope", "BLOCK_NOT_FOUND", "#decisions"),
        ("/edit none.md", "NOT_FOUND", "/write ~/none.md"),
        ("/replace none.md:L1\nx", "NOT_FOUND", "/write ~/none.md"),
        ("/write new/\nx", "INVALID_PARAMS", "slash"),
        ("/write dir\nx", "INVALID_PATH", "/ls ~/dir"),
        ("/edit binary", "LOAD_ERROR", "not UTF-8"),
        ("/append binary\nx", "LOAD_ERROR", "not UTF-8"),
        ("/ls a.md", "INVALID_PARAMS", "/open ~/a.md"),
        ("/ls none", "NOT_FOUND", "~/none"),
        ("/log none.md", "NOT_FOUND", "~/none.md"),
        ("/commit none.md --message x", "NOT_FOUND", "~/none.md"),
        ("/commit a.md", "INVALID_PARAMS", "--message"),
        ("/commit a.md#decisions --message x", "INVALID_PARAMS", "Leave out #decisions"),
    ] {
        let error = world.fails("main", payload, code).await;
        assert!(error.contains(words), "{payload}: {error}");
    }
    assert_eq!(world.home.read("a.md"), MEETING);
    assert_eq!(names(&world, "."), [".string", "a.md", "binary", "dir"]);
    let large = format!("/write large.md\n{}", "x".repeat(8 * 1024 * 1024));
    world.fails("main", &large, "INVALID_PARAMS").await;
    let half = "x".repeat(5 * 1024 * 1024);
    world.home.write("half.md", &half);
    world.fails("main", &format!("/append half.md\n{half}"), "INVALID_PARAMS").await;
    assert_eq!(world.home.read("half.md").len(), half.len());
    world.fails("bash", "/write a.md\nx", "COMMAND_UNSUPPORTED").await;
    world.ok("main", "/write binary --force\ntext").await;
    assert_eq!(world.home.read("binary"), "text\n");
    assert_eq!(world.ok("main", "/write binary\ntext").await, "✓ ~/binary — No changes");
}

#[tokio::test]
async fn a_directory_is_listed_without_surprises() {
    let world = World::new().await;
    for name in ["docs/b.md", "docs/a.md", "docs/sub/x.md", "docs/.hidden", "docs/line\nbreak\u{1b}[31m"] {
        world.home.write(name, "x");
    }
    let listing = "Listing ~/docs/\n---\nsub/\na.md\nb.md\nline\\nbreak\\u{1b}[31m";
    assert_eq!(world.ok("main", "/ls docs").await, listing);
    assert_eq!(world.ok("main", "/ls docs/").await, listing);
    assert!(world.ok("main", "/ls docs --all").await.contains("\n.hidden\n"));
    world.ok("main", "/open docs/a.md").await;
    assert_eq!(world.ok("main", "/ls").await, listing);
    assert_eq!(world.ok("main", "/ls ..").await, "Listing ~/\n---\ndocs/");
    let opened = world.ok("main", "/open docs/").await;
    assert!(opened.contains("- line\\nbreak\\u{1b}[31m"), "{opened}");
    assert_eq!(world.ok("main", "/ls docs/sub/../../docs/sub").await, "Listing ~/docs/sub/\n---\nx.md");
}

#[tokio::test]
async fn two_topics_never_lose_each_others_words() {
    let world = Arc::new(World::new().await);
    world.home.write("a.md", "start\n");
    for topic in ["one", "two"] {
        world.ok(topic, "/edit a.md").await;
    }
    let edits =
        ["one", "two"].map(|topic| world.spawn(world.request(topic, &format!("/write a.md\n{topic}"))));
    let mut won = Vec::new();
    for (topic, reply) in ["one", "two"].into_iter().zip(edits) {
        let reply = reply.await.unwrap();
        match reply.code {
            None => won.push(topic),
            Some(code) => assert_eq!(code.as_str(), "CONFLICT", "{}", reply.content),
        }
    }
    assert_eq!(won.len(), 1);
    assert_eq!(world.home.read("a.md"), format!("{}\n", won[0]));
}

/// Each ```string block of the page is sent, and the ```reply block below it is what must come back.
#[tokio::test]
async fn the_examples_of_the_documentation_are_true() {
    let page = include_str!("../../../../docs/editing.md");
    let world = World::new().await;
    let mut sent: Option<String> = None;
    let mut checked = 0;
    for fence in page.split("\n```").collect::<Vec<_>>().chunks(2).filter_map(|pair| pair.get(1)) {
        let (kind, text) = fence.split_once('\n').unwrap();
        match kind {
            "string" => {
                let request = text.strip_prefix("<𝒞=string:").unwrap().strip_suffix("\n</𝒞>").unwrap();
                let (topic, payload) = request.split_once(">\n").unwrap();
                sent = Some(world.say(topic, payload).await.content);
            }
            "reply" => {
                assert_eq!(sent.take().as_deref(), Some(text));
                checked += 1;
            }
            other => panic!("a block of another kind: {other}"),
        }
    }
    assert!(checked >= 8);
}

#[tokio::test]
async fn a_part_that_was_shown_again_may_be_replaced() {
    let world = World::new().await;
    world.home.write("fc.md", "# F\n\n<!-- #one -->\nold\n<!-- /one -->\n");
    for (at, look) in ["/open #one", "/source"].into_iter().enumerate() {
        world.ok("f2", "/open fc.md").await;
        world.ok("f1", "/edit fc.md#one").await;
        world.ok("f1", &format!("/replace fc.md#one\nnew {at}")).await;
        world.fails("f2", "/replace fc.md#one\nmine", "CONFLICT").await;
        assert!(world.ok("f2", look).await.contains(&format!("new {at}")));
        world.ok("f2", "/replace fc.md#one\nmine").await;
    }
}

#[tokio::test]
async fn a_name_that_looks_like_a_part_is_found_as_open_finds_it() {
    let world = World::new().await;
    for name in ["c#.md", "a:L1", "both", "both#x"] {
        world.home.write(name, "one\n");
    }
    for name in ["c#.md", "a:L1"] {
        assert!(world.ok("main", &format!("/open {name}")).await.starts_with(&format!("Opened ~/{name}\n")));
        let shown = world.ok("main", &format!("/edit {name}")).await;
        assert!(shown.starts_with(&format!("Editing ~/{name}\n")), "{shown}");
        world.ok("main", &format!("/write {name}\ntwo")).await;
        world.ok("main", &format!("/append {name}\nthree")).await;
        assert_eq!(world.home.read(name), "two\nthree\n");
        world.ok("main", &format!("/commit {name} --message kept")).await;
        assert!(world.ok("main", &format!("/log {name}")).await.contains("kept"));
    }
    // A file that has the part, or could have it, is meant first; a new one is not made of a part.
    world.fails("main", "/edit both#x", "BLOCK_NOT_FOUND").await;
    let missing = world.fails("main", "/write new#part.md\nx", "NOT_FOUND").await;
    assert!(missing.contains("No such file: ~/new"), "{missing}");
    let folder = world.fails("main", "/write sub/\nx", "INVALID_PARAMS").await;
    assert!(folder.ends_with("Name a file in it: /write PATH/NAME"), "{folder}");
}
