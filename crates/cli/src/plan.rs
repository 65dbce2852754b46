//! What a command line means: decided here, without doing any of it.

use std::path::{Path, PathBuf};

use clap_complete::Shell;
use runtime::command::table::{self, Body};
use runtime::topic::{Hub, Kind, Topic};

use crate::arguments::{Action, Arguments};
use crate::environment::{Environment, Stream};
use crate::failure::Failure;
use crate::logs::Follow;
use crate::mcp::Listing;
use crate::setup::{Act, Client};
use crate::words;

/// Said where there is neither a topic nor a command.
const NOTHING_TO_DO: &str = "What shall it do? For example: string main /info";

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    StartPage,
    Completions(Shell),
    /// To a file, or to standard output.
    Declarations(Option<PathBuf>),
    Daemon(Action),
    Chanflow,
    Mcp(Listing),
    Setup(Client, Act, Listing),
    /// A person at the terminal of this topic's shell.
    Attach(String),
    Call(Call),
    /// A log, until Ctrl-C.
    Follow(Follow),
    /// An interactive session in this topic.
    Repl(String),
}

/// One command for one topic.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) topic: String,
    pub(crate) cmd: String,
    pub(crate) stdin: Stdin,
    pub(crate) show: Show,
}

/// What standard input is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdin {
    Unread,
    /// The lines below the command.
    Body,
    /// The whole payload.
    Payload,
}

/// How the reply is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    Envelope,
    /// The content alone.
    Raw,
    /// The content alone, which is JSON; an error is none, and keeps its envelope.
    List,
    /// The whole reply object.
    Json,
}

pub(crate) fn plan(arguments: &Arguments, environment: &Environment) -> Result<Plan, Failure> {
    // Not said to clap: there, whatever excludes the other option would lift the need for it.
    if arguments.write && arguments.setup.is_none() {
        return Err(Failure::usage("--write goes with --setup CLIENT."));
    }
    if arguments.tools && !arguments.mcp && arguments.setup.is_none() {
        return Err(Failure::usage("--tools goes with --mcp or --setup CLIENT."));
    }
    let listing = if arguments.tools { Listing::Installed } else { Listing::One };
    if let Some(shell) = arguments.completions {
        return Ok(Plan::Completions(shell));
    }
    if let Some(file) = &arguments.types {
        return Ok(Plan::Declarations(Some(file.clone()).filter(|file| file != Path::new("-"))));
    }
    if let Some(action) = arguments.daemon {
        return Ok(Plan::Daemon(action));
    }
    if arguments.chanflow {
        return Ok(Plan::Chanflow);
    }
    if arguments.mcp {
        return Ok(Plan::Mcp(listing));
    }
    if let Some(topic) = &arguments.attach {
        return attach(topic, environment);
    }
    if let Some(client) = arguments.setup {
        return Ok(Plan::Setup(client, if arguments.write { Act::Write } else { Act::Print }, listing));
    }
    match arguments.words.as_slice() {
        [] if arguments.stdin => Ok(payload_from_stdin("", arguments)),
        [] if arguments.json || arguments.raw || arguments.agent.is_some() => {
            Err(Failure::usage(NOTHING_TO_DO))
        }
        [] => Ok(Plan::StartPage),
        all @ [first, ..] if first.starts_with('/') => call("", all, arguments, environment),
        [topic, words @ ..] => in_topic(topic, words, arguments, environment),
    }
}

fn attach(topic: &str, environment: &Environment) -> Result<Plan, Failure> {
    let canonical = Topic::parse(topic).map_err(|error| Failure::usage(error.to_string()))?;
    if canonical.kind() != Kind::Bash {
        return Err(Failure::usage(format!(
            "{topic} is not a shell. The topic of a shell is bash: and its name, such as bash:dev."
        )));
    }
    if environment.stdin != Stream::Terminal || environment.stdout != Stream::Terminal {
        return Err(Failure::usage(format!(
            "Only a person at a terminal can attach to a shell.\n  \
             To send it a command:  string {topic} 'ls'\n  \
             To see its screen:  string {topic} //screen"
        )));
    }
    Ok(Plan::Attach(canonical.to_string()))
}

