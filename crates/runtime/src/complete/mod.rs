//! What Tab offers while a command is typed: commands, topics, actions with their fields, blocks, shortcuts, files.
//!
//! Nothing here waits for a command that runs in the topic; what only that
//! command knows is then not offered.

mod shell;
mod typed;

use std::path::{Path, PathBuf};

use ::shell::RunningCommand;

use self::typed::{Typed, Wanted};
use crate::Runtime;
use crate::agent::Agent;
use crate::agent::workspace::{FoundKind, Hidden, Place, normalize};
use crate::blocking;
use crate::command::{Caller, table};
use crate::document::Page;
use crate::edit::FileTarget;
use crate::error::Result;
use crate::origin::Origin;
use crate::session::{State, Topics};
use crate::topic::{Hub, Kind, Topic};

/// How many words are offered. Who sees more types on.
const OFFERED_MAX: usize = 200;

/// The start of a payload, in front of the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub agent: String,
    pub topic: String,
    pub text: String,
    pub cwd: Option<PathBuf>,
}

/// What the end of the text may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Where the part that is replaced starts, in bytes.
    pub start: usize,
    pub words: Vec<String>,
    /// The text is for a program, which runs in this shell.
    pub running: bool,
    /// The text is for a program that does not show it. It may be a password, and nothing is offered.
    pub hidden: bool,
}

impl Runtime {
    /// Looks, and creates nothing: the topic need not be open.
    pub async fn complete(&self, question: Question) -> Result<Offer> {
        let topic = Topic::parse(&question.topic)?;
        let agent = self.agents.named(&question.agent)?;
        let topics = self.sessions.of(&agent.id);
        let program = program(&topics, &topic).await;
        let running = program.is_some();
        if program.is_some_and(|program| program.hides_input) {
            return Ok(Offer { start: question.text.len(), words: Vec::new(), running, hidden: true });
        }
        let typed = Typed::read(&question.text, &topic);
        let asked = Asked { agent: &agent, topics: &topics, topic: &topic, cwd: question.cwd };
        let mut words = asked.words(&typed).await;
        words.retain(|word| word.starts_with(typed.word));
        words.sort_unstable();
        words.dedup();
        words.truncate(OFFERED_MAX);
        Ok(Offer { start: question.text.len() - typed.word.len(), words, running, hidden: false })
    }
}

struct Asked<'a> {
    agent: &'a Agent,
    topics: &'a Topics,
    topic: &'a Topic,
    cwd: Option<PathBuf>,
}

