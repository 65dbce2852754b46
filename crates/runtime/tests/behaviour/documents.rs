//! Documents: what `/open` means, blocks, history, directories and odd names.

use testkit::World;

const GUIDE: &str = "\
---
title: The Guide
---
# Guide

Intro.

<!-- #setup -->
## Set up

Run it.
<!-- /setup -->

## Naïve Größe
Text.
";

async fn library() -> World {
    let world = World::new().await;
    world.home.write("report.md", "# Report\n");
    world.home.write("docs/guide.md", GUIDE);
    world.home.write("docs/appendix.md", "# Appendix\n");
    world.home.write("docs/deep/note.md", "# Note\n");
    world
}

async fn opens(world: &World, target: &str, location: &str) {
    let content = world.ok("main", &format!("/open {target}")).await;
    assert_eq!(content.lines().next().unwrap(), format!("Opened {location}"), "{target}");
}

#[tokio::test]
async fn bare_paths_start_at_home_and_dots_at_the_document() {
    let world = library().await;
    opens(&world, "docs/guide.md", "~/docs/guide.md").await;
    opens(&world, "./appendix.md", "~/docs/appendix.md").await;
    opens(&world, "report.md", "~/report.md").await;
    opens(&world, "docs/deep/note.md", "~/docs/deep/note.md").await;
    opens(&world, "../guide.md", "~/docs/guide.md").await;
    opens(&world, "../report.md", "~/report.md").await;
    opens(&world, "~/docs/guide.md", "~/docs/guide.md").await;
    let absolute = world.home.path().join("report.md");
    opens(&world, &absolute.display().to_string(), "~/report.md").await;
    opens(&world, "docs/./deep/../guide.md", "~/docs/guide.md").await;
}

#[tokio::test]
async fn a_missing_name_that_exists_beside_the_document_is_hinted() {
    let world = library().await;
    world.fails("main", "/open appendix.md", "NOT_FOUND").await;
    world.ok("main", "/open docs/guide.md").await;
    assert_eq!(
        world.fails("main", "/open appendix.md", "NOT_FOUND").await,
        "ERROR(NOT_FOUND): No such file: ~/appendix.md\n  It exists beside the current document: /open ./appendix.md"
    );
    let content = world.fails("main", "/open deep/note.md", "NOT_FOUND").await;
    assert!(content.ends_with("/open ./deep/note.md"), "{content}");
    assert!(world.ok("main", "/open ./deep/note.md").await.starts_with("Opened ~/docs/deep/note.md"));
    assert!(!world.fails("main", "/open nowhere.md", "NOT_FOUND").await.contains("beside"));
}

#[tokio::test]
async fn a_slip_in_a_name_is_repaired_by_what_lies_near_it() {
    let world = library().await;
    for (typed, hint) in [
        ("/open reprot.md", "Did you mean ~/report.md?"),
        ("/open dosc", "Did you mean ~/docs?"),
        ("/open docs/guid.md", "Did you mean ~/docs/guide.md?"),
        ("/open docs/quite-different.md", "Look around: /ls ~/docs"),
        ("/open nowhere/at/all.md", "Look around: /ls ~/"),
        ("/install reprot.md", "Did you mean ~/report.md?"),
        ("/open report", "Did you mean ~/report.md?"),
        ("/open docs/guide", "Did you mean ~/docs/guide.md?"),
        ("/open report.md:L5", "From that line on: /open ~/report.md --from L5"),
        ("/open report.md:L5-L9", "From that line on: /open ~/report.md --from L5"),
    ] {
        let refused = world.fails("main", typed, "NOT_FOUND").await;
        assert!(refused.ends_with(&format!("\n  {hint}")), "{typed}: {refused}");
    }
    // What cannot be opened is not told.
    std::os::unix::fs::symlink("/etc/passwd", world.home.path().join("passwords.md")).unwrap();
    world.home.write("_netrc", "secret");
    for typed in ["/open pasword.md", "/open netrc"] {
        assert!(!world.fails("main", typed, "NOT_FOUND").await.contains("Did you mean"), "{typed}");
    }
}

#[tokio::test]
async fn a_hint_never_tells_what_lies_outside() {
    let world = library().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "x").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret"), world.home.path().join("docs/there")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("nothing"), world.home.path().join("docs/missing"))
        .unwrap();
    world.ok("main", "/open docs/guide.md").await;
    let there = world.fails("main", "/open there", "NOT_FOUND").await;
    let missing = world.fails("main", "/open missing", "NOT_FOUND").await;
    assert_eq!(there.replace("there", "X"), missing.replace("missing", "X"));
}

