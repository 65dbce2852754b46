//! Shells through the binary: what outlives a daemon, what is kept of long output, and what the doctor says.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use rustix::process::Signal;
use support::{World, kill, wait, watch};

/// A shell with jobs of every kind, and the pids of all of them.
fn busy_shell(world: &World) -> Vec<u32> {
    let start = "mkdir -p proj && cd proj; v=1\nsleep 1000 &\nnohup sleep 1000 >/dev/null 2>&1 &\njobs -p\n\
                 (setsid bash -c 'echo $BASHPID; exec sleep 1000' &) | head -1\necho $$";
    let run = world.run(&["--raw", "bash:dev", start]);
    let pids: Vec<u32> = run.out.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(pids.len(), 4, "{}", run.out);
    pids
}

#[test]
fn a_killed_daemon_leaves_no_process_and_its_successor_says_what_was_lost() {
    let world = World::new();
    let pids = busy_shell(&world);
    let run = world.run(&["--raw", "bash:dev", "read secret"]);
    assert!(run.out.starts_with("exit: running"), "{}", run.out);
    let ends: Vec<_> = pids.iter().map(|pid| watch(*pid)).collect();
    kill(world.daemon(), Signal::KILL);
    ends.iter().for_each(wait);

    let run = world.run(&["--raw", "bash", "list"]);
    assert!(
        run.out.contains("bash:dev was lost when the daemon ended: in ~/proj, running: read secret"),
        "{}",
        run.out
    );
    let run = world.run(&["--raw", "bash:dev", "echo \"${v-fresh}\""]);
    assert_eq!(
        run.out,
        "exit: 0 | cwd: ~/proj\n---\n(the shell that was here was lost when the daemon ended, with its variables, jobs \
         and history; it was running: read secret; this is a fresh one, started in ~/proj)\nfresh\n"
    );
    // Told once.
    assert_eq!(world.run(&["--raw", "bash:dev", "echo alive"]).out, "exit: 0 | cwd: ~/proj\n---\nalive\n");
    assert!(!world.run(&["--raw", "bash", "list"]).out.contains("was lost"));
}

#[test]
fn a_command_that_has_just_begun_is_lost_by_its_name_and_place() {
    let world = World::new();
    fs::create_dir(world.home().join("docs")).unwrap();
    world.run(&["bash:dev", "true"]);
    let mut child = world.spawn(&["bash:dev", "cd docs; sleep 1000"]);
    let record = world.root().join("run/shells/default@dev.json");
    while !fs::read_to_string(&record).unwrap_or_default().contains("sleep 1000") {
        std::thread::yield_now();
    }
    kill(world.daemon(), Signal::KILL);
    child.wait().unwrap();
    let run = world.run(&["--raw", "bash", "list"]);
    let lost = "bash:dev was lost when the daemon ended: in ~/docs, running: cd docs; sleep 1000";
    let listed: serde_json::Value =
        serde_json::from_str(&world.run(&["bash", "list", "--json"]).out).unwrap();
    let (topic, cwd, lost_too) = (&listed[0]["topic"], &listed[0]["cwd"], &listed[0]["lost"]);
    assert_eq!((topic, cwd, lost_too), (&"bash:dev".into(), &"~/docs".into(), &true.into()), "{listed}");
    assert_eq!(listed[0]["running"], "cd docs; sleep 1000");
    assert!(run.out.contains(lost), "{}", run.out);
}

#[test]
fn an_orderly_stop_says_what_was_lost_too_but_not_what_was_closed() {
    let world = World::new();
    let pids = busy_shell(&world);
    world.run(&["bash:done", "true"]);
    world.run(&["bash:done", "//close"]);
    world.run(&["bash:gone", "exit"]);
    let ends: Vec<_> = pids.iter().map(|pid| watch(*pid)).collect();
    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    ends.iter().for_each(wait);
    for topic in ["bash:done", "bash:gone"] {
        assert_eq!(world.run(&["--raw", topic, "true"]).out, "exit: 0 | cwd: ~/\n---\n(no output)\n");
    }
    let run = world.run(&["--raw", "bash", "spawn", "dev"]);
    assert!(run.out.contains("it was idle; this is a fresh one, started in ~/proj"), "{}", run.out);
}

/// Looks until the daemon has noticed that a shell is gone; whether it has.
fn is_shown_as_gone(world: &World, topic: &str) -> bool {
    (0..1000).any(|_| {
        let run = world.run(&["--raw", "bash", "list"]);
        run.out.lines().any(|line| line.starts_with(topic) && line.contains("(no shell)"))
    })
}

