//! Names as they are typed: quotes, flags, nothing at all, and the commands that replies print.

use testkit::{Web, World};

/// A line that is long enough for a few hundred of them not to fit into a reply.
fn long_text() -> String {
    (1..=2000).map(|line| format!("Line {line} {}\n\n", "word ".repeat(20))).collect()
}

#[tokio::test]
async fn nothing_in_quotes_is_no_path() {
    let world = World::new().await;
    world.home.write("victim.md", "mine\n");
    world.ok("main", "/open victim.md").await;
    for blank in ["", "\"\"", "''", "\" \""] {
        for command in
            ["/write {}\nx", "/edit {}\nx", "/edit {}", "/append {}\nx", "/replace {}\nx", "/log {}"]
        {
            let command = command.replace("{}", blank);
            let refused = world.fails("main", &command, "INVALID_PARAMS").await;
            assert!(refused.contains("PATH is missing."), "{command}: {refused}");
        }
        let refused = world.fails("main", &format!("/commit {blank} --message x"), "INVALID_PARAMS").await;
        assert!(refused.contains("PATH is missing."), "{blank}: {refused}");
        let refused = world.fails("main", &format!("/open {blank}"), "INVALID_PARAMS").await;
        assert!(refused.contains("Nothing to open was named."), "{blank}: {refused}");
    }
    for blank in ["\"\"", "''", "\" \""] {
        let refused = world.fails("main", &format!("/ls {blank}"), "INVALID_PARAMS").await;
        assert!(refused.contains("PATH is missing."), "{blank}: {refused}");
    }
    world.ok("main", "/set {none} = \"\"").await;
    world.fails("main", "/open {none}", "INVALID_PARAMS").await;
    assert_eq!(world.home.read("victim.md"), "mine\n");
    // Lines and blocks need no name: those of the open document are meant.
    world.ok("main", "/replace :L1\nours").await;
    assert_eq!(world.home.read("victim.md"), "ours\n");
}

#[tokio::test]
async fn a_part_may_stand_behind_the_quotes() {
    let world = World::new().await;
    world.home.write("q f.md", "# Top\n\n<!-- #b -->\nBlock.\n<!-- /b -->\n");
    world.ok("main", "/commit \"q f.md\" --message first").await;
    for (typed, shown) in [
        ("/open \"q f.md\"#b", "Opened ~/q f.md#b"),
        ("/open 'q f.md'#b --outline", "Opened ~/q f.md#b"),
        ("/open \"q f.md\"@c1", "Opened ~/q f.md@c1"),
        ("/open \"q f.md\"@c1#b", "Opened ~/q f.md@c1#b"),
        ("/edit \"q f.md\"#b", "Editing ~/q f.md#b"),
        ("/edit \"q f.md\":L1", "Editing ~/q f.md:L1"),
        ("/open --edit \"q f.md\"#b", "Editing ~/q f.md#b"),
        ("/open q f.md --edit", "Editing ~/q f.md"),
    ] {
        let reply = world.ok("main", typed).await;
        assert_eq!(reply.lines().next(), Some(shown), "{typed}");
    }
}

#[tokio::test]
async fn commands_in_replies_run_as_they_are_printed() {
    let world = World::new().await;
    for name in ["cost $US.md", "brace {v2}.md", "x --outline", "y --force", "it's plain.md"] {
        world.home.write(name, long_text());
        let opened = world.ok("main", &format!("/open '{name}'")).await;
        let (_, ways_on) = opened.rsplit_once("\n\n… ").unwrap();
        let mut commands = ways_on.split(" · ").skip(1);
        let (on, outline) = (commands.next().unwrap(), commands.next().unwrap());
        assert!(on.contains(" --from L") && outline.ends_with(" --outline"), "{ways_on}");
        world.ok("main", on).await;
        world.ok("main", outline).await;
        let source = world.ok("main", &format!("/edit '{name}'")).await;
        let (_, on) = source.rsplit_once(" · ").unwrap();
        let next = world.ok("main", on).await;
        assert!(next.starts_with(&format!("Editing ~/{name}:L")), "{on}: {next}");
    }
    let plain = world.ok("main", "/open it's plain.md").await;
    assert!(plain.contains(" · /open ~/it's plain.md --from L"), "what is clear has no quotes");
    let refused = world.fails("other", "/write 'cost $US.md'\nx", "CONFLICT").await;
    for command in ["/edit '~/cost $US.md'", "/write '~/cost $US.md' --force"] {
        assert!(refused.contains(command), "{refused}");
    }
}

