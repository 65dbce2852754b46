//! The table of commands: parsing, `/help`, the error for a wrong place and the docs come from it.

use crate::topic::{Hub, Kind, Topic};

/// One row of the table.
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
    AppList,
    AppInfo,
    BashList,
    BashSpawn,
    BashKill,
    AgentList,
    AgentCurrent,
    AgentAdd,
    AgentUse,
    AgentSetHome,
    AgentBoundary,
    AgentAllow,
    AgentAllowHost,
    AgentCapability,
    AgentRemove,
    ToolList,
    ToolInfo,
    ToolTasks,
    ToolTask,
    ToolPurge,
    SystemStatus,
    SystemEnv,
    SystemLogs,
    SystemDoctor,
    SystemState,
    SystemStop,
    Events,
    Watch,
    EventList,
    EventRead,
    EventAck,
    EventClear,
    EventWebhook,
}

use Body::None as Nothing;
use Place::{Anywhere, Pages, Views};

const TOOL: Place = Place::Hub(Hub::Tool);
const AGENT: Place = Place::Hub(Hub::Agent);
const APP: Place = Place::Hub(Hub::App);
const BASH: Place = Place::Hub(Hub::Bash);
const EVENT: Place = Place::Hub(Hub::Event);
const SYSTEM: Place = Place::Hub(Hub::System);

/// Every command, in the order `/help` shows them.
pub static COMMANDS: &[Spec] = &[
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
    row(Verb::AppList, "list", "/list [--json]", "installed apps and open app topics", APP),
    row(Verb::AppInfo, "info", "/info [NAME]", "one app: version, source, files", APP),
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
    row(Verb::BashList, "list", "/list [--json]", "live shells: pid, directory, what runs", BASH),
    row(Verb::BashSpawn, "spawn", "/spawn NAME", "start a shell", BASH),
    row(Verb::BashKill, "kill", "/kill NAME", "end a shell; its topic stays", BASH),
    row(Verb::AgentList, "list", "/list [--json]", "all agents", AGENT),
    row(Verb::AgentCurrent, "current", "/current [--json]", "the agent that speaks", AGENT),
    row(
        Verb::AgentAdd,
        "add",
        "/add ID [--home DIR] [--allow P1,P2] [--boundary B]",
        "register an agent",
        AGENT,
    ),
    row(Verb::AgentUse, "use", "/use ID [--local]", "make an agent the current one", AGENT),
    row(Verb::AgentSetHome, "set-home", "/set-home [ID] DIR", "give an agent another home", AGENT),
    row(Verb::AgentBoundary, "boundary", "/boundary [VALUE]", "show or set what shells may touch", AGENT),
    row(
        Verb::AgentAllow,
        "allow",
        "/allow [PATH…] [--remove PATH] [--json]",
        "show or change the paths outside the home",
        AGENT,
    ),
    row(
        Verb::AgentAllowHost,
        "allow-host",
        "/allow-host PAGE HOST",
        "let web pages send variables to a host",
        AGENT,
    ),
    row(
        Verb::AgentCapability,
        "capability",
        "/capability [mint|list|revoke …]",
        "let other programs reach certain files over HTTP",
        AGENT,
    ),
    row(Verb::AgentRemove, "rm", "/rm ID", "forget an agent; its files stay", AGENT),
    row(Verb::ToolList, "list", "/list [--json]", "tools and skills, with one line each", TOOL),
    row(Verb::ToolInfo, "info", "/info NAME [--json]", "one tool or skill: what it takes and may use", TOOL),
    row(Verb::ToolTasks, "tasks", "/tasks [--json]", "tasks that are known or have left state behind", TOOL),
    row(Verb::ToolTask, "task", "/task ID [--json]", "one task: its state and what happened in it", TOOL),
    row(Verb::ToolPurge, "purge", "/purge ID… | --all", "remove tasks with their state", TOOL),
    row(Verb::SystemStatus, "status", "/status [--json]", "version, uptime, memory, agents, topics", SYSTEM),
    row(Verb::SystemEnv, "env", "/env [--json]", "what shells see, and which $NAME are set", SYSTEM),
    row(Verb::SystemLogs, "logs", "/logs [-n N] [--audit] [--json] [-f]", "the end of a log", SYSTEM),
    row(Verb::SystemDoctor, "doctor", "/doctor [--json]", "what is wrong here, and how to repair it", SYSTEM),
    content(
        Verb::SystemState,
        "state",
        "/state [ls|get|put|rm|export|import|backup|check …]",
        "look at durable state and change it; /state alone says more",
        SYSTEM,
    ),
    row(Verb::SystemStop, "stop", "/stop", "stop the daemon", SYSTEM),
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
    row(
        Verb::EventList,
        "list",
        "/list [--all] [--after ID] [--json]",
        "events that are not acknowledged, or all",
        EVENT,
    ),
    row(Verb::EventRead, "read", "/read ID", "one event, whole", EVENT),
    row(Verb::EventAck, "ack", "/ack ID…", "acknowledge events", EVENT),
    row(Verb::EventClear, "clear", "/clear [--all]", "remove acknowledged events, or all", EVENT),
    row(
        Verb::EventWebhook,
        "webhook",
        "/webhook [show|rotate]",
        "the address that takes events, or a new one",
        EVENT,
    ),
];

/// The row for a word, as typed in a topic: a hub's own words come before the general ones.
pub fn find(name: &str, topic: &Topic) -> Option<&'static Spec> {
    let named = || COMMANDS.iter().filter(|spec| spec.name.eq_ignore_ascii_case(name));
    let own =
        |spec: &&Spec| matches!((spec.place, topic), (Place::Hub(place), Topic::Hub(hub)) if place == *hub);
    named().find(own).or_else(|| named().find(|spec| spec.place.allows(topic))).or_else(|| named().next())
}

/// The rows valid in a topic; a general word that a hub has for itself is not.
pub fn valid_in(topic: &Topic) -> impl Iterator<Item = &'static Spec> {
    let is_found = |spec: &Spec| find(spec.name, topic).is_some_and(|found| std::ptr::eq(found, spec));
    COMMANDS.iter().filter(move |spec| spec.place.allows(topic) && is_found(spec))
}

/// Where a command of this name works, in words: several hubs may have one each.
pub fn places(name: &str) -> Vec<&'static str> {
    let mut all: Vec<_> =
        COMMANDS.iter().filter(|spec| spec.name == name).flat_map(|spec| spec.place.names()).collect();
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

const fn row(
    verb: Verb,
    name: &'static str,
    usage: &'static str,
    summary: &'static str,
    place: Place,
) -> Spec {
    Spec { verb, name, usage, summary, place, body: Nothing }
}

/// A row for a command that owns the lines below it.
const fn content(
    verb: Verb,
    name: &'static str,
    usage: &'static str,
    summary: &'static str,
    place: Place,
) -> Spec {
    Spec { verb, name, usage, summary, place, body: Body::Content }
}
