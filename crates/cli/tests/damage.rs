//! A store that is damaged, and the way back: what the binary says, and what a backup is good for.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;

use rustix::process::Signal;
use support::World;

/// The text of a command that must succeed.
fn ok(world: &World, words: &[&str]) -> String {
    let run = world.run(words);
    assert_eq!(run.code, Some(0), "{words:?}: {run:?}");
    run.out
}

#[test]
fn a_damaged_store_is_named_left_alone_and_replaced_by_a_backup() {
    let world = World::new();
    let store = world.root().join("store/string.db");
    ok(&world, &["system", "state", "put", "profile", "k.a", "\"kept\""]);
    let made = ok(&world, &["system", "state", "backup", "copy.db"]);
    assert!(
        made.contains(&format!(
            "Backed up all of durable state to {}",
            world.home().join("copy.db").display()
        )),
        "{made}"
    );
    let later = ok(&world, &["system", "state", "put", "profile", "k.b", "1", "--json"]);
    ok(&world, &["--daemon", "stop"]);

    let damaged = b"this is no database, whatever its name says".repeat(200);
    fs::write(&store, &damaged).unwrap();
    let run = world.run(&["main", "/info"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    for part in
        [store.to_str().unwrap(), "is damaged", "The file was left as it is.", "Put a backup in its place"]
    {
        assert!(run.err.contains(part), "{part}: {run:?}");
    }
    assert_eq!(fs::read(&store).unwrap(), damaged);

    fs::rename(&store, world.home().join("damaged.db")).unwrap();
    fs::copy(world.home().join("copy.db"), &store).unwrap();
    assert!(ok(&world, &["system", "state", "get", "profile", "k.a"]).contains("\"kept\""));
    assert_eq!(world.run(&["system", "state", "get", "profile", "k.b"]).code, Some(1));
    let again = ok(&world, &["system", "state", "put", "profile", "k.b", "2", "--json"]);
    let revision = |shown: &str| shown.lines().find(|line| line.contains("\"revision\"")).unwrap().to_owned();
    assert_ne!(revision(&again), revision(&later), "a revision came back with the backup");
}

#[test]
fn a_store_that_is_gone_begins_empty() {
    let world = World::new();
    ok(&world, &["system", "state", "put", "profile", "k.a", "1"]);
    support::kill(world.daemon(), Signal::KILL);
    assert!(
        ok(&world, &["system", "state", "get", "profile", "k.a"]).contains("\n1\n"),
        "a kill loses nothing"
    );
    ok(&world, &["--daemon", "stop"]);
    fs::remove_file(world.root().join("store/string.db")).unwrap();
    assert!(ok(&world, &["system", "state", "ls"]).contains("Nothing is kept."));
}
