//! The tables of commands: parsing, `/help`, the error for a wrong place and the docs come from them. The words of a
//! hub stand with it.

use crate::hub::{agent, app, bash, event, system, tool};
use crate::topic::{Hub, Kind, Topic};

/// One row of a table.
#[derive(Debug)]
pub struct Spec {
    pub verb: Verb,
    /// Without the slash, in lower case.
    pub name: &'static str,
    pub usage: &'static str,
    pub summary: &'static str,
    pub place: Place,
    pub body: Body,
}

/// Where a command is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Anywhere,
    /// Where documents live.
    Pages,
    /// Where there is something to show: pages and hubs.
    Views,
    /// Where a shell lives.
    Shells,
    /// Where there is something to close: pages and shells.
    Sessions,
    Hub(Hub),
}

/// What the lines below a command are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Further commands.
    None,
    /// Text that belongs to the command, to the end of the payload.
    Content,
    /// The same, and the command is nothing without it.
    Needed,
}

/// What a command does, by name; `Command` adds the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Help,
    Open,
    Back,
    Refresh,
    Edit,
    Write,
    Append,
    Replace,
    Undo,
    Commit,
    Log,
    Ls,
    Close,
    Nav,
    Source,
    Info,
    Topics,
    Session,
    Act,
    Tool,
    Set,
    Unset,
    Interrupt,
    Exec,
    Wait,
    EndOfFile,
    Kill,
    Screen,
    Install,
    Uninstall,
    Events,
    Watch,
    // Words of hubs that are commands of their own.
    Spawn,
    Capability,
    Durable,
    // All other words of each hub.
    App(app::Verb),
    Bash(bash::Verb),
    Agent(agent::Verb),
    Tools(tool::Verb),
    System(system::Verb),
    Event(event::Verb),
}

use Body::None as Nothing;
use Place::{Anywhere, Pages, Views};

/// Documents, files, variables and packages, and what works everywhere.
static GENERAL: &[Spec] = &[
    row(Verb::Help, "help", "/help [COMMAND]", "the commands valid here, or one of them", Anywhere),
    row(
        Verb::Open,
        "open",
        "/open TARGET [--from L480] [--outline] [--raw]",
        "open a file, a page, a #block, an @shortcut or another topic",
        Anywhere,
    ),
    row(Verb::Back, "back", "/back", "return to the previous document", Pages),
    row(Verb::Refresh, "refresh", "/refresh", "load the document again", Pages),
    row(
        Verb::Nav,
        "nav",
        "/nav [MENU|page|scaffold] [--resolve]",
        "menus and links, and where they lead",
        Pages,
    ),
    row(Verb::Source, "source", "/source [--from L480]", "the document as its author wrote it", Pages),
    row(Verb::Ls, "ls", "/ls [PATH] [--all] [--from 1001]", "the names in a directory", Pages),
    content(
        Verb::Edit,
        "edit",
        "/edit PATH[#BLOCK|:L5-L10] [--force]",
        "show the source; with text below, replace it",
        Pages,
    ),
    content(
        Verb::Write,
        "write",
        "/write PATH[#BLOCK] [--force]",
        "create or overwrite with the text below",
        Pages,
    )
    .needed(),
    content(Verb::Append, "append", "/append PATH", "add the text below at the end", Pages).needed(),
    content(
        Verb::Replace,
        "replace",
        "/replace PATH#BLOCK|PATH:L5-L10 [--force]",
        "replace that part by the text below",
        Pages,
    )
    .needed(),
    row(Verb::Undo, "undo", "/undo", "take back the last edit of this topic", Pages),
    row(Verb::Commit, "commit", "/commit PATH --message \"…\"", "keep a version of a file", Pages),
    row(Verb::Log, "log", "/log PATH", "the versions of a file, newest first", Pages),
    row(
        Verb::Close,
        "close",
        "/close",
        "close the document, or end the shell; the topic stays",
        Place::Sessions,
    ),
    row(Verb::Info, "info", "/info [@SHORTCUT]", "where this topic is and what it holds", Anywhere),
    row(Verb::Topics, "topics", "/topics [tab|app|bash|hub]", "the open topics", Anywhere),
    row(Verb::Topics, "sessions", "/sessions [tab|app|bash|hub]", "the same as /topics", Anywhere),
    row(Verb::Session, "session", "/session close NAME", "remove a topic and everything it holds", Anywhere),
    content(
        Verb::Act,
        "act",
        "/act.NAME [--FIELD VALUE…]",
        "call an action of the document; /act shows them all",
        Pages,
    ),
    content(Verb::Act, "action", "/action.NAME [--FIELD VALUE…]", "the same as /act", Pages),
    content(
        Verb::Tool,
        "tool",
        "/tool:NAME[.ACTION] [--FIELD VALUE…]",
        "call a tool; the document stays",
        Pages,
    ),
    content(
        Verb::Set,
        "set",
        "/set [{NAME} = \"VALUE\" | $NAME = \"VALUE\"]",
        "set variables, or show them all",
        Anywhere,
    ),
    row(Verb::Unset, "unset", "/unset {NAME}… $NAME…", "remove variables", Anywhere),
    row(Verb::Interrupt, "interrupt", "/interrupt", "stop the command that runs in this topic", Anywhere),
    content(Verb::Exec, "exec", "/exec [--timeout 10m] CMD", "run a command, clean each time", Pages),
    row(
        Verb::Install,
        "install",
        "/install [--app|--tool] [--as NAME] [--link] [--force] [SOURCE]",
        "install a package, or the document that is open",
        Views,
    ),
    row(
        Verb::Uninstall,
        "uninstall",
        "/uninstall NAME [--purge]",
        "take a package and its topics away",
        Views,
    ),
];