fn in_topic(
    topic: &str,
    words: &[String],
    arguments: &Arguments,
    environment: &Environment,
) -> Result<Plan, Failure> {
    match words {
        [] if arguments.stdin => Ok(payload_from_stdin(topic, arguments)),
        [only] if only == "--stdin" => Ok(payload_from_stdin(topic, arguments)),
        [only] if only == "--json" && kind(topic) == Some(Kind::Hub) => {
            // The hub's own list, which is the daemon's state where there is nothing to list.
            let list = if is_system(topic) { "/status --json" } else { "/list --json" };
            call(topic, &[list.to_owned()], arguments, environment)
        }
        [] if kind(topic) == Some(Kind::Hub) => call(topic, &["/open".to_owned()], arguments, environment),
        [] if environment.stdin == Stream::Terminal && environment.stdout == Stream::Terminal => {
            Ok(Plan::Repl(topic.to_owned()))
        }
        [] => Err(no_command(topic)),
        words
            if is_system(topic)
                && let Some(follow) = Follow::parse(words) =>
        {
            follow.map(Plan::Follow)
        }
        words => call(topic, words, arguments, environment),
    }
}

fn is_system(topic: &str) -> bool {
    Topic::parse(topic).is_ok_and(|topic| topic == Topic::Hub(Hub::System))
}

fn payload_from_stdin(topic: &str, arguments: &Arguments) -> Plan {
    let call =
        Call { topic: topic.to_owned(), cmd: String::new(), stdin: Stdin::Payload, show: show(arguments) };
    Plan::Call(call)
}

fn call(
    topic: &str,
    words: &[String],
    arguments: &Arguments,
    environment: &Environment,
) -> Result<Plan, Failure> {
    let kind = kind(topic);
    let cmd = match kind {
        Some(Kind::Hub) => hub_command(&words::join(words)?),
        _ => words::join(words)?,
    };
    let stdin = match environment.stdin {
        _ if arguments.stdin => Stdin::Body,
        Stream::Other if wants_body(kind, &cmd) => Stdin::Body,
        _ => Stdin::Unread,
    };
    let show = match show(arguments) {
        Show::Envelope if kind == Some(Kind::Hub) && asks_for_json(&cmd) => Show::List,
        show => show,
    };
    Ok(Plan::Call(Call { topic: topic.to_owned(), cmd, stdin, show }))
}

/// A hub's management words are its commands without the slash.
pub(crate) fn hub_command(line: &str) -> String {
    if line.starts_with('/') { line.to_owned() } else { format!("/{line}") }
}

/// Whether a command line lacks the body it should have, which may then come from standard input without being asked
/// for. In shells and hubs no command has one.
pub(crate) fn wants_body(kind: Option<Kind>, cmd: &str) -> bool {
    let name = cmd.split_whitespace().next().unwrap_or_default().trim_start_matches('/');
    matches!(kind, Some(Kind::Tab | Kind::App))
        && cmd.starts_with('/')
        && !cmd.contains('\n')
        && table::commands().any(|spec| spec.body == Body::Needed && spec.name.eq_ignore_ascii_case(name))
}

fn asks_for_json(cmd: &str) -> bool {
    cmd.split_whitespace().any(|word| word == "--json")
}

fn show(arguments: &Arguments) -> Show {
    match (arguments.json, arguments.raw) {
        (true, _) => Show::Json,
        (_, true) => Show::Raw,
        _ => Show::Envelope,
    }
}

/// `None` for a malformed topic: the daemon says what is wrong with it.
pub(crate) fn kind(topic: &str) -> Option<Kind> {
    Topic::parse(topic).ok().map(|topic| topic.kind())
}

fn no_command(topic: &str) -> Failure {
    if topic.trim().is_empty() {
        return Failure::usage(NOTHING_TO_DO);
    }
    let slashes = match Topic::parse(topic) {
        Ok(topic) => topic.slashes(),
        Err(error) => return Failure::usage(error.to_string()),
    };
    let mut message = format!(
        "No command for the topic {topic}.\n  \
         Send one:  string {topic} {slashes}info\n  \
         From a file or a pipe:  string {topic} --stdin\n  \
         On a terminal, `string {topic}` alone is an interactive session."
    );
    if table::commands().any(|command| command.name.eq_ignore_ascii_case(topic)) {
        message.push_str(&format!("\n  Or did you mean the command?  string /{topic}"));
    }
    Failure::usage(message)
}

