//! A person at the terminal beside the agent.

use shell::{Attachment, End, Error, Shown, Size, Status};

use crate::support::{Fixture, LONG, finished, text, waits_for_input};

/// Reads until the person has seen `wanted`.
async fn sees(person: &mut Attachment, wanted: &str) -> String {
    let mut seen = String::new();
    let reading = async {
        while !seen.contains(wanted) {
            match person.output().await.unwrap() {
                Shown::Bytes(bytes) => seen.push_str(&String::from_utf8_lossy(&bytes)),
                Shown::Ran(command) => seen.push_str(&format!("(ran {command})")),
            }
        }
    };
    let found = tokio::time::timeout(LONG, reading).await;
    assert!(found.is_ok(), "{wanted:?} not in {seen:?}");
    seen
}

#[tokio::test]
async fn a_person_sees_raw_output_and_types_into_what_runs() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size { columns: 100, rows: 30 }).await.unwrap();
    sees(&mut person, "$ ").await;
    let run = fixture.run("printf '\\033[31mname?\\033[0m '; read name; echo \"hi $name\"; stty size");
    waits_for_input(&run.await);
    sees(&mut person, "\x1b[31mname?\x1b[0m ").await;
    person.keys(b"World\r".to_vec()).await;
    sees(&mut person, "hi World\r\n30 100\r\n").await;
    let turn = fixture.shell.wait(LONG).await.unwrap();
    assert_eq!(finished(&turn), (0, "World\nhi World\n30 100\n".into()));
    drop(person);
    fixture.check("stty size", 0, "48 160\n").await;
}

#[tokio::test]
async fn a_person_runs_a_command_and_the_agent_is_told() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    person.keys(b"x=5; echo typee\x7f \"$x\"\r".to_vec()).await;
    sees(&mut person, "type 5\r\n").await;
    sees(&mut person, "$ ").await;
    let turn = fixture.run("echo $x").await;
    assert_eq!(text(&turn), "5\n");
    let [earlier] = turn.untold.earlier.as_slice() else { panic!("{:?}", turn.untold.earlier) };
    assert_eq!(
        (earlier.typed.as_deref(), earlier.output.head.as_str()),
        (Some("x=5; echo type \"$x\""), "type 5\n")
    );
}

#[tokio::test]
async fn every_command_of_a_person_is_told_up_to_a_limit() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    for number in 0..10 {
        let typing = person.keys(format!("echo run-$(({number}+0))\r").into_bytes()).await;
        assert_eq!(typing.commands, [format!("echo run-$(({number}+0))")]);
        sees(&mut person, &format!("run-{number}\r\n")).await;
        sees(&mut person, "$ ").await;
    }
    let turn = fixture.run("true").await;
    let told: Vec<_> = turn.untold.earlier.iter().map(|earlier| earlier.output.head.as_str()).collect();
    assert_eq!(told.len(), 8);
    assert_eq!((told[0], told[7]), ("run-2\n", "run-9\n"));
}

#[tokio::test]
async fn a_person_sees_the_agents_commands_and_what_already_runs() {
    let fixture = Fixture::new().await;
    let mut first = fixture.shell.attach(Size::USUAL).await.unwrap();
    sees(&mut first, "$ ").await;
    waits_for_input(&fixture.run("echo started\nread line").await);
    sees(&mut first, "echo started\r\nread line\r\n").await;
    sees(&mut first, "started\r\n").await;
    let mut second = fixture.shell.attach(Size::USUAL).await.unwrap();
    sees(&mut second, "started\r\n").await;
    assert!(first.keys(b"x".to_vec()).await == Default::default(), "a key alone is nothing to tell");
    assert!(second.keys(b"\r".to_vec()).await.input);
    sees(&mut first, "$ ").await;
    fixture.alive().await;
}

#[tokio::test]
async fn the_end_of_the_shell_is_the_end_of_the_output() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    person.keys(b"exit 3\r".to_vec()).await;
    let ended = async { while person.output().await.is_some() {} };
    tokio::time::timeout(LONG, ended).await.unwrap();
    assert_eq!(person.end().await, End::Ended(Status::Code(3)));
    let mut late = fixture.shell.attach(Size::USUAL).await.unwrap();
    assert_eq!(tokio::time::timeout(LONG, late.output()).await, Ok(None));
    assert!(fixture.shell.has_ended());
}

#[tokio::test]
async fn what_a_person_ran_before_the_shell_ended_is_told() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    person.keys(b"echo unfinished\r".to_vec()).await;
    sees(&mut person, "\r\nunfinished\r\n").await;
    sees(&mut person, "$ ").await;
    person.keys(b"exit 3\r".to_vec()).await;
    while person.output().await.is_some() {}
    let Err(Error::Gone(death)) = fixture.shell.send("echo not run", LONG).await else { panic!("not gone") };
    let earlier = death.untold.earlier.iter();
    let told: Vec<_> = earlier.map(|one| (one.typed.as_deref(), one.status.code())).collect();
    assert_eq!(told, [(Some("echo unfinished"), 0), (Some("exit 3"), 3)]);
    assert_eq!(death.untold.earlier[0].output.head, "unfinished\n");
}

#[tokio::test]
async fn ctrl_c_of_a_person_ends_the_command_at_any_moment() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    for round in 0..50 {
        sees(&mut person, "$ ").await;
        person.keys(format!("echo {round}; sleep 1000\r").into_bytes()).await;
        sees(&mut person, &format!("\r\n{round}\r\n")).await;
        person.keys(b"\x03".to_vec()).await;
    }
    sees(&mut person, "$ ").await;
    fixture.alive().await;
}

