//! The handle of a live shell.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::Pid;
use tokio::sync::{Mutex, broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::attach::{Attachment, Member, Size};
use super::control::Control;
use super::directory::Directory;
use super::driver::{Driver, Parts};
use super::report::Event;
use super::request::{Answer, Ask, Request};
use super::terminal::Terminal;
use super::watch::{Until, Watch};
use super::{Config, Info, Input, Turn, script};
use crate::boundary::Present;
use crate::error::{Error, Result};
use crate::limits;
use crate::output::Live;
use crate::protocol::{Job, Launch, Order, Report};
use crate::spawn::{Guard, Outputs, Spawner};

/// How many requests may wait for the driver; each caller waits for its answer anyway.
const REQUESTS: usize = 16;
/// How many pieces of live output a slow watcher may fall behind before it misses some.
const LIVE: usize = 256;
/// How many reads an attached person's terminal may fall behind before it is dropped.
const ATTACHED: usize = 1024;

/// A live bash on a terminal of its own. Dropping it ends everything in it.
///
/// Requests that are answered with a [`Turn`] take their turn, in order;
/// the others act at once, also on what such a request waits for.
pub struct Shell {
    requests: mpsc::Sender<Request>,
    /// Held by the request that has its turn, with the secrets that are hidden.
    turns: Mutex<Present>,
    live: broadcast::Sender<Live>,
    /// Taken by the call that waits for its end.
    driver: Mutex<Option<JoinHandle<()>>>,
    pid: Pid,
    ended: Arc<AtomicBool>,
}

impl Shell {
    /// Starts bash and waits until it is ready.
    pub async fn start(spawner: &Spawner, config: Config) -> Result<Self> {
        // Looked at before they are hidden, so that none slips in between.
        let secrets = Present::new(&config.boundary);
        let mut guard = spawner.start(Outputs::none()).await?;
        let launch = Launch {
            job: Job::Terminal,
            bash: spawner.bash(),
            directory: config.directory.clone().into_os_string(),
            environment: config.environment.variables(),
            boundary: config.boundary,
            open_files: spawner.open_files(),
        };
        guard.socket.send(&Order::Launch(Box::new(launch))).await.map_err(Error::Spawn)?;
        let bash = match guard.socket.receive().await.map_err(Error::Spawn)? {
            Some(Report::Started { pid }) => Pid::from_raw(pid).ok_or(Error::GuardLost)?,
            Some(Report::Failed { stage, message }) => return Err(Error::Guard { stage, message }),
            Some(Report::Exited { .. } | Report::Hidden | Report::Support(_)) | None => {
                return Err(Error::GuardLost);
            }
        };
        let [master, control, turn_file] =
            guard.socket.take_descriptors().try_into().map_err(|_| Error::GuardLost)?;
        let terminal = Terminal::new(master).map_err(Error::io("the terminal"))?;
        let mut control = Control::new(control).map_err(Error::io("the control socket"))?;
        let turn_file = File::from(turn_file);
        settle(&mut control, &turn_file, &mut guard).await?;

        let directory = Directory::of(bash, config.directory.as_os_str())
            .unwrap_or(Directory { path: config.directory, deleted: false });
        let (requests, received) = mpsc::channel(REQUESTS);
        let live = broadcast::Sender::new(LIVE);
        let ended = Arc::new(AtomicBool::new(false));
        let parts = Parts {
            requests: received,
            live: live.clone(),
            ended: Arc::clone(&ended),
            guard,
            terminal,
            control,
            turn_file,
            bash,
            directory,
            logs: config.logs,
        };
        let driver = tokio::spawn(Driver::new(parts).drive());
        let (turns, driver) = (Mutex::new(secrets), Mutex::new(Some(driver)));
        Ok(Self { requests, turns, live, driver, pid: bash, ended })
    }

    /// Runs `payload`, a command of any number of lines, and waits for it at most `wait`.
    ///
    /// Fails with [`Error::Busy`] while another command runs, and with
    /// [`Error::Gone`], without having run it, when the shell has ended before.
    pub async fn run(&self, payload: impl Into<String>, wait: Duration) -> Result<Turn> {
        self.turn(Ask::Run(payload.into()), wait).await
    }

    /// Gives text to the program that runs, and waits for what comes of it.
    pub async fn input(&self, input: Input, wait: Duration) -> Result<Turn> {
        self.turn(Ask::Input(input), wait).await
    }

    /// What a terminal would do with a line: input for what runs, a command when nothing does.
    pub async fn send(&self, text: impl Into<String>, wait: Duration) -> Result<Turn> {
        self.turn(Ask::Send(text.into()), wait).await
    }

    /// Waits for what runs, and returns what is new.
    pub async fn wait(&self, wait: Duration) -> Result<Turn> {
        self.turn(Ask::Wait, wait).await
    }

    /// Ctrl-C. Acts at once; what came of it is in the turn that waits, or the next.
    pub async fn interrupt(&self) -> Result<()> {
        self.ask(Request::Interrupt).await?
    }

    /// Ctrl-D.
    pub async fn eof(&self) -> Result<()> {
        self.ask(Request::EndOfFile).await?
    }

    /// Ends the foreground job, in the end by force, and keeps the shell
    /// unless the shell's own code is what does not end.
    pub async fn kill(&self) -> Result<()> {
        self.ask(Request::Kill).await?
    }

    /// The screen as a person at the terminal would see it now.
    pub async fn screen(&self) -> Result<String> {
        self.ask(Request::Screen).await
    }

    pub async fn info(&self) -> Result<Info> {
        self.ask(Request::Info).await
    }

    /// Bash's process id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw_pid()
    }

    /// Whether it has ended. What was not told by then comes with the next request that takes a turn.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Output, the background's too, and ends of commands, as they happen.
    pub fn subscribe(&self) -> broadcast::Receiver<Live> {
        self.live.subscribe()
    }

    /// Waits for something to happen, from what no turn has returned yet on.
    pub async fn watch(&self, until: Until) -> Result<Watch> {
        let (answer, seen) = oneshot::channel();
        self.requests.send(Request::Watch { until, answer }).await.map_err(|_| Error::GuardLost)?;
        Ok(Watch(seen))
    }

    /// Puts a person at the terminal, whose window has this size.
    pub async fn attach(&self, size: Size) -> Result<Attachment> {
        let (output_sender, output) = mpsc::channel(ATTACHED);
        let (ran_sender, ran) = mpsc::unbounded_channel();
        let member = Member { output: output_sender, ran: ran_sender };
        self.ask(|answer| Request::Attach { size, member, answer }).await?;
        Ok(Attachment { output, ran, requests: self.requests.clone() })
    }

    /// Ends the shell and everything it has started; nothing is left when this returns.
    pub async fn close(&self) {
        // A driver that has ended has closed already.
        let _ = self.ask(Request::Close).await;
        if let Some(driver) = self.driver.lock().await.take() {
            let _ = driver.await;
        }
    }

    async fn turn(&self, ask: Ask, wait: Duration) -> Result<Turn> {
        let mut secrets = self.turns.lock().await;
        if let Some(appeared) = secrets.news() {
            self.ask(Request::Hide).await??;
            secrets.settle(appeared);
        }
        self.ask(|answer| Request::Turn { ask, wait, answer }).await?
    }

    async fn ask<T>(&self, request: impl FnOnce(Answer<T>) -> Request) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        self.requests.send(request(answer)).await.map_err(|_| Error::GuardLost)?;
        answered.await.map_err(|_| Error::GuardLost)
    }
}

/// Sends bash its first lines and waits for its word that it is ready.
async fn settle(control: &mut Control, turn_file: &File, guard: &mut Guard) -> Result<()> {
    use std::os::unix::fs::FileExt as _;
    turn_file.write_all_at(script::SETTLE.as_bytes(), 0).map_err(Error::io("the turn file"))?;
    control.send(script::BOOTSTRAP).map_err(Error::io("the control socket"))?;
    let ready = async {
        loop {
            if let Some(Event::Ready) = control.next_event() {
                return Ok(());
            }
            tokio::select! {
                () = control.readable() => {}
                report = guard.socket.receive() => {
                    let message = format!("{report:?}");
                    return Err(Error::Guard { stage: "keep bash alive".into(), message });
                }
            }
        }
    };
    tokio::time::timeout(limits::READY, ready).await.map_err(|_| Error::NotReady)?
}
