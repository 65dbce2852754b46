//! Calls of the binary: what is printed where, and the exit statuses.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use support::{STRING, World, finish, read};

#[test]
fn every_reply_goes_to_stdout_in_its_envelope() {
    let world = World::new();
    let table: &[(&[&str], i32, &str)] = &[
        (&["main", "/info"], 0, "<𝒞=string:main>\nSession info\n"),
        (&["", "/info"], 0, "<𝒞=string:main>\nSession info\n"),
        (&["/info"], 0, "<𝒞=string:main>\nSession info\n"),
        (&["file:notes", "/info"], 0, "<𝒞=string:notes>\n"),
        (&["main", "hello world"], 1, "<𝒞=string:main>\nERROR(COMMAND_UNSUPPORTED): "),
        (&["main", "/open", "no such file.md"], 1, "<𝒞=string:main>\nERROR(NOT_FOUND): "),
        (&["intro.md", "/info"], 1, "<𝒞=string:>\nERROR(INVALID_TARGET): "),
        (&["agent"], 0, "<𝒞=string:agent>\n"),
        (&["system", "status"], 0, "<𝒞=string:system>\n"),
        (&["main", "/open system"], 0, "<𝒞=string:system>\n"),
        (&["--agent", "nobody", "main", "/info"], 1, "<𝒞=string:main>\nERROR(NOT_FOUND): "),
    ];
    for (words, code, start) in table {
        let run = world.run(words);
        assert_eq!((run.code, run.err.as_str()), (Some(*code), ""), "{words:?}: {run:?}");
        assert!(run.out.starts_with(start), "{words:?}: {}", run.out);
        assert!(run.out.ends_with("\n</𝒞>\n"), "{words:?}: {}", run.out);
    }
}

#[test]
fn bad_usage_is_said_on_stderr() {
    let world = World::new();
    let table: &[(&[&str], &str)] = &[
        (&["main"], "string main /info"),
        (&["--frobnicate"], "--frobnicate"),
        (&["--daemon", "bogus"], "foreground"),
        (&["--agent", "a b", "/info"], "--agent"),
        (&["--json"], "string main /info"),
        (&["main", "/set", "a\nb"], "--stdin"),
    ];
    for (words, part) in table {
        let run = world.run(words);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{words:?}");
        assert!(run.err.starts_with("string: ") && run.err.contains(part), "{words:?}: {}", run.err);
    }
    for (name, value) in [("STRING_PORT", "x"), ("STRING_AGENT_ID", "../x"), ("HOME", "")] {
        let mut command = world.string(&["main", "/info"]);
        command.env(name, value);
        let run = finish(command);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{name}");
        assert!(run.err.contains(name), "{}", run.err);
    }
    assert_eq!(world.daemons(), [] as [u32; 0]);
}

#[test]
fn what_needs_no_daemon_starts_none_and_needs_no_home() {
    let world = World::new();
    for (words, part) in [
        (&[] as &[&str], "string /topics"),
        (&["--help"], "Exit status"),
        (&["--version"], concat!("string ", env!("CARGO_PKG_VERSION"), "\n")),
        (&["--completions", "bash"], "complete "),
        (&["--completions", "fish"], "complete "),
        (&["--completions", "zsh"], "#compdef string"),
        (&["--types"], "declare module \"flo:runtime\""),
    ] {
        let mut command = world.string(words);
        command.env_remove("HOME").env("STRING_PORT", "x");
        let run = finish(command);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{words:?}");
        assert!(run.out.contains(part), "{words:?}: {}", run.out);
    }
    assert!(!world.root().exists());
}

#[test]
fn replies_come_raw_and_as_json_too() {
    let world = World::new();
    assert!(world.run(&["--raw", "/info"]).out.starts_with("Session info\n---\n"));
    let reply: serde_json::Value = serde_json::from_str(&world.run(&["--json", "/nonsense"]).out).unwrap();
    assert_eq!((&reply["ok"], &reply["code"]), (&false.into(), &"COMMAND_UNSUPPORTED".into()));
    for words in [&["agent", "list", "--json"], &["system", "status", "--json"]] {
        let run = world.run(words);
        serde_json::from_str::<serde_json::Value>(&run.out)
            .unwrap_or_else(|error| panic!("{error}: {run:?}"));
    }
}