#[tokio::test]
async fn an_empty_line_shows_the_prompt_again() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    sees(&mut person, "$ ").await;
    assert_eq!(person.keys(b"\r".to_vec()).await.commands, [] as [&str; 0]);
    sees(&mut person, "$ ").await;
    assert!(fixture.run("true").await.untold.earlier.is_empty());
}

#[tokio::test]
async fn as_many_empty_lines_as_come_at_once_are_one_prompt() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    sees(&mut person, "$ ").await;
    // As many as one message of an attached person may hold.
    let typing = person.keys([vec![b'\r'; 64 * 1024 - 2], b"ls".to_vec()].concat()).await;
    assert_eq!(typing.commands, [] as [&str; 0]);
    let seen = sees(&mut person, "$ ls").await;
    assert_eq!(seen.matches("$ ").count(), 1);
    assert_eq!(person.keys(b"\x15echo still $((6*7))\r".to_vec()).await.commands, ["echo still $((6*7))"]);
    sees(&mut person, "still 42\r\n").await;
}

#[tokio::test]
async fn what_is_typed_ahead_reaches_the_command() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    person.keys(b"read x; echo \"[$x]\"\rahead\r".to_vec()).await;
    sees(&mut person, "[ahead]\r\n").await;
    fixture.shell.wait(LONG).await.unwrap();
    fixture.alive().await;
}

#[tokio::test]
async fn what_is_typed_ahead_and_not_read_is_run() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    // The second line has an end of its own only later, the fourth is erased before it runs.
    let typing = person.keys(b"echo one\rec".to_vec()).await;
    assert_eq!(typing.commands, ["echo one"]);
    person.keys(b"ho two\r\rread x\rnot a command\r\rrm\x15X=third\recho X is".to_vec()).await;
    let seen = sees(&mut person, "(ran X=third)").await;
    assert!(seen.contains("(ran read x)"), "{seen:?}");
    sees(&mut person, "$ echo X is").await;
    person.keys(b" $X, x is $x\r".to_vec()).await;
    sees(&mut person, "X is third, x is not a command\r\n").await;
    sees(&mut person, "$ ").await;
    let untold = fixture.run("true").await.untold;
    let told: Vec<_> = untold.earlier.iter().filter_map(|earlier| earlier.typed.as_deref()).collect();
    assert_eq!(told, ["echo one", "echo two", "read x", "X=third", "echo X is $X, x is $x"]);
    assert_eq!(untold.unread, None);
}

#[tokio::test]
async fn more_than_the_terminal_holds_may_be_typed_ahead() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    let lines: String = (0..300).map(|number| format!("echo line-{number} >> lines\r")).collect();
    person.keys(format!("{lines}echo al\x7fll-$((1+1))\r").into_bytes()).await;
    sees(&mut person, "all-2\r\n").await;
    sees(&mut person, "$ ").await;
    fixture.check("wc -l < lines; tail -n 1 lines", 0, "300\nline-299\n").await;
}

#[tokio::test]
async fn a_line_that_was_begun_for_a_program_is_edited_on_when_it_has_ended() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    person.keys(b"cat\r".to_vec()).await;
    person.keys(b"ec".to_vec()).await;
    waits_for_input(&fixture.shell.wait(LONG).await.unwrap());
    fixture.shell.interrupt().await.unwrap();
    sees(&mut person, "$ ec").await;
    person.keys(b"ho on-$((1+1))\r".to_vec()).await;
    sees(&mut person, "\r\non-2\r\n").await;
}

#[tokio::test]
async fn what_is_typed_while_it_is_not_shown_is_not_run() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    person.keys(b"mkfifo gate; stty -echo; echo ready-$((1+1)); cat gate; stty echo\r".to_vec()).await;
    sees(&mut person, "ready-2\r\n").await;
    person.keys(b"touch leaked\r".to_vec()).await;
    std::fs::write(fixture.path().join("gate"), "open\n").unwrap();
    sees(&mut person, "$ ").await;
    let turn = fixture.run("ls leaked").await;
    assert_eq!(finished(&turn).0, 2);
    assert_eq!(turn.untold.unread, None);
}

#[tokio::test]
async fn what_somebody_who_has_left_typed_ahead_is_told() {
    let fixture = Fixture::new().await;
    let mut person = fixture.shell.attach(Size::USUAL).await.unwrap();
    person.keys(b"mkfifo gate; echo ready-$((1+1)); cat gate\recho ahead\r".to_vec()).await;
    sees(&mut person, "ready-2\r\n").await;
    drop(person);
    std::fs::write(fixture.path().join("gate"), "open\n").unwrap();
    let turn = fixture.shell.wait(LONG).await.unwrap();
    assert_eq!(turn.untold.unread.as_deref(), Some("echo ahead"));
}

#[tokio::test]
async fn a_window_may_change_its_size() {
    let fixture = Fixture::new().await;
    let person = fixture.shell.attach(Size { columns: 80, rows: 24 }).await.unwrap();
    fixture.check("stty size", 0, "24 80\n").await;
    person.resize(Size { columns: 132, rows: 43 }).await;
    fixture.check("stty size", 0, "43 132\n").await;
    person.resize(Size { columns: 0, rows: 0 }).await;
    fixture.check("stty size", 0, "43 132\n").await;
}