#[tokio::test]
async fn a_block_is_shown_alone_and_without_its_markers() {
    let world = library().await;
    let expected = "Opened ~/docs/guide.md#setup\n---\n## Set up\n\nRun it.";
    assert_eq!(world.ok("main", "/open docs/guide.md#setup").await, expected);
    world.ok("main", "/open report.md").await;
    world.ok("main", "/back").await;
    assert_eq!(world.ok("main", "/open #setup").await, expected);
    let reply = world.say("main", "/open #naïve-größe").await;
    assert_eq!(reply.content, "Opened ~/docs/guide.md#naïve-größe\n---\n## Naïve Größe\nText.");
    assert_eq!(reply.meta.current_block.as_deref(), Some("naïve-größe"));
    assert_eq!(reply.meta.uri.as_deref(), Some("~/docs/guide.md"));
    assert_eq!(reply.meta.title.as_deref(), Some("The Guide"));
}

#[tokio::test]
async fn an_unknown_block_is_refused_with_the_known_ones() {
    let world = library().await;
    world.ok("main", "/open report.md").await;
    let content = world.fails("main", "/open docs/guide.md#setpu", "BLOCK_NOT_FOUND").await;
    assert!(
        content.starts_with("ERROR(BLOCK_NOT_FOUND): No block \"#setpu\" in this document."),
        "{content}"
    );
    assert!(content.contains("Did you mean #setup?"), "{content}");
    assert!(content.contains("#setup, ") && content.contains("#guide"), "{content}");
    let info = world.ok("main", "/info").await;
    assert!(info.contains("file:      report.md") && info.contains("history:   0 entries"), "{info}");
    world.fails("main", "/open #x", "BLOCK_NOT_FOUND").await;
    world.fails("other", "/open #x", "NOT_FOUND").await;
}

#[tokio::test]
async fn history_keeps_locations_and_back_returns_to_them() {
    let world = library().await;
    world.fails("main", "/back", "NO_HISTORY").await;
    world.ok("main", "/open docs/guide.md#setup").await;
    world.ok("main", "/open report.md").await;
    world.ok("main", "/open docs/appendix.md").await;
    assert!(world.ok("main", "/info").await.contains("history:   2 entries"));
    assert_eq!(world.ok("main", "/back").await, "Back to ~/report.md\n---\n# Report");
    assert!(world.ok("main", "/info").await.ends_with("history:   1 entry"));
    let content = world.ok("main", "/back").await;
    assert_eq!(content, "Back to ~/docs/guide.md#setup\n---\n## Set up\n\nRun it.");
    assert!(world.fails("main", "/back", "NO_HISTORY").await.starts_with("ERROR(NO_HISTORY): "));
    assert!(world.ok("main", "/info").await.contains("block:     #setup"), "a refused /back changes nothing");
}

#[tokio::test]
async fn a_block_of_the_same_document_is_no_step() {
    let world = library().await;
    world.ok("main", "/open docs/guide.md").await;
    world.ok("main", "/open #setup").await;
    world.ok("main", "/open docs/guide.md#setup").await;
    world.ok("main", "/open docs/guide.md").await;
    assert!(world.ok("main", "/info").await.contains("history:   0 entries"));
}

#[tokio::test]
async fn back_to_a_file_that_is_gone_keeps_the_place_and_leads_further_back() {
    let world = library().await;
    world.ok("main", "/open docs/appendix.md#appendix\n/open report.md\n/open docs/guide.md").await;
    std::fs::remove_file(world.home.path().join("report.md")).unwrap();
    let refused = world.fails("main", "/back", "NOT_FOUND").await;
    assert!(refused.ends_with("\n  /back again leads to ~/docs/appendix.md#appendix"), "{refused}");
    let info = world.ok("main", "/info").await;
    assert!(info.contains("file:      docs/guide.md") && info.contains("history:   1 entry"), "{info}");
    // A part that is gone leaves the rest of its document.
    world.home.write("docs/appendix.md", "# Renamed\n");
    let back = world.ok("main", "/back").await;
    assert_eq!(back, "Back to ~/docs/appendix.md · no section \"#appendix\"\n---\n# Renamed");
    world.ok("main", "/open docs/guide.md").await;
    std::fs::remove_file(world.home.path().join("docs/appendix.md")).unwrap();
    let refused = world.fails("main", "/back", "NOT_FOUND").await;
    assert!(refused.ends_with("There is no other document to go back to."), "{refused}");
    world.fails("main", "/back", "NO_HISTORY").await;
}

#[tokio::test]
async fn a_refresh_shows_what_is_left_when_the_part_is_gone() {
    let world = library().await;
    world.ok("main", "/open docs/guide.md#setup").await;
    world.home.write("docs/guide.md", "# Guide\n");
    let shown = world.ok("main", "/refresh").await;
    assert_eq!(shown, "Refreshed ~/docs/guide.md · no section \"#setup\"\n---\n# Guide");
    assert_eq!(world.ok("main", "/refresh").await, "Refreshed ~/docs/guide.md\n---\n# Guide");
}

