//! Command lines and what they mean.

use clap::Parser;

use super::*;
use crate::failure::Status;

/// As in a terminal, or as in a script with an open pipe on standard input.
fn planned(words: &[&str], stream: Stream) -> Result<Plan, Failure> {
    let arguments = Arguments::try_parse_from(std::iter::once(&"string").chain(words)).unwrap();
    plan(&arguments, &Environment { stdin: stream, stdout: stream, ..Default::default() })
}

fn sent(topic: &str, cmd: &str, stdin: Stdin, show: Show) -> Plan {
    Plan::Call(Call { topic: topic.into(), cmd: cmd.into(), stdin, show })
}

#[test]
fn what_is_sent() {
    use Show::{Envelope, Json, Raw};
    use Stdin::{Body, Payload, Unread};
    let table: &[(&[&str], Plan)] = &[
        (&["main", "/info"], sent("main", "/info", Unread, Envelope)),
        (&["", "/info"], sent("", "/info", Unread, Envelope)),
        (&["/info"], sent("", "/info", Unread, Envelope)),
        (&["/open", "my file.md"], sent("", "/open \"my file.md\"", Unread, Envelope)),
        (&["main", "/open", "a.md"], sent("main", "/open a.md", Unread, Envelope)),
        (&["main", "hello world"], sent("main", "hello world", Unread, Envelope)),
        (&["main", ""], sent("main", "", Unread, Envelope)),
        (&["intro.md", "/info"], sent("intro.md", "/info", Unread, Envelope)),
        (&["bash:dev", "ls", "-la"], sent("bash:dev", "ls -la", Unread, Envelope)),
        (&["main", "/session close a\n/topics"], sent("main", "/session close a\n/topics", Unread, Envelope)),
        // Hubs.
        (&["app"], sent("app", "/open", Unread, Envelope)),
        (&["agent", "use", "codex"], sent("agent", "/use codex", Unread, Envelope)),
        (
            &["agent", "add", "x", "--home", "/my dir"],
            sent("agent", "/add x --home \"/my dir\"", Unread, Envelope),
        ),
        (&["system", "/status"], sent("system", "/status", Unread, Envelope)),
        (&["app", "list", "--json"], sent("app", "/list --json", Unread, Raw)),
        (&["app", "/list --json"], sent("app", "/list --json", Unread, Raw)),
        (&["--json", "app", "list", "--json"], sent("app", "/list --json", Unread, Json)),
        (&["main", "/list", "--json"], sent("main", "/list --json", Unread, Envelope)),
        // How it is shown.
        (&["--json", "main", "/info"], sent("main", "/info", Unread, Json)),
        (&["--raw", "/info"], sent("", "/info", Unread, Raw)),
        // Standard input.
        (&["--stdin", "main", "/set", "x"], sent("main", "/set x", Body, Envelope)),
        (&["--stdin", "main"], sent("main", "", Payload, Envelope)),
        (&["main", "--stdin"], sent("main", "", Payload, Envelope)),
        (&["--raw", "agent", "--stdin"], sent("agent", "", Payload, Raw)),
        (&["--stdin"], sent("", "", Payload, Envelope)),
        (&["main", "/write", "a.md"], sent("main", "/write a.md", Body, Envelope)),
        (&["/Append a.md"], sent("", "/Append a.md", Body, Envelope)),
        (&["app:x", "//replace a.md"], sent("app:x", "//replace a.md", Body, Envelope)),
        (&["main", "/write a.md\nbody"], sent("main", "/write a.md\nbody", Unread, Envelope)),
        (&["main", "/writer a.md"], sent("main", "/writer a.md", Unread, Envelope)),
        (&["main", "write a.md"], sent("main", "write a.md", Unread, Envelope)),
        (&["bash:dev", "/write a.md"], sent("bash:dev", "/write a.md", Unread, Envelope)),
        (&["agent", "write", "a.md"], sent("agent", "/write a.md", Unread, Envelope)),
        (&["no topic", "/write a.md"], sent("no topic", "/write a.md", Unread, Envelope)),
    ];
    for (words, expected) in table {
        assert_eq!(&planned(words, Stream::Other).unwrap(), expected, "{words:?}");
    }
}

#[test]
fn a_terminal_is_never_taken_for_a_body() {
    let plan = planned(&["main", "/write", "a.md"], Stream::Terminal).unwrap();
    assert_eq!(plan, sent("main", "/write a.md", Stdin::Unread, Show::Envelope));
}

#[test]
fn a_topic_alone_is_a_session_on_a_terminal_and_a_mistake_elsewhere() {
    assert_eq!(planned(&["docs"], Stream::Terminal).unwrap(), Plan::Repl("docs".into()));
    let failure = planned(&["docs"], Stream::Other).unwrap_err();
    assert_eq!(failure.status, Status::Usage);
    assert!(failure.message.contains("string docs /info"), "{}", failure.message);
    let failure = planned(&["help"], Stream::Other).unwrap_err();
    assert!(failure.message.contains("string /help"), "{}", failure.message);
}

#[test]
fn the_other_modes() {
    for (words, expected) in [
        (&[] as &[&str], Plan::StartPage),
        (&["--chanflow"], Plan::Chanflow),
        (&["--daemon", "stop"], Plan::Daemon(Action::Stop)),
        (&["--completions", "zsh"], Plan::Completions(Shell::Zsh)),
    ] {
        assert_eq!(planned(words, Stream::Other).unwrap(), expected, "{words:?}");
    }
    for words in [["--json"], ["--raw"], ["--agent=x"]] {
        assert_eq!(planned(&words, Stream::Terminal).unwrap_err().status, Status::Usage, "{words:?}");
    }
}
