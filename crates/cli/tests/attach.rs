//! A person at the terminal of an agent's shell, through the binary.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use rustix::process::Signal;
use support::terminal::Terminal;
use support::{World, kill};

fn attach(world: &World) -> Terminal {
    let mut terminal = Terminal::run(&world.string(&["--attach", "bash:dev"]));
    terminal.sees("Attached to bash:dev of agent default. Ctrl-\\ detaches.");
    terminal.sees("$ ");
    assert!(terminal.is_raw());
    terminal
}

fn with_shell() -> World {
    let world = World::new();
    let run = world.run(&["bash", "spawn", "dev"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    world
}

#[test]
fn a_person_and_the_agent_share_a_shell() {
    let world = with_shell();
    let mut person = attach(&world);
    person.types("x=40; echo \"at-$((x+2))\"\r");
    person.sees("\r\nat-42\r\n");
    person.sees("$ ");
    let run = world.run(&["--raw", "bash:dev", "echo \"agent sees $x\""]);
    assert_eq!(
        run.out,
        "exit: 0 | cwd: ~/\n---\n(a person ran: x=40; echo \"at-$((x+2))\"; exit 0)\nat-42\nagent sees 40\n"
    );
    person.sees("echo \"agent sees $x\"\r\n");
    person.sees("agent sees 40\r\n");
    person.resize(30, 100);
    person.types("stty size\r");
    person.sees("\r\n30 100\r\n");
    person.sees("$ ");
    person.types("\x1c");
    person.sees("Detached from bash:dev. It goes on.");
    assert_eq!(person.ends(), Some(0));
    assert!(!person.is_raw());
    let run = world.run(&["--raw", "bash:dev", "stty size; echo $x"]);
    assert!(run.out.ends_with("\n48 160\n40\n"), "{}", run.out);
}

#[test]
fn ctrl_c_of_a_person_reaches_the_program() {
    let world = with_shell();
    let mut person = attach(&world);
    person.types("echo begun-$((1+1)); sleep 1000\r");
    person.sees("\r\nbegun-2\r\n");
    person.types("\x03");
    person.sees("$ ");
    person.types("echo after-$((2+2)) $?\r");
    person.sees("after-4 130");
}

#[test]
fn lines_that_are_pasted_together_all_run_and_are_all_told() {
    let world = with_shell();
    let mut person = attach(&world);
    person.types("echo one\recho two\rX=set-by-third\recho \"X is $X\"\r");
    person.sees("\r\nX is set-by-third\r\n");
    let run = world.run(&["--raw", "bash:dev", "echo \"$X\""]);
    assert!(run.out.contains("(a person ran: X=set-by-third; exit 0)"), "{}", run.out);
    assert!(run.out.ends_with("\nset-by-third\n"), "{}", run.out);
    world.run(&["--daemon", "stop"]);
    let audit = std::fs::read_to_string(world.root().join("log/audit.jsonl")).unwrap();
    for command in ["echo one", "echo two", "X=set-by-third"] {
        assert!(audit.contains(&format!("(typed by a person) {command}")), "{audit}");
    }
}

#[test]
fn what_a_person_does_is_marked_for_those_who_watch() {
    let world = with_shell();
    let mut watching = UnixStream::connect(world.root().join("run/string.sock")).unwrap();
    watching.write_all(b"GET /activity/stream HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(watching).lines().map(Result::unwrap);
    lines.find(String::is_empty).unwrap();
    let mut person = attach(&world);
    person.types("read secret\r");
    person.types("hunter2\r");
    person.sees("$ ");
    person.types("\x1c");
    person.ends();
    let mut told = Vec::new();
    while told.len() < 4 {
        let line = lines.next().unwrap();
        assert!(!line.contains("hunter2"), "{line}");
        if let Some(event) = line.strip_prefix("data: {\"kind\":\"person\"") {
            told.push(event.split_once("\"topic\":").unwrap().1.to_owned());
        }
    }
    let expected = [
        r#""bash:dev","did":"attached"}"#,
        r#""bash:dev","did":"ran","command":"read secret"}"#,
        r#""bash:dev","did":"typed"}"#,
        r#""bash:dev","did":"detached"}"#,
    ];
    assert_eq!(told, expected);
    world.run(&["--daemon", "stop"]);
    let audit = std::fs::read_to_string(world.root().join("log/audit.jsonl")).unwrap();
    assert!(audit.contains("(typed by a person) read secret") && !audit.contains("hunter2"), "{audit}");
}

#[test]
fn the_terminal_is_restored_however_it_ends() {
    let world = with_shell();
    let mut person = attach(&world);
    kill(person.child.id(), Signal::TERM);
    assert_eq!(person.ends(), Some(0));
    assert!(!person.is_raw());

    let mut person = attach(&world);
    person.types("exit 3\r");
    person.sees("The shell has ended with status 3.");
    assert_eq!(person.ends(), Some(0));
    assert!(!person.is_raw());

    world.run(&["bash:dev", "true"]);
    let mut person = attach(&world);
    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    person.ends();
    assert!(!person.is_raw());

    world.run(&["bash", "spawn", "dev"]);
    let mut person = attach(&world);
    kill(world.daemon(), Signal::KILL);
    assert_eq!(person.ends(), Some(3));
    assert!(!person.is_raw());
}

#[test]
fn what_cannot_be_attached_to_is_said_plainly() {
    let world = with_shell();
    let run = world.run(&["--attach", "bash:dev"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert!(run.err.contains("Only a person at a terminal can attach"), "{}", run.err);

    let mut person = Terminal::run(&world.string(&["--attach", "bash:other"]));
    person.sees("ERROR(NOT_FOUND): No shell runs in bash:other of agent default.");
    person.sees("Start one: string bash spawn other");
    person.sees("Live shells: bash:dev");
    assert_eq!(person.ends(), Some(1));
    assert!(!person.is_raw());

    let mut person = Terminal::run(&world.string(&["--attach", "main"]));
    person.sees("main is not a shell");
    assert_eq!(person.ends(), Some(2));
}

#[test]
fn an_agent_cannot_pose_as_a_person() {
    let world = with_shell();
    // Inside a boundary the daemon's socket cannot even be reached.
    assert_eq!(world.run(&["agent", "boundary", "none"]).code, Some(0));
    let run = world.run(&["--raw", "bash:agent", &format!("{} --attach bash:dev", support::STRING)]);
    assert!(run.out.contains("Only a person can attach to a shell."), "{run:?}");
}
