//! One-shot commands.

use std::time::Duration;

use shell::boundary::Boundary;
use shell::exec::{Command, End, Executed, exec, exec_apart};
use shell::{Error, LogFiles, Status};
use tempfile::TempDir;

use crate::support::{LONG, Marker, environment, spawner};

fn command(home: &TempDir, text: &str) -> Command {
    Command {
        text: text.into(),
        directory: home.path().to_owned(),
        environment: environment(home.path()),
        boundary: Boundary::none(),
        limit: LONG,
        logs: LogFiles { directory: home.path().join("output"), cap: shell::limits::LOG },
        live: None,
    }
}

async fn run(text: &str) -> Executed {
    let home = tempfile::tempdir().unwrap();
    exec(&spawner(), command(&home, text)).await.unwrap()
}

#[tokio::test]
async fn a_command_runs_clean_each_time() {
    let table = [
        ("echo out; echo err >&2; echo out again; exit 3", 3, "out\nerr\nout again\n"),
        ("cat; echo end of input", 0, "end of input\n"),
        ("for i in 1 2\ndo echo \"n $i\"\ndone", 0, "n 1\nn 2\n"),
        ("echo $TERM $USER $PAGER", 0, "dumb agent cat\n"),
        ("kill -9 $$", 137, ""),
        ("printf '\\033[31mred\\033[0m\\n'", 0, "red\n"),
        ("[ -t 0 ] || [ -t 1 ] || echo no terminal", 0, "no terminal\n"),
        ("ls /proc/self/fd | wc -l", 0, "4\n"),
    ];
    for (text, status, expected) in table {
        let executed = run(text).await;
        let End::Finished(ended) = executed.end else { panic!("{text}: {executed:?}") };
        assert_eq!((ended.code(), executed.output.head.as_str()), (status, expected), "{text}");
    }
}

#[tokio::test]
async fn a_command_over_its_limit_ends_with_its_whole_tree() {
    let (home, marker) = (tempfile::tempdir().unwrap(), Marker::new());
    let text =
        format!("echo before; setsid {marker} & {marker} & trap '' TERM; {marker}; {marker}; {marker}");
    let mut command = command(&home, &text);
    command.limit = Duration::from_millis(500);
    let executed = exec(&spawner(), command).await.unwrap();
    assert_eq!((executed.end, executed.output.head.as_str()), (End::TimedOut, "before\n"));
    assert_eq!(marker.count(), 0);
}

#[tokio::test]
async fn a_command_over_its_limit_is_asked_first() {
    let home = tempfile::tempdir().unwrap();
    let mut command = command(&home, "trap 'echo asked; exit' TERM; sleep 1000 & wait");
    command.limit = Duration::from_millis(500);
    let executed = exec(&spawner(), command).await.unwrap();
    assert_eq!((executed.end, executed.output.head.as_str()), (End::TimedOut, "asked\n"));
}

#[tokio::test]
async fn nothing_is_left_after_the_end() {
    let marker = Marker::new();
    let executed = run(&format!("setsid {marker} & nohup {marker} & echo started")).await;
    assert_eq!(executed.end, End::Finished(Status::SUCCESS));
    assert!(executed.output.head.ends_with("started\n"), "{executed:?}");
    assert_eq!(marker.count(), 0);
}

#[tokio::test]
async fn dropping_the_call_ends_the_command() {
    let (home, marker) = (tempfile::tempdir().unwrap(), Marker::new());
    let spawner = spawner();
    let call = tokio::spawn({
        let command = command(&home, &format!("{marker}; {marker}"));
        async move { exec(&spawner, command).await }
    });
    marker.wait_for(1).await;
    call.abort();
    marker.wait_for(0).await;
}

#[tokio::test]
async fn outputs_can_be_kept_apart_as_they_are() {
    let home = tempfile::tempdir().unwrap();
    let mut command = command(&home, "printf '%s\\0\\377' \"$VALUE\"; echo err >&2; exit 4");
    command.environment = command.environment.with("VALUE", "; id $(id) 'q\n");
    let executed = exec_apart(&spawner(), command, 1 << 20).await.unwrap();
    assert_eq!(executed.end, End::Finished(Status::Code(4)));
    assert_eq!(executed.stdout.bytes, b"; id $(id) 'q\n\0\xff");
    assert_eq!(
        (executed.stderr.bytes.as_slice(), executed.stderr.text.head.as_str()),
        (&b"err\n"[..], "err\n")
    );
    let many = self::command(&home, "head -c 300000 /dev/zero");
    let executed = exec_apart(&spawner(), many, 1000).await.unwrap();
    assert_eq!((executed.stdout.bytes.len(), executed.stdout.total), (1000, 300_000));
}

#[tokio::test]
async fn long_output_is_bounded() {
    let home = tempfile::tempdir().unwrap();
    let executed = exec(&spawner(), command(&home, "seq 300000")).await.unwrap();
    let all: u64 = (1..=300_000u64).map(|n| n.to_string().len() as u64 + 1).sum();
    let output = executed.output;
    assert_eq!(output.head.len() as u64 + output.omitted + output.tail.len() as u64, all);
    assert!(output.tail.ends_with("300000\n"));
    assert_eq!(std::fs::metadata(output.log.unwrap()).unwrap().len(), all);
}

#[tokio::test]
async fn output_can_be_watched() {
    let home = tempfile::tempdir().unwrap();
    let sender = tokio::sync::broadcast::Sender::new(16);
    let mut live = sender.subscribe();
    let mut command = command(&home, "echo one; echo two");
    command.live = Some(sender);
    exec(&spawner(), command).await.unwrap();
    let mut seen = String::new();
    while let Ok(shell::Live::Text(text)) = live.try_recv() {
        seen.push_str(&text);
    }
    assert_eq!(seen, "one\ntwo\n");
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let home = tempfile::tempdir().unwrap();
    let mut nowhere = command(&home, "true");
    nowhere.directory = home.path().join("missing");
    let failed = exec(&spawner(), nowhere).await;
    let Err(Error::Guard { stage, .. }) = failed else { panic!("{failed:?}") };
    assert_eq!(stage, "enter the working directory");
    assert!(matches!(exec(&spawner(), command(&home, "a\0b")).await, Err(Error::NulByte)));
}