#[test]
fn standard_input_is_not_read_unless_it_is_asked_for() {
    let world = World::new();
    let mut child =
        world.string(&["main", "/info"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // Stays open: a reader would wait for ever.
    let open = child.stdin.take();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    drop(open);
}

#[test]
fn standard_input_is_the_payload_when_it_is_asked_for() {
    let world = World::new();
    for words in [["main", "--stdin"], ["--stdin", "main"]] {
        let run = fed(&world, &words, "/info\n/topics\n");
        assert_eq!(run.code, Some(0));
        assert!(run.out.contains("Session info") && run.out.contains("1 topic open."), "{}", run.out);
    }
    let run = fed(&world, &["--raw", "--stdin", "main", "/set"], "{city} = \"Seoul\"\n{n} = 2\n");
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = world.run(&["--raw", "main", "/set"]);
    assert_eq!(run.out, "Variables\n---\n{city} = \"Seoul\"\n{n} = \"2\"\n");
    let run = fed(&world, &["--stdin", "main", "/info"], "/topics\n");
    assert!(run.out.contains("Session info") && run.out.contains("1 topic open."), "{}", run.out);
}

#[test]
fn chanflow_answers_every_block_and_counts_no_errors() {
    let world = World::new();
    let text = "Look:\n<𝒞=string:a>\n/info\n</𝒞>\n<𝒞=slack:dev>hi</𝒞>\n<𝒞=string:b>/nonsense</𝒞>\n";
    let run = fed(&world, &["--chanflow"], text);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert!(run.out.starts_with("<𝒞=string:a>\nSession info\n"), "{}", run.out);
    assert!(run.out.contains("</𝒞>\n<𝒞=string:b>\nERROR(COMMAND_UNSUPPORTED): "), "{}", run.out);
    assert!(run.out.ends_with("\n</𝒞>\n"), "{}", run.out);
    let run = fed(&world, &["--chanflow"], "nothing here\n");
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
}

#[test]
fn chanflow_starts_paths_from_where_it_is_called() {
    let world = World::new();
    let folder = world.home().join("a & b");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("x.md"), "# Found\n").unwrap();
    let mut shell = world.command("bash");
    shell.current_dir(&folder);
    shell.args(["-c", "echo '<𝒞=string:a>/open ./x.md</𝒞>' | \"$0\" --chanflow", STRING]);
    let run = finish(shell);
    assert!(run.out.ends_with("---\n# Found\n</𝒞>\n"), "{run:?}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let world = World::new();
    world.run(&["main", "/info"]);
    let mut shell = world.command("bash");
    // The reading end is closed before the binary starts.
    shell.args(["-c", "{ exec 3>&1; { while kill -0 $$ && ! [ -e gone ]; do :; done; \"$0\" main /help; echo $? >&3; } | { exec <&-; : > gone; }; }", STRING]);
    let run = finish(shell);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("0\n", ""));
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let world = World::new();
    for (output, code) in [("/dev/full", Some(1)), ("/dev/null", Some(0))] {
        for words in ["main /info", "--help", "--daemon status"] {
            let mut shell = world.command("bash");
            shell.args(["-c", &format!("\"$0\" {words} >{output}"), STRING]);
            let run = finish(shell);
            assert_eq!(run.code, code, "{words} >{output}");
            let said = run.err.contains("cannot write to standard output");
            assert_eq!(said, code == Some(1), "{words} >{output}: {}", run.err);
        }
    }
}

#[test]
fn the_agent_comes_from_the_nearest_settings() {
    let world = World::new();
    let project = world.home().join("project");
    fs::create_dir_all(project.join(".string")).unwrap();
    fs::write(project.join(".string/config.json"), r#"{"currentAgent": "codex"}"#).unwrap();
    assert_eq!(world.run(&["agent", "add", "codex"]).code, Some(0));
    let mut command = world.string(&["--raw", "agent", "current"]);
    assert!(
        finish({
            command.current_dir(&project);
            command
        })
        .out
        .contains("codex")
    );
    assert!(world.run(&["--raw", "agent", "current"]).out.contains("default"));
    fs::write(project.join(".string/config.json"), "{").unwrap();
    let in_project = |arguments: &[&str]| {
        let mut command = world.string(arguments);
        command.current_dir(&project);
        let run = finish(command);
        assert_eq!((run.code, run.err.as_str()), (Some(1), ""), "{arguments:?}");
        run.out
    };
    // Every command gets its reply where replies go, in the form that was asked for.
    let raw = in_project(&["--raw", "main", "/info"]);
    assert!(raw.starts_with("ERROR(LOAD_ERROR): ") && raw.contains("project/.string/config.json"), "{raw}");
    assert!(raw.contains("  Repair the file, or name the agent with --agent"), "{raw}");
    assert_eq!(in_project(&["main", "/info"]), format!("<𝒞=string:main>\n{raw}</𝒞>\n"));
    assert!(in_project(&["agent", "list", "--json"]).contains("\nERROR(LOAD_ERROR): "));
    let reply: wire::ExecReply = serde_json::from_str(&in_project(&["--json", "main", "/info"])).unwrap();
    assert_eq!((reply.ok, reply.code.as_deref(), reply.topic.as_str()), (false, Some("LOAD_ERROR"), "main"));
    assert_eq!(reply.content, raw.trim_end());
    fs::write(project.join(".string/config.json"), r#"{"currentAgent": "a b"}"#).unwrap();
    assert!(in_project(&["main", "/info"]).contains("ERROR(LOAD_ERROR): "));
}

#[test]
fn the_callers_directory_is_what_a_relative_path_means() {
    let world = World::new();
    let folder = world.home().join("folder");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("note.md"), "# Note\n").unwrap();
    let mut command = world.string(&["main", "/open ./note.md"]);
    let run = finish({
        command.current_dir(&folder);
        command
    });
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn the_last_line_for_a_program_is_ended_once() {
    let world = World::new();
    assert!(world.run(&["bash:dev", "cat > lines"]).out.contains("exit: running"));
    for input in ["a\nb\n", "c", "\n\n"] {
        assert_eq!(fed(&world, &["--stdin", "bash:dev"], input).code, Some(0));
    }
    world.run(&["bash:dev", "//eof"]);
    let run = world.run(&["--raw", "bash:dev", "cat -A lines"]);
    assert!(run.out.ends_with("\na$\nb$\nc$\n$\n$\n"), "{}", run.out);
}

fn fed(world: &World, words: &[&str], input: &str) -> support::Run {
    let mut child = world
        .string(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    read(child.wait_with_output().unwrap())
}
