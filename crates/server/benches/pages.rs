//! Documents, variables and actions through the daemon, as the client library sees them, in one run.
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use wire::ExecRequest;

const ROUNDS: usize = 8;
const CALLS_PER_ROUND: usize = 250;
const SETS: usize = 1_000;
const FILE: usize = 10 * 1024;
const ANSWER: &str = "{\"city\":\"Seoul\",\"temperature\":24}";

const PAGE: &str = "# Weather\n\n```act.now\nGET http://127.0.0.1:PORT/now?city={city}\n  city: string\n```\n\n\
    ```act.now.response\n{temp} = {Response.body.temperature}\n{city}: {temp}\n```\n";

fn main() {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(2);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let daemon = testkit::Daemon::start().await;
        let caller = Caller { client: daemon.client() };
        action(&daemon, &caller).await;
        sets(&caller).await;
        opens(&daemon, &caller).await;
        daemon.stop().await;
    });
}

/// An action against an API on loopback, beside the call that it makes.
async fn action(daemon: &testkit::Daemon, caller: &Caller) {
    let port = api().await;
    daemon.home.write("weather.md", PAGE.replace("PORT", &port.to_string()));
    caller.ok("/open weather.md").await;
    let mut bare = Bare::new(port).await;
    let (mut bare_times, mut action_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for _ in 0..CALLS_PER_ROUND {
            let started = Instant::now();
            bare.once().await;
            bare_times.push(started.elapsed());
        }
        for _ in 0..CALLS_PER_ROUND {
            action_times.push(caller.time("/act.now --city Seoul").await);
        }
    }
    let (bare, action) = (median(&mut bare_times), median(&mut action_times));
    println!("bare HTTP call, kept alive    p50 {:>7.1} µs", micros(bare));
    println!("the same by an action         p50 {:>7.1} µs", micros(action));
    let more = micros(action.saturating_sub(bare));
    println!("difference                        {more:>7.1} µs   (bar: at most 500)");
}

async fn sets(caller: &Caller) {
    let started = Instant::now();
    for n in 0..SETS {
        caller.ok(&format!("/set {{n{}}} = \"value {n}\"", n % 10)).await;
    }
    let took = started.elapsed().as_secs_f64() * 1e3;
    println!("{SETS} times /set, one by one        {took:>7.1} ms   (bar: under 1000)");
}

async fn opens(daemon: &testkit::Daemon, caller: &Caller) {
    let line = "A line of *text* with a [link](https://docs.example/a/page) and `code`.\n\n";
    let body = format!("# Report\n\n{}", line.repeat(FILE / line.len()));
    let size = body.len();
    daemon.home.write("report.md", body);
    let mut times = Vec::new();
    for _ in 0..ROUNDS * CALLS_PER_ROUND {
        times.push(caller.time("/open report.md").await);
    }
    let time = micros(median(&mut times));
    println!("/open of a file of {} KB      p50 {time:>7.1} µs   (bar: under 1000)", size.div_ceil(1024));
}

async fn api() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let app = Router::new().route("/now", get(async || ([("content-type", "application/json")], ANSWER)));
    tokio::spawn(async move {
        use axum::serve::ListenerExt;
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("tcp"));
        axum::serve(listener, app).await
    });
    port
}

struct Caller {
    client: client::Client,
}

impl Caller {
    async fn ok(&self, cmd: &str) {
        let request = ExecRequest { cmd: cmd.to_owned(), ..ExecRequest::default() };
        let reply = self.client.exec(&request).await.expect("the daemon answers").reply;
        assert!(reply.ok, "{cmd}: {}", reply.content);
    }

    async fn time(&self, cmd: &str) -> Duration {
        let started = Instant::now();
        self.ok(cmd).await;
        started.elapsed()
    }
}

/// One kept-alive connection, without any library.
struct Bare {
    stream: TcpStream,
    request: String,
    buffer: Vec<u8>,
}

impl Bare {
    async fn new(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("the server listens");
        stream.set_nodelay(true).expect("tcp");
        let request = format!("GET /now?city=Seoul HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
        Self { stream, request, buffer: vec![0; 4096] }
    }

    async fn once(&mut self) {
        self.stream.write_all(self.request.as_bytes()).await.expect("the server reads");
        let mut filled = 0;
        while !self.buffer[..filled].ends_with(ANSWER.as_bytes()) {
            filled += self.stream.read(&mut self.buffer[filled..]).await.expect("the server answers");
        }
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
