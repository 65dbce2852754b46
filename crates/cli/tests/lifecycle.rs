//! The daemon's life, from the first command to the last.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Stdio;

use rustix::process::Signal;
use support::{STRING, World, finish, kill, read, wait, watch};

#[test]
fn the_first_command_starts_the_daemon_and_stop_leaves_nothing() {
    let world = World::new();
    let run = world.run(&["--daemon", "status"]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), "String daemon is not running.\n"));

    let run = world.run(&["main", "/info"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert!(run.out.starts_with("<𝒞=string:main>\nSession info\n---\n"), "{}", run.out);
    let daemon = world.daemon();
    assert_eq!(world.daemons(), [daemon]);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(world.root().join("run")), 0o700);

    let run = world.run(&["--daemon", "status"]);
    assert_eq!(run.code, Some(0));
    for part in [format!("pid:      {daemon}\n"), format!("version:  {}\n", env!("CARGO_PKG_VERSION"))] {
        assert!(run.out.contains(&part), "{part} is missing in {}", run.out);
    }

    let run = world.run(&["--daemon", "stop"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "String daemon stopped.\n"));
    assert_eq!(world.daemons(), [] as [u32; 0]);
    assert!(!world.root().join("run/string.sock").exists());
    assert_eq!(world.run(&["--daemon", "stop"]).out, "String daemon is not running.\n");
}

#[test]
fn fifty_first_calls_get_fifty_answers_from_one_daemon() {
    let world = World::new();
    let calls: Vec<_> = (0..50).map(|number| world.spawn(&[&format!("t{number}"), "/info"])).collect();
    for (number, call) in calls.into_iter().enumerate() {
        let run = read(call.wait_with_output().unwrap());
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.out.starts_with(&format!("<𝒞=string:t{number}>\nSession info\n")), "{}", run.out);
    }
    assert_eq!(world.daemons(), [world.daemon()]);
}