#[tokio::test]
async fn a_file_is_the_same_under_all_its_names() {
    let world = World::new().await;
    let home = world.home.path();
    world.home.write("real/two.md", "one\n");
    world.home.write("real/part.md", "part\n");
    world.home.write("real/menu.md", "[@a A](a.md)\n");
    std::os::unix::fs::symlink("real/two.md", home.join("lnk.md")).unwrap();
    std::os::unix::fs::symlink("real", home.join("dir")).unwrap();
    world.home.write("whole.md", "[!nav:m](dir/menu.md)\n[!include:p](dir/part.md)\n");
    // What one topic writes under one name, the others show under theirs.
    for (topic, name) in [("a", "real/two.md"), ("b", "lnk.md"), ("c", "dir/two.md"), ("whole", "whole.md")] {
        world.ok(topic, &format!("/open {name}")).await;
    }
    for (topic, name, text) in [("a", "real/two.md", "first"), ("b", "lnk.md", "second")] {
        world.ok(topic, &format!("/write {name} --force\n{text}")).await;
        for topic in ["a", "b", "c"] {
            assert!(world.ok(topic, "/source").await.ends_with(&format!("\n{text}")), "{topic}: {text}");
        }
    }
    world.ok("b", "/undo").await;
    assert!(world.ok("c", "/source").await.ends_with("\nfirst"));
    world.ok("a", "/write real/part.md --force\nnew part").await;
    assert!(world.ok("whole", "/open #p").await.ends_with("new part"));
    world.ok("a", "/write real/menu.md --force\n[@b B](b.md)").await;
    assert!(world.ok("whole", "/nav m").await.contains("[@m.b]"));
    // What was read under one name may be written under another.
    world.home.write("real/r.md", "read\n");
    world.fails("d", "/write real/r.md\nmine", "CONFLICT").await;
    world.ok("d", "/open dir/r.md").await;
    world.ok("d", "/write real/r.md\nmine").await;
    world.ok("d", "/write dir/r.md\nmine again").await;
    world.ok("e", "/edit dir/r.md").await;
    world.ok("e", "/write real/r.md\ntheirs").await;
    world.fails("d", "/write dir/r.md\nmine", "CONFLICT").await;
}

#[tokio::test]
async fn beside_a_page_from_the_web_names_start_where_commands_run() {
    let (world, web) = (World::new().await, Web::start().await);
    web.page("/a.md", "text/markdown", "# A\n");
    world.home.write("docs/sub/x.md", "# X\n");
    world.ok("main", &format!("/open {}", web.url("/a.md"))).await;
    assert_eq!(world.ok("main", "/ls").await, "Listing ~/\n---\ndocs/");
    world.ok("main", &format!("/open docs/\n/open {}", web.url("/a.md"))).await;
    assert_eq!(world.ok("main", "/ls").await, "Listing ~/docs/\n---\nsub/");
    assert_eq!(world.ok("main", "/ls ./sub").await, "Listing ~/docs/sub/\n---\nx.md");
}

#[tokio::test]
async fn what_a_list_leaves_out_is_said() {
    let world = World::new().await;
    let blocks: String = (0..40).map(|n| format!("## Part {n}\n\n<!-- #open{n} -->\n\n")).collect();
    world.home.write("many.md", format!("<!-- #a -->\n## A\n<!-- /a -->\n{blocks}"));
    for command in ["/open many.md#none", "/edit many.md#none"] {
        let refused = world.fails("main", command, "BLOCK_NOT_FOUND").await;
        assert!(refused.contains("Blocks: #a, #part-0, "), "{refused}");
        assert!(refused.ends_with("#part-28, +11 more · /open ~/many.md --outline"), "{refused}");
    }
    for number in 0..2100 {
        world.home.write(&format!("big {{x}}/f{number:04}"), "");
    }
    let mut listed = Vec::new();
    let mut next = Some("/ls 'big {x}'".to_owned());
    while let Some(command) = next {
        let list = world.ok("main", &command).await;
        let names = list.strip_prefix("Listing ~/big {x}/\n---\n").unwrap();
        next = names.rsplit_once(" more · ").map(|(_, command)| command.to_owned());
        listed.extend(names.lines().filter(|line| !line.starts_with('…')).map(str::to_owned));
    }
    assert_eq!((listed.len(), listed.is_sorted()), (2100, true));
    for command in ["/ls --from 2101 'big {x}'", "/ls --from", "/ls --from x", "/ls --from 0"] {
        world.fails("main", command, "INVALID_PARAMS").await;
    }
    world.home.write("wrong.md", "[!nav:A](x.md)\n".repeat(150));
    world.ok("main", "/open wrong.md").await;
    let info = world.ok("main", "/info").await;
    assert!(info.ends_with("or a path, more than 100: the others are left out"), "{info}");
}
