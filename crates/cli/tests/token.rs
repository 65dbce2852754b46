//! The token of a real daemon: in its file, and in nothing that others can look at.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;

use support::World;

#[test]
fn the_token_is_in_no_environment_no_command_line_and_no_log() {
    let world = World::new();
    for words in
        [vec!["/info"], vec!["system"], vec!["main", "/open .string/run/token"], vec!["--json", "/topics"]]
    {
        let run = world.run(&words);
        assert!(run.code.is_some_and(|code| code < 2), "{run:?}");
    }
    let token = fs::read_to_string(world.root().join("run/token")).unwrap();
    assert_eq!(token.len(), 64);
    let shown = world.run(&["system", "status", "--json"]);
    assert!(!shown.out.contains(&token), "{}", shown.out);
    let shell = world.run(&["bash:dev", "env"]);
    assert!(shell.code == Some(0) && shell.out.contains("PATH=") && !shell.out.contains(&token), "{shell:?}");
    let daemon = world.daemon();
    for file in ["environ", "cmdline"] {
        let bytes = fs::read(format!("/proc/{daemon}/{file}")).unwrap();
        assert!(!bytes.is_empty() && !String::from_utf8_lossy(&bytes).contains(&token), "{file}");
    }
    for log in fs::read_dir(world.root().join("log")).unwrap().map(|entry| entry.unwrap().path()) {
        assert!(!fs::read_to_string(&log).unwrap().contains(&token), "{}", log.display());
    }
}
