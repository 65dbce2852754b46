//! Named versions of files: kept, listed, opened.

use testkit::{Fault, World};

#[tokio::test]
async fn versions_are_kept_and_listed() {
    let world = World::new().await;
    world.home.write("a.md", "one\n");
    let none = world.ok("main", "/log a.md").await;
    assert!(none.contains("(none yet)") && none.contains("/commit ~/a.md"), "{none}");
    assert_eq!(
        world.ok("main", "/commit a.md --message \"first draft\"").await,
        "✓ committed ~/a.md@c1 (4 B)"
    );
    let same = world.ok("main", "/commit a.md --message again").await;
    assert_eq!(same, "✓ ~/a.md — Nothing changed since c1: first draft");
    world.clock.advance(std::time::Duration::from_secs(60));
    world.ok("main", "/append a.md\ntwo").await;
    world.ok("other", "/commit ./a.md --message second").await;
    let log = world.ok("main", "/log a.md").await;
    let expected = [
        "Versions of ~/a.md",
        "---",
        "c2  2024-01-02 03:05:05Z  8 B  second",
        "c1  2024-01-02 03:04:05Z  4 B  first draft",
    ];
    assert_eq!(log, expected.join("\n"));

    // They outlive the file.
    std::fs::remove_file(world.home.path().join("a.md")).unwrap();
    assert_eq!(world.ok("main", "/log a.md").await, expected.join("\n"));
}

#[tokio::test]
async fn a_version_opens_as_a_page_that_cannot_be_changed() {
    let world = World::new().await;
    world.home.write("docs/a.md", "# A\n\nold [next](./b.md), [@top up](#a)\n\n## Part\n\nold part\n");
    world.ok("main", "/commit docs/a.md --message first").await;
    world.ok("main", "/open docs/a.md").await;
    world.ok("main", "/write docs/a.md\n# A\n\nnew").await;
    world.ok("main", "/commit docs/a.md --message second").await;

    let old = world.ok("main", "/open docs/a.md@c1").await;
    assert!(old.starts_with("Opened ~/docs/a.md@c1\n---\n# A\n\nold"), "{old}");
    let info = world.ok("main", "/info").await;
    assert!(info.contains("file:      docs/a.md@c1\ncwd:       ~/docs/\n"), "{info}");
    assert!(info.contains("history:   1 entry"), "{info}");
    let part = world.ok("main", "/open docs/a.md@c1#part").await;
    assert_eq!(part, "Opened ~/docs/a.md@c1#part\n---\n## Part\n\nold part");
    assert!(world.ok("main", "/open @top").await.starts_with("Opened ~/docs/a.md@c1#a\n---\n# A"));
    world.fails("main", "/replace #part\nnew", "INVALID_PATH").await;
    world.fails("main", "/open docs/a.md@c1#nope", "BLOCK_NOT_FOUND").await;
    assert!(world.ok("main", "/source").await.contains("old part"));

    // The file goes its own way, and is gone at last.
    world.ok("other", "/append docs/a.md\nmore").await;
    assert!(world.ok("main", "/refresh").await.starts_with("Refreshed ~/docs/a.md@c1#a\n---\n# A\n\nold"));
    std::fs::remove_file(world.home.path().join("docs/a.md")).unwrap();
    assert!(world.ok("main", "/open ./a.md@c2").await.ends_with("# A\n\nnew"));
    assert!(world.ok("main", "/back").await.starts_with("Back to ~/docs/a.md@c1#a\n"));
}

#[tokio::test]
async fn a_version_that_is_not_there_names_those_that_are() {
    let world = World::new().await;
    world.home.write("a.md", "one\n");
    let none = world.fails("main", "/open a.md@c1", "NOT_FOUND").await;
    assert!(none.contains("No version c1 of ~/a.md.") && none.contains("/commit ~/a.md"), "{none}");
    world.ok("main", "/commit a.md --message first").await;
    let missing = world.fails("main", "/open a.md@c3", "NOT_FOUND").await;
    assert!(missing.contains("No version c3 of ~/a.md.\n  Versions: c1 · /log ~/a.md"), "{missing}");
    let missing = world.fails("main", "/open b.md@c1", "NOT_FOUND").await;
    assert!(missing.contains("~/b.md@c1"), "{missing}");
    world.fails("main", "/open /etc/passwd@c1", "INVALID_PATH").await;
    // A file of that very name comes first, and links lead to versions too.
    world.home.write("links.md", "[@old Old](a.md@c1)\n");
    world.ok("main", "/open links.md").await;
    assert_eq!(world.ok("main", "/open @old").await, "Opened ~/a.md@c1\n---\none");
    world.home.write("a.md@c1", "literal\n");
    assert_eq!(world.ok("main", "/open a.md@c1").await, "Opened ~/a.md@c1\n---\nliteral");
}

#[tokio::test]
async fn a_full_disk_keeps_no_half_of_a_version() {
    let world = World::new().await;
    world.home.write("a.md", "one\n");
    world.store.set_fault(Fault::Full);
    let error = world.fails("main", "/commit a.md --message first", "LOAD_ERROR").await;
    assert!(error.contains("Nothing was changed"), "{error}");
    world.store.set_fault(Fault::None);
    assert!(world.ok("main", "/log a.md").await.contains("(none yet)"));
    assert!(world.ok("main", "/commit a.md --message first").await.contains("@c1"));
}

#[tokio::test]
async fn a_version_is_not_hidden_by_a_file_of_its_name() {
    let world = World::new().await;
    world.home.write("a.md", "old\n");
    world.ok("main", "/commit a.md --message first").await;
    for command in ["/edit a.md@c1", "/edit a.md@c1\nx", "/write a.md@c1\nx", "/append a.md@c1\nx"] {
        let error = world.fails("main", command, "INVALID_PATH").await;
        assert!(error.contains("/open ~/a.md@c1") && error.contains("/write ~/a.md"), "{error}");
    }
    assert!(!world.home.exists("a.md@c1"));
    // What is no version is a name like any other.
    world.ok("main", "/write b.md@c1\nx").await;
    world.ok("main", "/write b.md@c1 --force\ny").await;
}
