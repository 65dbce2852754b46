//! A whole daemon in this process, on a free port.

use std::sync::Arc;

use client::Client;
use runtime::Runtime;
use server::{Limits, Settings};
use tokio::task::JoinHandle;
use wire::{ExecReply, ExecRequest};

use crate::Home;

pub struct Daemon {
    pub home: Home,
    pub port: u16,
    pub token: String,
    pub runtime: Arc<Runtime>,
    serving: JoinHandle<Result<(), server::Error>>,
}

#[derive(Debug, Clone)]
pub struct DaemonOptions {
    pub version: String,
    pub limits: Limits,
    /// None: the daemon starts no processes.
    pub shells: Option<runtime::bash::Settings>,
}

impl Daemon {
    pub async fn start() -> Self {
        Self::start_with(DaemonOptions::default()).await
    }

    pub async fn start_with(options: DaemonOptions) -> Self {
        let home = Home::default();
        let settings = Settings {
            root: home.root(),
            home: home.path().to_owned(),
            port: 0,
            version: options.version,
            limits: options.limits,
            shells: options.shells,
        };
        let daemon = server::Daemon::start(settings).await.expect("a fresh home starts a daemon");
        let port = daemon.port().expect("port 0 is always free");
        let token = daemon.token().reveal().to_owned();
        let runtime = Arc::clone(daemon.runtime());
        let serving = tokio::spawn(daemon.serve());
        Self { home, port, token, runtime, serving }
    }

    /// A client over the Unix socket.
    pub fn client(&self) -> Client {
        Client::unix(self.home.root().join("run/string.sock"))
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub async fn exec(&self, topic: &str, cmd: &str) -> ExecReply {
        let request = ExecRequest { topic: topic.into(), cmd: cmd.into(), ..ExecRequest::default() };
        self.client().exec(&request).await.expect("the daemon answers").reply
    }

    /// Stops in order, and returns once everything has ended.
    pub async fn stop(self) -> Home {
        self.runtime.stop.cancel();
        self.serving.await.expect("serving does not panic").expect("serving ends well");
        self.home
    }
}

impl Default for DaemonOptions {
    fn default() -> Self {
        Self { version: env!("CARGO_PKG_VERSION").into(), limits: Limits::default(), shells: None }
    }
}
