//! A person at the terminal beside the agent.

use shell::{Attachment, Size};

use crate::support::{Fixture, LONG, finished, text, waits_for_input};

/// Reads until the person has seen `wanted`.
async fn sees(person: &mut Attachment, wanted: &str) -> String {
    let mut seen = String::new();
    let reading = async {
        while !seen.contains(wanted) {
            seen.push_str(&String::from_utf8_lossy(&person.output().await.unwrap()));
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
    assert_eq!(turn.earlier.unwrap().output.head, "type 5\n");
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
async fn a_window_may_change_its_size() {
    let fixture = Fixture::new().await;
    let person = fixture.shell.attach(Size { columns: 80, rows: 24 }).await.unwrap();
    fixture.check("stty size", 0, "24 80\n").await;
    person.resize(Size { columns: 132, rows: 43 }).await;
    fixture.check("stty size", 0, "43 132\n").await;
    person.resize(Size { columns: 0, rows: 0 }).await;
    fixture.check("stty size", 0, "43 132\n").await;
}