#[test]
fn a_killed_daemon_is_restarted_by_the_next_command() {
    let world = World::new();
    world.run(&["main", "/info"]);
    let first = world.daemon();
    let end = watch(first);
    kill(first, Signal::KILL);
    wait(&end);
    let run = world.run(&["main", "/info"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_ne!(world.daemon(), first);
    assert_eq!(world.daemons(), [world.daemon()]);
}

#[test]
fn stale_files_are_never_in_the_way() {
    let world = World::new();
    let run = world.root().join("run");
    fs::create_dir_all(&run).unwrap();
    drop(UnixListener::bind(run.join("string.sock")).unwrap());
    // A process that lives and is no daemon.
    fs::write(run.join("daemon.pid"), std::process::id().to_string()).unwrap();
    fs::write(run.join("start.lock"), "").unwrap();
    assert_eq!(world.run(&["main", "/info"]).code, Some(0));
    assert_eq!(world.daemons(), [world.daemon()]);
}

#[test]
fn the_daemon_keeps_none_of_the_callers_descriptors() {
    let world = World::new();
    // `finish` returns only when nobody holds the other ends of stdout and stderr any more.
    let mut shell = world.command("bash");
    shell.args(["-c", "\"$0\" main /info 7>&1 8>&2 9<&1", STRING]);
    assert_eq!(finish(shell).code, Some(0));
    assert_eq!(world.daemons().len(), 1);
}

#[test]
fn the_daemon_does_not_keep_the_callers_directory() {
    let world = World::new();
    world.run(&["main", "/info"]);
    let directory = fs::read_link(format!("/proc/{}/cwd", world.daemon())).unwrap();
    assert_eq!(directory.to_str(), Some("/"));
}

#[test]
fn a_root_too_long_for_a_socket_path_works() {
    let world = World::new();
    let root = world.home().join("r".repeat(100)).join("s".repeat(100));
    for words in [&["main", "/info"], &["--daemon", "status"], &["--daemon", "stop"]] {
        let mut command = world.string(words);
        command.env("STRING_ROOT", &root);
        let run = finish(command);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

#[test]
fn a_relative_root_is_the_same_from_the_daemons_side() {
    let world = World::new();
    let mut command = world.string(&["main", "/info"]);
    command.env("STRING_ROOT", "here");
    assert_eq!(finish(command).code, Some(0));
    assert!(world.home().join("here/run/string.sock").exists());
}

#[test]
fn a_daemon_that_cannot_start_says_why() {
    let world = World::new();
    fs::create_dir_all(world.root().join("store")).unwrap();
    fs::write(
        world.root().join("store/string.db"),
        "not a database, but long enough to be looked at\n".repeat(100),
    )
    .unwrap();
    for words in [&["main", "/info"] as &[&str], &["--daemon", "start"], &["--daemon", "foreground"]] {
        let run = world.run(words);
        assert_eq!((run.code, run.out.as_str()), (Some(3), ""), "{run:?}");
        assert!(run.err.contains("not a database"), "{}", run.err);
    }
}

#[test]
fn a_root_that_cannot_be_made_is_named() {
    let world = World::new();
    fs::write(world.home().join("file"), "").unwrap();
    let mut command = world.string(&["main", "/info"]);
    command.env("STRING_ROOT", world.home().join("file"));
    let run = finish(command);
    assert_eq!((run.code, run.out.as_str()), (Some(3), ""), "{run:?}");
    assert!(run.err.contains("/file"), "{}", run.err);
}

#[test]
fn a_port_in_use_does_not_keep_the_command_line_from_working() {
    let world = World::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = world.string(&["main", "/info"]);
    command.env("STRING_PORT", taken.local_addr().unwrap().port().to_string());
    assert_eq!(finish(command).code, Some(0));
    // Whoever starts it by hand is told.
    let run = world.run(&["--daemon", "start"]);
    assert_eq!(run.code, Some(0));
    assert!(run.err.contains("another program has its port"), "{run:?}");
}

#[test]
fn start_is_content_with_a_daemon_that_runs() {
    let world = World::new();
    let run = world.run(&["--daemon", "start"]);
    assert_eq!((run.code, run.out), (Some(0), format!("String daemon started (pid {}).\n", world.daemon())));
    let run = world.run(&["--daemon", "start"]);
    assert_eq!(
        (run.code, run.out),
        (Some(0), format!("String daemon already running (pid {}).\n", world.daemon()))
    );
}

#[test]
fn foreground_serves_until_it_is_told_to_stop() {
    for signal in [Signal::INT, Signal::TERM] {
        let world = World::new();
        let mut child = world.string(&["--daemon", "foreground"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let banner = lines.next().unwrap().unwrap();
        assert!(banner.contains("Ctrl-C stops it"), "{banner}");
        assert_eq!(world.run(&["main", "/info"]).code, Some(0));
        assert_eq!(world.daemon(), child.id());
        let second = world.run(&["--daemon", "foreground"]);
        assert_eq!(second.code, Some(3), "{second:?}");
        kill(child.id(), signal);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert_eq!(world.run(&["--daemon", "status"]).code, Some(1));
    }
}

#[test]
fn commands_sent_while_the_daemon_stops_find_its_successor() {
    let world = World::new();
    world.run(&["main", "/info"]);
    for _ in 0..5 {
        let run = world.run(&["system", "stop"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let run = world.run(&["main", "/info"]);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

#[test]
fn a_daemon_that_is_still_flushing_is_waited_for() {
    let world = World::new();
    let store = world.root().join("store");
    fs::create_dir_all(&store).unwrap();
    // What a daemon holds to its very end, when its doors are long closed.
    let held = fs::File::create(store.join("daemon.lock")).unwrap();
    held.lock().unwrap();
    let mut child = world.spawn(&["main", "/info"]);
    let inode = held.metadata().unwrap().ino();
    while !somebody_waits_for(inode) && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    drop(held);
    let run = read(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn what_is_cleaned_away_under_a_daemon_is_made_anew() {
    let world = World::new();
    world.run(&["main", "/set {kept} = \"yes\""]);
    let daemon = world.daemon();
    let run = world.root().join("run");
    let token = fs::read(run.join("token")).unwrap();
    let clean: [fn(&Path); 3] = [
        |run| fs::remove_file(run.join("string.sock")).unwrap(),
        |run| fs::rename(run, run.with_file_name("moved")).unwrap(),
        |run| fs::remove_dir_all(run).unwrap(),
    ];
    for clean in clean {
        clean(&run);
        let told = world.run(&["--raw", "main", "/set"]);
        assert!(told.out.contains("{kept} = \"yes\""), "{told:?}");
        assert_eq!((world.daemon(), fs::read(run.join("token")).unwrap()), (daemon, token.clone()));
    }
    assert_eq!(world.run(&["--daemon", "stop"]).code, Some(0));
    assert!(!run.join("string.sock").exists());
}

#[test]
fn a_daemon_whose_root_is_gone_ends_and_the_next_command_starts_afresh() {
    let world = World::new();
    world.run(&["main", "/set {kept} = \"no\""]);
    let daemon = world.daemon();
    let end = watch(daemon);
    fs::remove_dir_all(world.root()).unwrap();
    let told = world.run(&["--raw", "main", "/set"]);
    assert!(!told.out.contains("kept") && told.code == Some(0), "{told:?}");
    wait(&end);
    assert_ne!(world.daemon(), daemon);
    assert_eq!(world.run(&["--raw", "main", "/set"]).out, told.out);
}

/// Whether the kernel lists somebody who wants a lock on the file and cannot have it yet.
fn somebody_waits_for(inode: u64) -> bool {
    let locks = fs::read_to_string("/proc/locks").unwrap();
    locks.lines().any(|line| line.contains("-> ") && line.contains(&format!(":{inode} ")))
}
