//! Output of a real terminal: bounded, rendered, always text.

use shell::Live;

use crate::support::{Fixture, finished, text};

#[tokio::test]
async fn twenty_megabytes_on_one_line_are_bounded_to_the_byte() {
    let fixture = Fixture::new().await;
    let turn = fixture.run("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end").await;
    let output = &turn.output;
    assert_eq!(output.head.len(), 16 * 1024);
    assert!(output.head.bytes().all(|byte| byte == b'x'), "the line was wrapped");
    assert!(output.tail.len() <= shell::limits::TAIL && output.tail.ends_with("xx\nend\n"));
    assert_eq!(output.head.len() as u64 + output.omitted + output.tail.len() as u64, 20_000_005);
    let log = std::fs::metadata(output.log.as_ref().unwrap()).unwrap();
    assert_eq!(log.len(), 20_000_005);
    fixture.alive().await;
}

#[tokio::test]
async fn many_lines_are_bounded_and_whole_in_the_log() {
    let fixture = Fixture::new().await;
    let turn = fixture.run("seq 300000").await;
    let all: String = (1..=300_000).map(|n| format!("{n}\n")).collect();
    let output = &turn.output;
    assert!(all.starts_with(&output.head) && all.ends_with(&output.tail));
    assert_eq!(output.head.len() as u64 + output.omitted + output.tail.len() as u64, all.len() as u64);
    assert_eq!(std::fs::read_to_string(output.log.as_ref().unwrap()).unwrap(), all);
    fixture.alive().await;
}

#[tokio::test]
async fn what_a_person_would_see() {
    let fixture = Fixture::new().await;
    fixture.check("printf '\\033[1;31mred\\033[0m \\033]0;title\\007ok\\n'", 0, "red ok\n").await;
    fixture.check("for i in 1 50 100; do printf '\\r%3d%%' $i; done; echo", 0, "100%\n").await;
    fixture.check("printf 'a\\tb\\n\\tc\\n'", 0, "a\tb\n\tc\n").await;
    fixture.check("printf '\\033[?1049hdrawn\\033[?1049l'; echo after", 0, "after\n").await;
    fixture.check("printf '\\033]52;c;aGk=\\007\\033[?2004h'; echo x", 0, "x\n").await;
    fixture.check("printf '\\033['", 0, "").await;
    fixture.check("printf '\\033]0;never ended'", 0, "").await;
    fixture.check("printf '%0500d\\n' 7", 0, &format!("{:0500}\n", 7)).await;
}

#[tokio::test]
async fn output_is_text_whatever_was_written() {
    let fixture = Fixture::new().await;
    let turn = fixture.run("printf 'a\\0b\\377c\\n'").await;
    assert!(turn.output.binary);
    assert_eq!(text(&turn), "ab\u{fffd}c\n");
    fixture.alive().await;
    let turn = fixture.run("head -c 300000 /dev/urandom").await;
    assert!(turn.output.binary);
    fixture.run("true").await;
    fixture.alive().await;
    let turn = fixture.run("echo plain").await;
    assert!(!turn.output.binary);
    fixture.check("for b in '\\346' '\\274' '\\242'; do printf $b; sleep 0.01; done; echo", 0, "漢\n").await;
}

#[tokio::test]
async fn queries_of_programs_are_answered_in_raw_mode_only() {
    let fixture = Fixture::new().await;
    let ask = "stty raw -echo; printf '\\033[6n'; IFS= read -r -d R -t 10 answer; stty sane; printf '%q\\n' \"$answer\"";
    let (status, output) = fixture.finish(ask).await;
    assert_eq!((status, output.as_str()), (0, "$'\\E[1;1'\n"));
    fixture.check("printf '\\033[6n\\033[c'; sleep 0.3", 0, "").await;
    fixture.check("read -t 0 || echo nothing to read", 0, "nothing to read\n").await;
}

#[tokio::test]
async fn output_can_be_watched_while_it_happens() {
    let fixture = Fixture::new().await;
    fixture.finish("mkfifo go").await;
    let mut live = fixture.shell.subscribe();
    let watch = async {
        let mut seen = String::new();
        loop {
            match live.recv().await.unwrap() {
                Live::Text(text) => seen.push_str(&text),
                Live::Line(line) if line == "partly" => {
                    // Only now may the command go on: it was seen before it ended.
                    std::fs::write(fixture.path().join("go"), "\n").unwrap();
                }
                Live::Finished(status) => return (status.code(), seen),
                Live::Line(_) | Live::Died(_) => {}
            }
        }
    };
    let run = fixture.run("echo one; printf partly; read x <go; echo ' whole'; (exit 2)");
    let (turn, seen) = tokio::join!(run, watch);
    assert_eq!(finished(&turn), (2, "one\npartly whole\n".into()));
    assert_eq!(seen, (2, "one\npartly whole\n".into()));
}