#[cfg(test)]
mod tests {
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
        use Show::{Envelope, Json, List, Raw};
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
            (
                &["main", "/session close a\n/topics"],
                sent("main", "/session close a\n/topics", Unread, Envelope),
            ),
            // Hubs.
            (&["app"], sent("app", "/open", Unread, Envelope)),
            (&["agent", "use", "codex"], sent("agent", "/use codex", Unread, Envelope)),
            (
                &["agent", "add", "x", "--home", "/my dir"],
                sent("agent", "/add x --home \"/my dir\"", Unread, Envelope),
            ),
            (&["system", "/status"], sent("system", "/status", Unread, Envelope)),
            (&["app", "list", "--json"], sent("app", "/list --json", Unread, List)),
            (&["app", "--json"], sent("app", "/list --json", Unread, List)),
            (&["system", "--json"], sent("system", "/status --json", Unread, List)),
            (&["app", "/list --json"], sent("app", "/list --json", Unread, List)),
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
        for (topic, message) in [("", NOTHING_TO_DO), ("a b", "ERROR(INVALID_TARGET): Not a topic: \"a b\"")]
        {
            let failure = planned(&[topic], Stream::Other).unwrap_err();
            assert!(failure.message.starts_with(message), "{topic}: {}", failure.message);
        }
        let failure = planned(&["docs"], Stream::Other).unwrap_err();
        assert_eq!(failure.status, Status::Usage);
        assert!(failure.message.contains("string docs /info"), "{}", failure.message);
        let failure = planned(&["bash:dev"], Stream::Other).unwrap_err();
        assert!(failure.message.contains("string bash:dev //info"), "{}", failure.message);
        let failure = planned(&["help"], Stream::Other).unwrap_err();
        assert!(failure.message.contains("string /help"), "{}", failure.message);
    }

    #[test]
    fn only_shells_are_attached_to_and_only_from_a_terminal() {
        let attached = planned(&["--attach", "bash:dev"], Stream::Terminal).unwrap();
        assert_eq!(attached, Plan::Attach("bash:dev".into()));
        for (topic, stream, message) in [
            ("bash:dev", Stream::Other, "string bash:dev //screen"),
            ("main", Stream::Other, "main is not a shell."),
            ("main", Stream::Terminal, "main is not a shell."),
            ("a b", Stream::Other, "ERROR(INVALID_TARGET)"),
        ] {
            let failure = planned(&["--attach", topic], stream).unwrap_err();
            assert!(failure.message.contains(message), "{topic}: {}", failure.message);
            assert!(!failure.message.contains("string main"), "{}", failure.message);
        }
    }

    #[test]
    fn the_other_modes() {
        for (words, expected) in [
            (&[] as &[&str], Plan::StartPage),
            (&["--chanflow"], Plan::Chanflow),
            (&["--mcp"], Plan::Mcp(Listing::One)),
            (&["--mcp", "--tools"], Plan::Mcp(Listing::Installed)),
            (&["--setup", "cursor"], Plan::Setup(Client::Cursor, Act::Print, Listing::One)),
            (
                &["--setup", "cursor", "--tools", "--write"],
                Plan::Setup(Client::Cursor, Act::Write, Listing::Installed),
            ),
            (&["--daemon", "stop"], Plan::Daemon(Action::Stop)),
            (&["--completions", "zsh"], Plan::Completions(Shell::Zsh)),
        ] {
            assert_eq!(planned(words, Stream::Other).unwrap(), expected, "{words:?}");
        }
        for words in [
            &["--json"] as &[&str],
            &["--raw"],
            &["--agent=x"],
            &["--write"],
            &["--write", "main", "/info"],
            &["--write", "--daemon", "stop"],
            &["--tools", "main", "/info"],
            &["--tools", "--chanflow"],
        ] {
            assert_eq!(planned(words, Stream::Terminal).unwrap_err().status, Status::Usage, "{words:?}");
        }
    }
}