#[tokio::test]
async fn a_directory_opens_as_its_index_or_its_listing() {
    let world = library().await;
    std::fs::create_dir(world.home.path().join("empty")).unwrap();
    world.home.write("docs/.hidden", "x");
    assert_eq!(
        world.ok("main", "/open docs/").await,
        "Opened ~/docs/\n---\n- deep/\n- appendix.md\n- guide.md"
    );
    opens(&world, "./appendix.md", "~/docs/appendix.md").await;
    assert_eq!(world.ok("main", "/open empty").await, "Opened ~/empty/\n---\n(empty)");
    world.home.write("docs/index.md", "# Index\n");
    assert_eq!(world.ok("main", "/open docs").await, "Opened ~/docs/index.md\n---\n# Index");
    world.home.write("docs/string.md", "# String\n");
    assert_eq!(world.ok("main", "/open ~/docs/").await, "Opened ~/docs/string.md\n---\n# String");
    world.fails("main", "/open report.md/x", "NOT_FOUND").await;
}

#[tokio::test]
async fn the_directory_opened_last_stays_when_its_page_is_closed() {
    let world = library().await;
    world.ok("main", "/open docs/\n/close").await;
    assert_eq!(
        world.ok("main", "/info").await,
        "Session info\n---\ncwd:       ~/docs/\nfile:      (none open)"
    );
    opens(&world, "./appendix.md", "~/docs/appendix.md").await;
    world.home.write("docs/deep/index.md", "# Deep\n");
    world.ok("main", "/open docs/deep\n/close").await;
    opens(&world, "./note.md", "~/docs/deep/note.md").await;
}

#[tokio::test]
async fn odd_names_open_literally_quoted_or_encoded() {
    let world = World::new().await;
    for name in ["a b.md", "100%.md", "é.md", "a%20b", "C#", "x'y.md", "~tilde.md"] {
        world.home.write(name, "# Odd\n");
    }
    for (target, name) in [
        ("a b.md", "a b.md"),
        ("\"a b.md\"", "a b.md"),
        ("'a b.md'", "a b.md"),
        ("a%20b.md", "a b.md"),
        ("100%.md", "100%.md"),
        ("%C3%A9.md", "é.md"),
        ("é.md", "é.md"),
        ("a%20b", "a%20b"),
        ("C#", "C#"),
        ("x'y.md", "x'y.md"),
        ("~/~tilde.md", "~tilde.md"),
        ("a b.md#odd", "a b.md#odd"),
    ] {
        opens(&world, target, &format!("~/{name}")).await;
    }
}

#[tokio::test]
async fn without_a_document_dots_mean_the_callers_directory_if_it_may_be_reached() {
    let world = library().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("report.md"), "# Outside\n").unwrap();
    let from = async |cwd: &std::path::Path, topic: &str, target: &str| {
        let reply = world.run(world.request_from(cwd, topic, &format!("/open {target}"))).await;
        reply.content.lines().next().unwrap().to_owned()
    };
    let docs = world.home.path().join("docs");
    assert_eq!(from(&docs, "a", "./guide.md").await, "Opened ~/docs/guide.md");
    assert_eq!(from(&docs, "b", "../report.md").await, "Opened ~/report.md");
    assert_eq!(from(outside.path(), "c", "./report.md").await, "Opened ~/report.md");
    let evil = format!("{}-evil", world.home.path().display());
    assert_eq!(
        from(evil.as_ref(), "f", "./report.md").await,
        "Opened ~/report.md",
        "a name alike is not inside"
    );
    assert_eq!(from(&docs, "d", "report.md").await, "Opened ~/report.md", "bare names ignore it");
    assert_eq!(from(&docs.join("deep"), "a", "./appendix.md").await, "Opened ~/docs/appendix.md");
    world.ok("agent", &format!("/allow {}", outside.path().display())).await;
    let shown = format!("Opened {}/report.md", outside.path().display());
    assert_eq!(from(outside.path(), "e", "./report.md").await, shown);
}

#[tokio::test]
async fn nothing_named_is_nothing_opened() {
    let world = World::new().await;
    let content = world.fails("main", "/open", "INVALID_PARAMS").await;
    assert!(content.contains("Usage: /open TARGET"), "{content}");
    world.fails("system", "/open a.md", "COMMAND_UNSUPPORTED").await;
}

