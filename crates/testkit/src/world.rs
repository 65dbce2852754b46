//! A runtime without a daemon: the border at which most behaviour is tested.

use std::path::PathBuf;
use std::sync::Arc;

use ::store::Store;
use ::store::memory::Memory;
use ::store::sqlite::Sqlite;
use runtime::sink::Discard;
use runtime::{GitHubHosts, Origin, Parts, Reply, Request, Runtime, audit};
use tokio::task::JoinHandle;

use crate::{FakeClock, FaultyStore, Home, Web};

pub struct World {
    pub home: Home,
    pub clock: Arc<FakeClock>,
    pub store: Arc<FaultyStore>,
    pub runtime: Arc<Runtime>,
    program: Option<PathBuf>,
    github: GitHubHosts,
}

/// Where a world keeps its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Memory,
    Sqlite,
}

impl Backend {
    pub const ALL: [Self; 2] = [Self::Memory, Self::Sqlite];

    fn open(self, home: &Home, clock: Arc<FakeClock>) -> Arc<dyn Store> {
        match self {
            Self::Memory => Arc::new(Memory::new(clock)),
            Self::Sqlite => {
                let path = home.path().join("world.db");
                Arc::new(Sqlite::open(path, clock).expect("a fresh home has no store"))
            }
        }
    }
}

impl World {
    pub async fn new() -> Self {
        Self::with_root(".string").await
    }

    /// A world whose root lies in the home under another name.
    pub async fn with_root(name: &str) -> Self {
        let (home, clock) = (Home::default(), Arc::new(FakeClock::default()));
        let root = home.path().join(name);
        let store = Backend::Memory.open(&home, clock.clone());
        Self::start(home, root, clock, Arc::new(FaultyStore::new(store)), None, GitHubHosts::default()).await
    }

    /// A world that starts processes: `program` acts as their guard, and runs scripts.
    pub async fn with_program(program: impl Into<PathBuf>) -> Self {
        Self::with_scripts(program, Backend::Memory).await
    }

    /// A world that keeps its entries in a backend.
    pub async fn on(backend: Backend) -> Self {
        Self::with(backend, None, GitHubHosts::default()).await
    }

    /// A world that starts processes and keeps its entries in a backend.
    pub async fn with_scripts(program: impl Into<PathBuf>, backend: Backend) -> Self {
        Self::with(backend, Some(program.into()), GitHubHosts::default()).await
    }

    /// A world whose GitHub is this web, with its files below `/raw`.
    pub async fn with_github(web: &Web) -> Self {
        let github = GitHubHosts { api: web.url("/api"), raw: web.url("/raw") };
        Self::with(Backend::Memory, None, github).await
    }

    async fn with(backend: Backend, program: Option<PathBuf>, github: GitHubHosts) -> Self {
        let (home, clock) = (Home::default(), Arc::new(FakeClock::default()));
        let (root, store) = (home.root(), backend.open(&home, clock.clone()));
        Self::start(home, root, clock, Arc::new(FaultyStore::new(store)), program, github).await
    }

    /// Ends the runtime and starts another one on the same home and store.
    pub async fn restart(self) -> Self {
        let Self { home, clock, store, runtime, program, github } = self;
        runtime.end().await;
        let root = runtime.root.clone();
        drop(runtime);
        Self::start(home, root, clock, store, program, github).await
    }

    async fn start(
        home: Home,
        root: PathBuf,
        clock: Arc<FakeClock>,
        store: Arc<FaultyStore>,
        program: Option<PathBuf>,
        github: GitHubHosts,
    ) -> Self {
        let shells = program.clone().map(|program| runtime::bash::Settings {
            program,
            bash: "/bin/bash".into(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        });
        let parts = Parts {
            home: home.path().to_owned(),
            port: Some(3923),
            version: "0.0.0".into(),
            store: store.clone(),
            clock: clock.clone(),
            audit: audit::Log::open(&root.join("log")).expect("the home is writable"),
            token: None,
            root,
            shells,
            github: github.clone(),
        };
        let runtime = Runtime::new(parts).await.expect("the home makes a runtime");
        Self { home, clock, store, runtime, program, github }
    }

    /// A request as a person at a terminal sends it.
    pub fn request(&self, topic: &str, payload: &str) -> Request {
        Request {
            agent: "default".into(),
            topic: topic.into(),
            payload: payload.into(),
            cwd: None,
            task: None,
            origin: Origin::Process { pid: std::process::id() },
        }
    }

    pub async fn run(&self, request: Request) -> Reply {
        self.runtime.exec(request, Arc::new(Discard)).await
    }

    /// Runs a request beside the test.
    pub fn spawn(&self, request: Request) -> JoinHandle<Reply> {
        let runtime = Arc::clone(&self.runtime);
        tokio::spawn(async move { runtime.exec(request, Arc::new(Discard)).await })
    }

    /// The reply to a command of the agent `default`.
    pub async fn say(&self, topic: &str, payload: &str) -> Reply {
        self.run(self.request(topic, payload)).await
    }

    /// The content of a reply that must be a success.
    pub async fn ok(&self, topic: &str, payload: &str) -> String {
        let reply = self.say(topic, payload).await;
        assert!(reply.ok(), "{topic} {payload}: {}", reply.content);
        reply.content
    }

    /// The content of a reply that must fail with a code.
    pub async fn fails(&self, topic: &str, payload: &str, code: &str) -> String {
        let reply = self.say(topic, payload).await;
        assert_eq!(reply.code.map(|code| code.as_str()), Some(code), "{topic} {payload}: {}", reply.content);
        reply.content
    }

    /// The request of another agent.
    pub fn request_as(&self, agent: &str, topic: &str, payload: &str) -> Request {
        Request { agent: agent.into(), ..self.request(topic, payload) }
    }

    /// The request with a working directory.
    pub fn request_from(&self, cwd: impl Into<PathBuf>, topic: &str, payload: &str) -> Request {
        Request { cwd: Some(cwd.into()), ..self.request(topic, payload) }
    }

    /// Ends the runtime, so that all it had to write is written.
    pub fn close(self) -> Home {
        drop(self.runtime);
        self.home
    }
}