#[test]
fn a_shell_that_died_between_turns_is_none_and_its_last_words_come_with_the_next() {
    let world = World::new();
    let last = "mkdir d; cd d; (until [ -e go ]; do :; done; echo LATE; kill -9 $$) & echo $$";
    let run = world.run(&["--raw", "bash:l", last]);
    let pid: u32 = run.out.lines().last().unwrap().parse().unwrap();
    let end = watch(pid);
    fs::write(world.home().join("d/go"), "").unwrap();
    wait(&end);
    assert!(is_shown_as_gone(&world, "bash:l"), "{}", world.run(&["--raw", "bash", "list"]).out);
    let pid = pid.to_string();
    for words in
        [&["bash", "list", "--json"][..], &["bash:l", "//info"], &["main", "/topics"], &["bash", "/info"]]
    {
        let run = world.run(words);
        assert!(!run.out.contains(&pid) && !run.out.contains("~/d"), "{words:?}: {}", run.out);
    }
    assert_eq!(
        world.run(&["--raw", "bash:l", "echo now"]).out,
        "exit: 0 | cwd: ~/d\n---\n(printed in the background meanwhile)\nLATE\n\
         (the shell had ended with status 137; this is a fresh one)\nnow\n"
    );
    world.run(&["bash:l", "(until [ -e on ]; do :; done; kill -9 $$) & true"]);
    fs::write(world.home().join("d/on"), "").unwrap();
    assert!(is_shown_as_gone(&world, "bash:l"));
    let run = world.run(&["--raw", "bash", "spawn", "l"]);
    assert!(run.out.contains("Started bash:l, pid ") && run.out.contains("status 137"), "{}", run.out);
}

#[test]
fn text_after_the_end_of_input_is_run_and_says_what_was_before() {
    let world = World::new();
    let run = world.run(&["--raw", "bash:e", "mkfifo f; cat; read x <f; (exit 3)"]);
    assert!(run.out.starts_with("exit: running"), "{}", run.out);
    world.run(&["bash:e", "//eof"]);
    let alive = world.spawn(&["--raw", "bash:e", "echo alive"]);
    fs::write(world.home().join("f"), "go\n").unwrap();
    let run = support::read(alive.wait_with_output().unwrap());
    let run = run.out.replace("(the command before has ended: exit 3)\n", "");
    assert_eq!(run, "exit: 0 | cwd: ~/\n---\nalive\n");
}

#[test]
fn a_lost_shell_can_be_forgotten() {
    let world = World::new();
    world.run(&["main", "/info"]);
    for name in ["one", "two"] {
        world.run(&["bash", "spawn", name]);
    }
    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    let run = world.run(&["--raw", "bash", "kill", "one"]);
    assert_eq!(run.out, "Forgotten: bash:one, which was lost when the daemon ended\n");
    let run = world.run(&["--raw", "main", "/session close bash:two"]);
    assert_eq!(run.out, "Closed topic: bash:two\n");
    let run = world.run(&["--raw", "bash", "list"]);
    assert!(!run.out.contains("was lost"), "{}", run.out);
    assert_eq!(world.run(&["bash", "kill", "one"]).code, Some(1));
    let run = world.run(&["--raw", "bash", "spawn"]);
    assert!(run.out.contains("Usage: /spawn NAME"), "{}", run.out);
}

#[test]
fn a_stop_does_not_wait_for_what_runs() {
    let world = World::new();
    let running = world.spawn(&["--raw", "bash:dev", "echo $$; sleep 1000"]);
    while !world.run(&["--raw", "bash", "list"]).out.contains("running for") {}
    let before = std::time::Instant::now();
    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    assert!(before.elapsed() < std::time::Duration::from_secs(4), "{:?}", before.elapsed());
    let run = support::read(running.wait_with_output().unwrap());
    assert!(run.out.starts_with("ERROR(EXIT_130)") && run.out.contains("\n(the daemon stops)\n"), "{run:?}");
    let run = world.run(&["--raw", "bash:dev", "true"]);
    assert!(run.out.contains("it was running: echo $$; sleep 1000; this is a fresh one"), "{run:?}");
}

