//! The interactive session in a shell: live output, and Ctrl-C for the program in the foreground.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::process::Command;

use support::World;
use support::terminal::Terminal;

fn session(world: &World, topic: &str) -> Terminal {
    let mut terminal = Terminal::run(&world.string(&[topic]));
    terminal.sees(&format!("{topic}> "));
    terminal
}

/// A command that prints, and goes on only when the test says so.
fn gate(world: &World) -> std::path::PathBuf {
    let path = world.home().join("gate");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[test]
fn output_is_shown_while_the_command_runs() {
    let world = World::new();
    let path = gate(&world);
    for (topic, command) in [("bash:dev", ""), ("main", "/exec ")] {
        let mut person = session(&world, topic);
        person.types(&format!(
            "{command}echo first-$((1+0)); printf 'half-%s' $((1+1)); cat {}; echo; echo last\r",
            path.display()
        ));
        person.sees("first-1\r\n");
        person.sees("half-2");
        std::fs::write(&path, "gone through\n").unwrap();
        person.sees("half-2gone through\r\n");
        person.sees("last\r\n");
        person.sees("exit: 0 | cwd: ~/\r\n");
        person.sees(&format!("{topic}> "));
    }
}

#[test]
fn ctrl_c_interrupts_the_foreground_and_the_session_goes_on() {
    let world = World::new();
    let mut person = session(&world, "bash:dev");
    person.types("echo begun-$((1+1)); sleep 1000\r");
    person.sees("begun-2\r\n");
    person.types("\x03");
    person.sees("ERROR(EXIT_130)");
    person.sees("bash:dev> ");
    person.types("echo alive-$((2+2))\r");
    person.sees("alive-4\r\n");
    person.sees("exit: 0");
    // Before the prompt reads keys, Ctrl-D would mean an end of input to nobody.
    person.sees("bash:dev> ");
    person.types("\x04");
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn a_program_that_asks_is_answered_with_the_next_line() {
    let world = World::new();
    let mut person = session(&world, "bash:dev");
    person.types("read -p 'name? ' name; echo \"hi $name\"\r");
    person.sees("exit: running");
    person.sees("name?");
    person.sees("bash:dev> ");
    person.types("World\r");
    person.sees("hi World");
}

#[test]
fn ctrl_c_at_the_prompt_is_for_the_program_that_waits_there() {
    let world = World::new();
    let mut person = session(&world, "bash:dev");
    for (program, prompt) in [("cat", ""), ("read -s -p 'pw: ' P", "pw:")] {
        person.types(&format!("{program}\r"));
        person.sees("exit: running");
        person.sees(prompt);
        person.sees("bash:dev> ");
        // What was typed goes first, as on any prompt.
        person.types("half a line\x03");
        person.sees("\r\n");
        person.sees("bash:dev> ");
        person.types("\x03");
        person.sees(&format!("Interrupted: {program}"));
        person.sees("bash:dev> ");
        person.types("echo alive-$((2+2))\r");
        person.sees("alive-4\r\n");
        person.sees("bash:dev> ");
        // Nothing is there to be interrupted.
        person.types("\x03");
        person.sees("\r\n");
        person.sees("bash:dev> ");
    }
    assert_eq!(person.seen().matches("Interrupted").count(), 2, "{}", person.seen());
    assert!(!person.seen().contains("NOT_FOUND"), "{}", person.seen());
}

#[test]
fn every_line_is_for_the_program_that_waits_but_for_commands_of_string() {
    let world = World::new();
    let mut person = session(&world, "bash:dev");
    person.types("read a; read b; read -r c; echo \"<$a|$b|$c>\"\r");
    for line in [":wq", "", "at the end\\"] {
        person.sees("exit: running");
        person.sees("bash:dev> ");
        person.types("//info\r");
        person.sees("running:");
        person.sees("bash:dev> ");
        person.types(&format!("{line}\r"));
    }
    person.sees("<:wq||at the end\\>");
    person.sees("bash:dev> ");
    // Nothing reads any more, so it is a word of the prompt again.
    person.types(":main\r");
    person.sees("main> ");
}

#[test]
fn the_prompt_says_how_it_is_used_in_this_topic() {
    let world = World::new();
    for (topic, help, backslash) in [("bash:dev", " //help lists", false), ("main", " /help lists", true)] {
        let person = session(&world, topic);
        assert!(person.seen().contains(help), "{}", person.seen());
        assert_eq!(person.seen().contains("A \\ at the end"), backslash, "{}", person.seen());
    }
}

#[test]
fn lines_that_arrive_together_are_all_taken() {
    let world = World::new();
    let mut person = session(&world, "main");
    person.types("/info\r/topics hub\r");
    person.sees("Session info");
    person.sees("hub topics open.");
    person.sees("main> ");
    person.types("/wrong\x03/write t5.md\rline one\r.dot\r.\r/exec echo after-$((1+1))\r");
    person.sees("after-2\r\n");
    assert_eq!(std::fs::read_to_string(world.home().join("t5.md")).unwrap(), "line one\n.dot\n");
}

#[test]
fn a_password_is_neither_shown_nor_kept() {
    let world = World::new();
    let mut person = session(&world, "bash:dev");
    person.types("read -s -p 'pw: ' P\r");
    person.sees("exit: running");
    person.sees("bash:dev> ");
    person.types("hunter2\r");
    person.sees("exit: 0");
    person.sees("bash:dev> ");
    // Also where the editor does not work, and by whoever comes only now.
    person.types("echo \"got ${#P}\"; read -s Q\r");
    person.sees("got 7");
    person.sees("bash:dev> ");
    let mut dumb = Terminal::run_on("dumb", &world.string(&["bash:dev"]));
    dumb.sees("bash:dev> ");
    dumb.types("hunter2\n");
    dumb.sees("exit: 0");
    for seen in [person.seen(), dumb.seen()] {
        assert!(!seen.contains("hunter2"), "{seen}");
    }
    let history = std::fs::read_to_string(world.root().join("history")).unwrap();
    assert!(history.contains("read -s -p") && !history.contains("hunter2"), "{history}");
}