/// What acts on the program in a shell.
static SHELLS: &[Spec] = &[
    row(
        Verb::Wait,
        "wait",
        "/wait [5m]",
        "wait for the command that runs, and show what is new",
        Place::Shells,
    ),
    row(Verb::EndOfFile, "eof", "/eof", "end the input of the program that runs (Ctrl-D)", Place::Shells),
    row(Verb::Kill, "kill", "/kill", "end the program that runs; the shell stays", Place::Shells),
    row(Verb::Screen, "screen", "/screen", "the screen of the program that runs, as text", Place::Shells),
];

/// What an agent is told of.
static INBOX: &[Spec] = &[
    row(
        Verb::Events,
        "events",
        "/events [list|read|ack|clear|webhook|watch …]",
        "the inbox of this agent",
        Anywhere,
    ),
    row(
        Verb::Watch,
        "watch",
        "/watch [bash:NAME exit|match TEXT | state [SCOPE] KEY | task ID | rm N…|--all] [--json]",
        "be told by an event when something happens",
        Anywhere,
    ),
];

/// Every command, in the order `/help` shows them.
pub fn commands() -> impl Iterator<Item = &'static Spec> {
    let tables = [
        GENERAL,
        app::WORDS,
        SHELLS,
        bash::WORDS,
        agent::WORDS,
        tool::WORDS,
        system::WORDS,
        INBOX,
        event::WORDS,
    ];
    tables.into_iter().flatten()
}

/// The row for a word, as typed in a topic: a hub's own words come before the general ones.
pub fn find(name: &str, topic: &Topic) -> Option<&'static Spec> {
    let named = || commands().filter(|spec| spec.name.eq_ignore_ascii_case(name));
    let own =
        |spec: &&Spec| matches!((spec.place, topic), (Place::Hub(place), Topic::Hub(hub)) if place == *hub);
    named().find(own).or_else(|| named().find(|spec| spec.place.allows(topic))).or_else(|| named().next())
}

/// The rows valid in a topic; a general word that a hub has for itself is not.
pub fn valid_in(topic: &Topic) -> impl Iterator<Item = &'static Spec> {
    let is_found = |spec: &Spec| find(spec.name, topic).is_some_and(|found| std::ptr::eq(found, spec));
    commands().filter(move |spec| spec.place.allows(topic) && is_found(spec))
}

/// Where a command of this name works, in words: several hubs may have one each.
pub fn places(name: &str) -> Vec<&'static str> {
    let mut all: Vec<_> =
        commands().filter(|spec| spec.name == name).flat_map(|spec| spec.place.names()).collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|place| seen.insert(*place));
    all
}

impl Spec {
    const fn needed(self) -> Self {
        Self { body: Body::Needed, ..self }
    }
}

impl Place {
    pub fn allows(self, topic: &Topic) -> bool {
        match (self, topic) {
            (Self::Anywhere, _) => true,
            (Self::Pages, topic) => matches!(topic.kind(), Kind::Tab | Kind::App),
            (Self::Views, topic) => topic.kind() != Kind::Bash,
            (Self::Sessions, topic) => topic.kind() != Kind::Hub,
            (Self::Shells, topic) => topic.kind() == Kind::Bash,
            (Self::Hub(place), Topic::Hub(hub)) => place == *hub,
            (Self::Hub(_), _) => false,
        }
    }

    /// The places in words, for `/help`, errors and the description of the daemon.
    pub fn names(self) -> Vec<&'static str> {
        match self {
            Self::Anywhere => Kind::ALL.iter().map(|kind| kind.as_str()).collect(),
            Self::Pages => vec!["tab", "app"],
            Self::Views => vec!["tab", "app", "hub"],
            Self::Shells => vec!["bash"],
            Self::Sessions => vec!["tab", "app", "bash"],
            Self::Hub(hub) => vec![match hub {
                Hub::App => "the app hub",
                Hub::Bash => "the bash hub",
                Hub::Tool => "the tool hub",
                Hub::Event => "the event hub",
                Hub::System => "the system hub",
                Hub::Agent => "the agent hub",
            }],
        }
    }
}

pub const fn row(
    verb: Verb,
    name: &'static str,
    usage: &'static str,
    summary: &'static str,
    place: Place,
) -> Spec {
    Spec { verb, name, usage, summary, place, body: Nothing }
}

/// A row for a command that owns the lines below it.
pub const fn content(
    verb: Verb,
    name: &'static str,
    usage: &'static str,
    summary: &'static str,
    place: Place,
) -> Spec {
    Spec { verb, name, usage, summary, place, body: Body::Content }
}
