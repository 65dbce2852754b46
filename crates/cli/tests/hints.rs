//! What the replies of a bash topic say so that the next call is right.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use support::{World, finish, read};

#[test]
fn commands_are_named_with_both_slashes() {
    let world = World::new();
    for (cmd, hint) in [
        ("//kill 123", "\n  Usage: //kill\n"),
        ("//wait foo bar", "\n  Usage: //wait [5m]\n"),
        ("//set x", "\n  //set {city} = "),
        ("//watch rm 9", "See them all: //watch\n"),
        (
            "//info\necho hi",
            "//info takes no text below it. Got \"echo hi\".\n  Every line below must be a further command, starting with //.\n",
        ),
    ] {
        let run = world.run(&["--raw", "bash:dev", cmd]);
        assert!(run.out.starts_with("ERROR(") && run.out.contains(hint), "{cmd}: {}", run.out);
    }
}

#[test]
fn one_slash_that_bash_does_not_find_is_told_the_way_to_string() {
    let world = World::new();
    for (cmd, reply) in [
        ("/info", "ERROR(EXIT_127): cwd: ~/\n  //info reaches String.\n---\nbash: /info: "),
        ("/OPEN a.md", "ERROR(EXIT_127): cwd: ~/\n  //open reaches String.\n---\n"),
        ("/undo", "ERROR(EXIT_127): cwd: ~/\n  /undo works in: tab, app\n  Try //help"),
        ("/nowhere", "ERROR(EXIT_127): cwd: ~/\n---\n"),
        ("no-such-program /info", "ERROR(EXIT_127): cwd: ~/\n---\n"),
        ("/info || exit 3", "ERROR(EXIT_3): cwd: ~/\n---\n"),
    ] {
        let run = world.run(&["--raw", "bash:dev", cmd]);
        assert!(run.out.starts_with(reply), "{cmd}: {}", run.out);
    }
}

#[test]
fn a_program_that_draws_and_prints_nothing_has_a_screen() {
    let world = World::new();
    let note = "(nothing printed; //screen shows the program's screen)\n";
    let draw = r"printf '\e[?1049h\e[2;3Hdrawn'; read -s; printf '\e[2;9Hmore'; read -s; printf '\e[?1049l'";
    for (cmd, body) in [
        (draw, note),
        (" ", note),
        (" ", "(no output)\n"),
        ("read -s x", "(no output)\n"),
        ("", "(no output)\n"),
        ("echo hi; read -s x", "hi\n"),
        ("//wait 10ms", "(no output)\n"),
    ] {
        let run = world.run(&["--raw", "bash:dev", cmd]);
        assert!(run.out.ends_with(&format!("\n---\n{body}")), "{cmd}: {}", run.out);
    }
}

#[test]
fn a_line_too_long_for_the_terminal_comes_with_a_way_out() {
    let world = World::new();
    world.run(&["bash:dev", "cat >/dev/null"]);
    let mut child = world.string(&["--raw", "--stdin", "bash:dev"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all("z".repeat(6000).as_bytes()).unwrap();
    let run = read(child.wait_with_output().unwrap());
    assert!(run.out.starts_with("ERROR(INVALID_PARAMS): This cannot be sent: a line"), "{}", run.out);
    assert!(run.out.contains("shorter lines") && run.out.contains("//kill"), "{}", run.out);
}

#[test]
fn output_that_goes_elsewhere_is_brought_back_by_what_the_note_says() {
    let world = World::new();
    world.run(&["bash:dev", "exec >log.txt 2>&1"]);
    let note = world.run(&["--raw", "bash:dev", "echo lost"]).out;
    assert!(note.contains("(when this began, the shell's output went elsewhere; "), "{note}");
    let repair = note.split("; ").nth(1).unwrap().strip_suffix(" brings it back)\n").unwrap();
    world.run(&["bash:dev", repair]);
    let run = world.run(&["--raw", "bash:dev", "echo out; echo err >&2"]);
    assert_eq!(run.out, "exit: 0 | cwd: ~/\n---\nout\nerr\n");
}

#[test]
fn a_home_that_cannot_keep_output_is_named_with_what_helps() {
    let world = World::new();
    let root = tempfile::tempdir().unwrap();
    fs::write(world.root(), "").unwrap();
    for (topic, cmd) in [("bash:dev", "true"), ("main", "/exec true")] {
        let mut command = world.string(&["--raw", topic, cmd]);
        command.env("STRING_ROOT", root.path());
        let run = finish(command);
        let place = world.root().join("output");
        let error = format!("ERROR(LOAD_ERROR): {} cannot be made: ", place.display());
        assert!(run.out.starts_with(&error), "{}", run.out);
        for hint in ["string agent set-home default DIR", "string agent boundary none"] {
            assert!(run.out.contains(hint), "{}", run.out);
        }
    }
}