#[test]
fn long_output_can_be_opened_and_nothing_else_of_strings_own() {
    let world = World::new();
    let run = world.run(&["--raw", "bash:dev", "seq 30000"]);
    assert!(run.out.ends_with("\n29999\n30000\n"), "{}", &run.out[run.out.len() - 200..]);
    let (_, rest) = run.out.split_once("full output: ").unwrap();
    let (path, _) = rest.split_once(" …").unwrap();
    let run = world.run(&["--raw", "main", &format!("/open {path}")]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("\n1\n2\n3\n"), "{}", &run.out[..200]);
    for look in ["/open ~/.string/output", "/ls ~/.string/output"] {
        let run = world.run(&["main", look]);
        assert!(run.code == Some(0) && run.out.contains(".log"), "{run:?}");
    }
    symlink(world.root().join("run/token"), world.home().join(".string/output/link.md")).unwrap();
    for path in [
        "~/.string/output/../run/token",
        "~/.string/output/link.md",
        "~/.string/run/token",
        "~/.string/config.json",
        "~/.string/outputs",
        "~/.string",
    ] {
        let run = world.run(&["--raw", "main", &format!("/open {path}")]);
        assert!(run.out.starts_with("ERROR(INVALID_PATH)"), "{path}: {}", run.out);
    }
    let run = world.run(&["--raw", "main", "/write ~/.string/output/x.md\nmine"]);
    assert!(run.out.starts_with("ERROR(INVALID_PATH)"), "{}", run.out);
    let run = world.run(&["--raw", "main", "/open ~/.string/output/gone.log"]);
    assert!(run.out.starts_with("ERROR(NOT_FOUND)"), "{}", run.out);
}

#[test]
fn the_doctor_finds_what_is_wrong_and_says_how_to_repair_it() {
    let world = World::new();
    world.run(&["bash:dev", "true"]);
    let run = world.run(&["--raw", "system", "doctor"]);
    assert_eq!(run.code, Some(0));
    for what in
        ["socket", "port", "files", "lock", "settings", "disk", "store", "landlock", "boundary", "processes"]
    {
        let line = run.out.lines().find(|line| line.split_whitespace().nth(1) == Some(what));
        assert!(line.is_some(), "{what}: {}", run.out);
    }
    assert!(run.out.contains("none left behind; running below the daemon: 1"), "{}", run.out);
    let token = world.root().join("run/token");
    fs::set_permissions(&token, fs::Permissions::from_mode(0o644)).unwrap();
    fs::remove_file(world.root().join("store/daemon.lock")).unwrap();
    fs::write(world.root().join("store/daemon.lock"), "").unwrap();
    let run = world.run(&["system", "doctor", "--json"]);
    for part in [
        format!("chmod 600 {}", token.display()),
        "a second daemon could start".into(),
        "\"state\": \"problem\"".into(),
    ] {
        assert!(run.out.contains(&part), "{part}: {}", run.out);
    }
}

#[test]
fn commands_have_the_limit_of_open_files_that_the_daemon_was_started_with() {
    let world = World::new();
    let mut first = world.command("/bin/bash");
    first.args([
        "-c",
        "ulimit -Sn 256 && exec \"$@\"",
        "-",
        support::STRING,
        "--raw",
        "bash:dev",
        "ulimit -Sn",
    ]);
    assert_eq!(support::finish(first).out, "exit: 0 | cwd: ~/\n---\n256\n");
    assert_eq!(world.run(&["--raw", "main", "/exec ulimit -Sn"]).out, "exit: 0 | cwd: ~/\n---\n256\n");
    // The daemon itself needs more: a shell holds several.
    let limits = fs::read_to_string(format!("/proc/{}/limits", world.daemon())).unwrap();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    assert_ne!(files.split_whitespace().next(), Some("256"), "{limits}");
}

#[test]
fn an_agent_cannot_loosen_its_own_boundary() {
    let world = World::new();
    let string = support::STRING;
    // Inside the default boundary the daemon is out of reach altogether.
    let run = world.run(&["--raw", "bash:in", &format!("{string} agent boundary none; ls ~/.string/run")]);
    assert!(
        run.out.contains("String cannot be reached from here") && run.out.contains("No such file"),
        "{}",
        run.out
    );
    for action in ["stop", "status", "start"] {
        let run = world.run(&["--raw", "bash:in", &format!("{string} --daemon {action}")]);
        assert!(run.out.starts_with("ERROR(EXIT_3)") && run.out.contains("cannot be reached"), "{}", run.out);
    }
    // Without one it can be reached, and refuses: also those who have left their terminal and their parents.
    assert_eq!(world.run(&["agent", "boundary", "none"]).code, Some(0));
    world.run(&["agent", "add", "other", "--boundary", "isolated"]);
    let refused = "ERROR(NOT_ALLOWED): Agents and what they may touch are changed by a person only.";
    for words in [
        "boundary none",
        "allow /etc",
        "set-home /",
        "add evil",
        "rm other",
        "--agent other agent boundary none",
    ] {
        let words = if words.starts_with("--") { words.to_owned() } else { format!("agent {words}") };
        let run = world.run(&["--raw", "main", &format!("/exec {string} {words}")]);
        assert!(run.out.contains(refused), "{words}: {}", run.out);
    }
    let detached = format!(
        "(setsid nohup {string} agent boundary none >out 2>&1 &); until grep -q '</' out; do :; done; cat out"
    );
    let run = world.run(&["--raw", "bash:out", &detached]);
    assert!(run.out.contains(refused), "{}", run.out);
}