#[tokio::test]
async fn the_setup_page_is_shown_while_it_is_needed() {
    let world = World::new().await;
    let env = "---\nenv:\n  - KEY: \"A key\"\n---\n";
    world.home.write("a/named.md", format!("{env}[!requirements](./setup.md#keys)\n# Named\n"));
    world.home.write("a/plain.md", "[!requirements](../set up.md)\n# Plain\n\n`[!requirements](code.md)`\n");
    world.home.write("b/page.md", format!("{env}# Page\n"));
    world.home.write("b/free.md", "# Free\n");
    world.home.write("b/requirements.md", format!("{env}# Get a key\n"));
    let missing = "[env] missing: $KEY — \"A key\" · /set $KEY = \"…\"\n";
    let shown = world.ok("main", "/open a/named.md").await;
    assert_eq!(
        shown,
        format!("Opened ~/a/named.md\n---\n{missing}[requirements] /open ~/a/setup.md#keys\n\n# Named")
    );
    let shown = world.ok("main", "/open a/plain.md").await;
    assert_eq!(
        shown,
        "Opened ~/a/plain.md\n---\n[requirements] /open ~/set up.md\n\n# Plain\n\n`[!requirements](code.md)`"
    );
    let shown = world.ok("main", "/open b/page.md").await;
    assert_eq!(
        shown,
        format!("Opened ~/b/page.md\n---\n{missing}[requirements] /open ~/b/requirements.md\n\n# Page")
    );
    assert_eq!(world.ok("main", "/open b/free.md").await, "Opened ~/b/free.md\n---\n# Free");
    let own = world.ok("main", "/open b/requirements.md").await;
    assert_eq!(own, format!("Opened ~/b/requirements.md\n---\n{missing}\n# Get a key"));
    // What an app says about itself is an error line, and what it names opens in its topic.
    world.ok("main", "/install --app --as shop b/page.md").await;
    world.home.write(
        "c/string.md",
        format!("{}```act.go\nGET http://127.0.0.1:1/\n```\n", env.replace("env", "type: app\nenv")),
    );
    world.home.write("c/requirements.md", "# Here\n");
    world.ok("main", "/install --as shop --force c").await;
    let refused = world.fails("app:shop", "/act.go", "ENV_REQUIRED").await;
    let hints = "ERROR(ENV_REQUIRED): app requires $KEY — \"A key\"\n  /set $KEY = \"…\"\n  What it needs: /open requirements.md";
    assert_eq!(refused, hints);
    assert!(world.ok("app:shop", "/open").await.contains(hints));
    assert!(world.ok("app:shop", "/open requirements.md").await.ends_with("# Here"));
    world.ok("main", "/set $KEY = k").await;
    assert_eq!(world.ok("main", "/open b/page.md").await, "Opened ~/b/page.md\n---\n# Page");
    assert_eq!(world.ok("main", "/open a/named.md").await, "Opened ~/a/named.md\n---\n# Named");
}

#[tokio::test]
async fn flags_alone_mean_the_document_that_is_open() {
    let world = library().await;
    world.fails("main", "/open --outline", "NOT_FOUND").await;
    let outline = world.ok("main", "/open docs/guide.md --outline").await;
    world.ok("main", "/open docs/guide.md").await;
    assert_eq!(world.ok("main", "/open --outline").await, outline);
    assert!(world.ok("main", "/open --from L1").await.starts_with("Opened ~/docs/guide.md"));
    assert!(world.ok("main", "/info").await.contains("history:   0 entries"));
    let unknown = world.fails("main", "/open report.md --lines 1-5", "INVALID_PARAMS").await;
    assert!(unknown.contains("Unknown flag \"--lines\".") && unknown.contains("Usage: /open"), "{unknown}");
    world.ok("main", "/close").await;
    let none = world.fails("empty", "/back", "NO_HISTORY").await;
    assert!(none.contains("No document was open in this topic before."), "{none}");
}

#[tokio::test]
async fn hidden_names_are_listed_as_a_shell_has_it_too() {
    let world = library().await;
    world.home.write(".hidden/.more", "x");
    let all = world.ok("main", "/ls --all").await;
    for command in ["/ls -a", "/ls -la", "/ls -al ~", "/ls ~ -a"] {
        assert_eq!(world.ok("main", command).await, all, "{command}");
    }
    assert!(!world.ok("main", "/ls").await.contains(".hidden"));
}

#[tokio::test]
async fn what_is_too_large_is_refused_with_the_command_that_reads_it() {
    let world = World::new().await;
    world.home.write("all that.md", "line\n".repeat(2_000_000));
    let refused = world.fails("main", "/open all that.md", "LOAD_ERROR").await;
    let command = refused.split_once("part of it: ").unwrap().1.split_once(", or ").unwrap().0;
    assert_eq!(command, "/exec sed -n '1,200p' ~/'all that.md'");
}
