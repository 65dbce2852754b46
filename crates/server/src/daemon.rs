//! The daemon's life: from taking the root to letting go of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use runtime::{GitHubHosts, Parts, Runtime, audit};
use store::{Store, SystemClock};
use tokio::signal::unix::{SignalKind, signal};

use crate::doorway::Doorway;
use crate::limits::Limits;
use crate::listen::{self, Listeners};
use crate::root::Root;
use crate::route::{self, App};
use crate::token::Token;
use crate::{Error, log};

/// What has expired is invisible at once; only its room on disk waits for this.
const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);

/// What the binary knows and passes down.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The daemon's own files, `~/.string` by default.
    pub root: PathBuf,
    /// The home of the agent `default`.
    pub home: PathBuf,
    /// The loopback port; 0 takes a free one.
    pub port: u16,
    pub version: String,
    pub limits: Limits,
    /// How processes are started; without it there are no shells.
    pub shells: Option<runtime::bash::Settings>,
}

/// A daemon whose doors are open; they are served once [`Daemon::serve`] runs.
pub struct Daemon {
    runtime: Arc<Runtime>,
    store: Arc<dyn Store>,
    listeners: Listeners,
    app: App,
}

/// What goes to the log. The protocol's library has something to say of every client that comes and goes.
const LOGGED: &str = "info,rmcp=warn";

/// Serves until a signal or a command says stop. `ready` runs once, when both doors are open.
pub async fn run(settings: Settings, ready: impl FnOnce()) -> Result<(), Error> {
    let root = Root::new(&settings.root);
    root.create()?;
    log::start_logging(&root.log(), LOGGED)?;
    let daemon = Daemon::start(settings).await?;
    let stop = daemon.runtime.stop.clone();
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Error::Signals)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(Error::Signals)?;
    let signals = async {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = stop.cancelled() => {}
        }
        stop.cancel();
    };
    ready();
    let ((), served) = tokio::join!(signals, daemon.serve());
    served
}

impl Daemon {
    /// Takes the root, opens the store and both doors. Fails if another daemon has the root.
    pub async fn start(settings: Settings) -> Result<Self, Error> {
        let Settings { root, home, port, version, limits, shells } = settings;
        let root = Root::new(root);
        root.create()?;
        let lock = root.lock()?;
        let token = Token::of(&root)?;
        let tcp = listen::bind_loopback(port).await;
        let port = tcp.as_ref().and_then(|listener| listener.local_addr().ok()).map(|address| address.port());
        let clock = Arc::new(SystemClock);
        let store: Arc<dyn Store> =
            Arc::new(store::sqlite::Sqlite::open(root.store().join("string.db"), clock.clone())?);
        let audit =
            audit::Log::open(&root.log()).map_err(|source| Error::File { path: root.log(), source })?;
        let parts = Parts {
            root: root.path().to_owned(),
            home,
            port,
            version,
            store: Arc::clone(&store),
            clock,
            audit,
            token: Some(runtime::variable::Secret::new(token.reveal())),
            shells,
            github: GitHubHosts::default(),
        };
        let runtime = Runtime::new(parts).await.map_err(Error::Runtime)?;
        let app = App::new(Arc::clone(&runtime), token, port.unwrap_or(0), limits);
        let doorway = Doorway::new(root.clone(), lock, app.token.clone());
        let local = doorway.open()?;
        tracing::info!(pid = std::process::id(), port, root = %root.path().display(), "the daemon is ready");
        Ok(Self { runtime, store, listeners: Listeners { doorway, local, tcp }, app })
    }

    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// The loopback port, unless another program had it.
    pub fn port(&self) -> Option<u16> {
        self.runtime.port
    }

    pub fn token(&self) -> &Token {
        &self.app.token
    }

    /// Serves until the runtime's `stop` is cancelled, then ends everything in order.
    pub async fn serve(self) -> Result<(), Error> {
        // First, so that the root is let go of only when all else is gone.
        let doorway = self.listeners.doorway.clone();
        let Self { runtime, store, listeners, app } = self;
        let (limits, conversations) = (app.limits, app.conversations.clone());
        let serving = listen::serve(listeners, route::router(app), limits, runtime.stop.clone());
        tokio::join!(serving, sweep(&runtime));
        conversations.close();
        if tokio::time::timeout(limits.drain_time, conversations.wait()).await.is_err() {
            tracing::warn!("some conversations did not end in time");
        }
        runtime.end().await;
        doorway.close();
        store.close().await?;
        tracing::info!("the daemon has stopped");
        Ok(())
    }
}

/// Removes what has expired, at the start and from then on every hour, until the daemon stops.
async fn sweep(runtime: &Runtime) {
    let mut hours = tokio::time::interval(SWEEP_EVERY);
    while runtime.stop.run_until_cancelled(hours.tick()).await.is_some() {
        match runtime.sweep().await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "expired entries were removed"),
            Err(error) => tracing::warn!(%error, "expired entries could not be removed"),
        }
    }
}