impl Asked<'_> {
    async fn words(self, typed: &Typed<'_>) -> Vec<String> {
        match typed.wanted {
            Wanted::Nothing => Vec::new(),
            Wanted::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            Wanted::Commands => self.commands(),
            Wanted::Topics => self.open_topics(|_| true).chain(hubs()).collect(),
            Wanted::OpenTopics => self.open_topics(|_| true).collect(),
            Wanted::Kinds => Kind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect(),
            Wanted::Fields(action) => self.page(|page| fields(page, action)),
            Wanted::Target => {
                // A bare word is a file to `/open`, so tabs have no address there.
                let others = self.open_topics(|topic| topic.kind() != Kind::Tab).chain(hubs());
                let mut words: Vec<String> = others.chain(self.page(parts)).collect();
                words.extend(self.files(typed.word).await);
                words
            }
            Wanted::File => self.files(typed.word).await,
            Wanted::ShellFile => self.shell_files(typed.word).await,
        }
    }

    fn commands(&self) -> Vec<String> {
        let table = table::valid_in(self.topic).map(|command| command.name.to_owned());
        let actions = self
            .page(|page| page.content().actions().map(|found| format!("act.{}", found.action.id)).collect());
        table.chain(actions).collect()
    }

    fn open_topics(&self, wanted: fn(&Topic) -> bool) -> impl Iterator<Item = String> {
        let open = self.topics.list().into_iter().filter(move |session| wanted(&session.topic));
        open.map(|session| session.topic.to_string())
    }

    /// What the topic's document offers.
    fn page(&self, offered: impl FnOnce(&Page) -> Vec<String>) -> Vec<String> {
        self.state(|state| state.page.as_deref().map(offered)).flatten().unwrap_or_default()
    }

    fn state<T>(&self, look: impl FnOnce(&State) -> T) -> Option<T> {
        self.topics.get(self.topic)?.peek(look)
    }

    /// The names in the directory that is being typed. Mistakes are no matter: there is nothing to offer then.
    async fn files(self, word: &str) -> Vec<String> {
        // An app's pages are named by its links and menus.
        if self.topic.kind() == Kind::App {
            return Vec::new();
        }
        let (directory, name) = word.split_at(word.rfind('/').map_or(0, |at| at + 1));
        let target = FileTarget::parse(if directory.is_empty() { "." } else { directory });
        let caller = Caller { cwd: self.cwd.clone(), task: None, origin: Origin::Network };
        let locate = |state: &State| target.locate(state, self.agent, &caller).ok();
        let located = match self.topics.get(self.topic) {
            Some(session) => session.peek(locate).flatten(),
            None => locate(&State::default()),
        };
        let Some(located) = located else { return Vec::new() };
        let workspace = self.agent.workspace.clone();
        let names = list(hidden(name), move || Ok(located.place(&workspace)?.1)).await;
        names.into_iter().map(|name| format!("{directory}{name}")).collect()
    }

    /// The same for a shell: from where it is, or will start, with names as it reads them.
    async fn shell_files(self, word: &str) -> Vec<String> {
        let (directory, name) = word.split_at(word.rfind('/').map_or(0, |at| at + 1));
        let home = self.agent.workspace.home();
        let start = match self.topics.get(self.topic) {
            Some(session) => session.peek(|state| shell_directory(state, home)),
            None => Some(home.to_owned()),
        };
        let Some(start) = start else { return Vec::new() };
        let written = shell::read(directory);
        let below_home = directory.starts_with('~').then(|| self.agent.workspace.below_home(&written));
        let path = below_home.flatten().unwrap_or_else(|| start.join(written));
        let workspace = self.agent.workspace.clone();
        let names = list(hidden(name), move || workspace.place(&normalize(&path))).await;
        let words = names.iter().filter_map(|name| shell::write(name));
        words.map(|name| format!("{directory}{name}")).collect()
    }
}

/// What runs in a topic's shell, and reads what is typed.
async fn program(topics: &Topics, topic: &Topic) -> Option<RunningCommand> {
    let shell = topics.get(topic)?.shell()?;
    shell.info().await.ok()?.running
}

fn shell_directory(state: &State, home: &Path) -> PathBuf {
    let shell = &state.shell;
    let known = shell.directory.as_ref().map(|directory| &directory.path).or(shell.restart_in.as_ref());
    known.map_or_else(|| home.to_owned(), Clone::clone)
}

/// Names that begin with a dot are offered to whoever types one.
fn hidden(name: &str) -> Hidden {
    if name.starts_with('.') { Hidden::Shown } else { Hidden::LeftOut }
}

async fn list(hidden: Hidden, place: impl FnOnce() -> Result<Place> + Send + 'static) -> Vec<String> {
    blocking::run(move || list_now(hidden, &place()?)).await.unwrap_or_default()
}

fn list_now(hidden: Hidden, place: &Place) -> Result<Vec<String>> {
    match place.open()? {
        Some(found) if found.kind == FoundKind::Directory => Ok(found.list(hidden).unwrap_or_default()),
        _ => Ok(Vec::new()),
    }
}

fn hubs() -> impl Iterator<Item = String> {
    Hub::ALL.iter().map(|hub| hub.as_str().to_owned())
}

/// `#block` and `@shortcut`.
fn parts(page: &Page) -> Vec<String> {
    let blocks = page.block_ids().into_iter().map(|id| format!("#{id}"));
    let shortcuts = page.content().shortcuts().iter().map(|shortcut| format!("@{}", shortcut.id));
    blocks.chain(shortcuts).collect()
}

fn fields(page: &Page, action: &str) -> Vec<String> {
    let found = page.content().action(action);
    let fields = found.iter().flat_map(|found| &found.action.fields);
    fields.map(|field| format!("--{}", field.name)).chain(["--help".to_owned()]).collect()
}
