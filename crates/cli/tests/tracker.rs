//! The example application: one page and one script, through the real binary, over restarts and `kill -9`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use support::{World, kill, wait, watch};

fn world() -> World {
    let world = World::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tracker");
    fs::create_dir(world.home().join("tracker")).unwrap();
    for file in ["string.md", "tracker.ts"] {
        fs::copy(example.join(file), world.home().join("tracker").join(file)).unwrap();
    }
    world
}

fn ok(world: &World, topic: &str, payload: &str) -> String {
    let run = world.run(&["--raw", topic, payload]);
    assert_eq!(run.code, Some(0), "{payload}: {}{}", run.out, run.err);
    run.out.trim_end().to_owned()
}

#[test]
fn a_page_and_a_script_keep_things_over_restarts() {
    let world = world();
    let opened = ok(&world, "main", "/open ./tracker/");
    assert!(opened.contains("Nothing to do.\n0 open, 0 done."), "{opened}");
    assert_eq!(ok(&world, "main", "/act.add \"Buy milk\" --tag home"), "Added 1: Buy milk");
    assert_eq!(ok(&world, "main", "/act.add \"Write it down\""), "Added 2: Write it down");
    assert_eq!(ok(&world, "main", "/act.done 1"), "Done: Buy milk");
    assert_eq!(ok(&world, "main", "/act.done 7"), "There is no 7.");

    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    let opened = ok(&world, "other", "/open ./tracker/");
    assert!(opened.contains("2. [ ] Write it down\n1 open, 1 done."), "{opened}");
    let all = "1. [x] Buy milk (home)\n2. [ ] Write it down\n1 open, 1 done.";
    assert_eq!(ok(&world, "other", "/act.list --all"), all);
    assert_eq!(ok(&world, "other", "/act.add Third"), "Added 3: Third");

    let daemon = world.daemon();
    let ended = watch(daemon);
    kill(daemon, Signal::KILL);
    wait(&ended);
    ok(&world, "main", "/open ./tracker/");
    assert_eq!(ok(&world, "main", "/act.drop 2"), "Dropped 2: Write it down");
    assert_eq!(ok(&world, "main", "/act.list"), "3. [ ] Third\n1 open, 1 done.");
    assert_eq!(ok(&world, "main", "/act.add Fourth"), "Added 4: Fourth");
}

#[test]
fn it_can_be_installed_as_an_app() {
    let world = world();
    ok(&world, "main", "/install ./tracker/");
    let opened = ok(&world, "app:tracker", "/open");
    assert!(opened.contains("Nothing to do."), "{opened}");
    assert_eq!(ok(&world, "app:tracker", "/act.add Installed"), "Added 1: Installed");
    // The same agent, so the same things.
    ok(&world, "main", "/open ./tracker/");
    assert_eq!(ok(&world, "main", "/act.list"), "1. [ ] Installed\n1 open, 0 done.");
}
