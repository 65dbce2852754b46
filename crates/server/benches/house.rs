//! What a command costs beyond HTTP itself: latency, throughput and memory, as ratios measured in one run.
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::post;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const ROUNDS: usize = 8;
const CALLS_PER_ROUND: usize = 1_000;
const CONNECTIONS: usize = 64;
const LOAD_TIME: Duration = Duration::from_secs(3);
const TABS: usize = 100_000;

fn main() {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(2);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let daemon = testkit::Daemon::start().await;
        let bare = bare_route().await;
        latency(&daemon, bare).await;
        throughput(&daemon, bare).await;
        memory(&daemon).await;
        daemon.stop().await;
    });
}

/// A route that reads a JSON body and answers a fixed one: what axum itself costs.
async fn bare_route() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let answer = async |_: String| ([("content-type", "application/json")], "{\"ok\":true}");
    let app = Router::new().route("/bare", post(answer));
    tokio::spawn(async move {
        use axum::serve::ListenerExt;
        let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("tcp"));
        axum::serve(listener, app).await
    });
    port
}

async fn latency(daemon: &testkit::Daemon, bare: u16) {
    let mut bare_call = Call::new(bare, &bare_request(bare)).await;
    let mut info_call = Call::new(daemon.port, &info_request(daemon, "main")).await;
    let (mut bare_times, mut info_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare_call.measure(&mut bare_times).await;
        info_call.measure(&mut info_times).await;
    }
    let (bare, info) = (median(&mut bare_times), median(&mut info_times));
    println!("bare axum route, kept alive   p50 {:>7.1} µs", bare.as_secs_f64() * 1e6);
    println!("/info, kept alive             p50 {:>7.1} µs", info.as_secs_f64() * 1e6);
    println!(
        "ratio                             {:>7.2}     (bar: at most 2)",
        info.as_secs_f64() / bare.as_secs_f64()
    );
}

async fn throughput(daemon: &testkit::Daemon, bare: u16) {
    let bare = load(bare, |_| bare_request(bare)).await;
    let info = load(daemon.port, |n| info_request(daemon, &format!("tab{n}"))).await;
    println!("bare axum route, {CONNECTIONS} connections  {bare:>9.0} /s");
    println!("/info, {CONNECTIONS} distinct topics        {info:>9.0} /s   (bar: at least 20000)");
}

async fn load(port: u16, request: impl Fn(usize) -> String) -> f64 {
    let started = Instant::now();
    let workers = (0..CONNECTIONS).map(|n| {
        let request = request(n);
        tokio::spawn(async move {
            let mut call = Call::new(port, &request).await;
            let mut done = 0_u64;
            while started.elapsed() < LOAD_TIME {
                call.once().await;
                done += 1;
            }
            done
        })
    });
    let mut total = 0;
    for worker in workers.collect::<Vec<_>>() {
        total += worker.await.expect("a worker ends well");
    }
    total as f64 / started.elapsed().as_secs_f64()
}

async fn memory(daemon: &testkit::Daemon) {
    let before = resident();
    let mut call = Call::new(daemon.port, "").await;
    for n in 0..TABS {
        call.request = info_request(daemon, &format!("idle{n}")).into_bytes();
        call.once().await;
    }
    let each = resident().saturating_sub(before) / TABS;
    println!("idle tab, of {TABS}           {each:>9} bytes   (bar: under 2048)");
}

/// One kept-alive connection that sends the same request again and again.
struct Call {
    stream: TcpStream,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Call {
    async fn new(port: u16, request: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("the server listens");
        stream.set_nodelay(true).expect("tcp");
        Self { stream, request: request.into(), buffer: vec![0; 64 * 1024] }
    }

    async fn measure(&mut self, times: &mut Vec<Duration>) {
        for _ in 0..CALLS_PER_ROUND {
            let started = Instant::now();
            self.once().await;
            times.push(started.elapsed());
        }
    }

    async fn once(&mut self) {
        self.stream.write_all(&self.request).await.expect("the server reads");
        let mut filled = 0;
        loop {
            filled += self.stream.read(&mut self.buffer[filled..]).await.expect("the server answers");
            let text = std::str::from_utf8(&self.buffer[..filled]).expect("answers are text");
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            assert!(head.starts_with("HTTP/1.1 200"), "{text}");
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0_usize) {
                return;
            }
        }
    }
}

fn bare_request(port: u16) -> String {
    let body = "{\"topic\":\"main\",\"cmd\":\"/info\"}";
    format!(
        "POST /bare HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn info_request(daemon: &testkit::Daemon, topic: &str) -> String {
    let body = format!("{{\"topic\":\"{topic}\",\"cmd\":\"/info\"}}");
    format!(
        "POST /exec HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        daemon.port,
        daemon.token,
        body.len()
    )
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("proc");
    let pages: usize = statm.split_whitespace().nth(1).expect("a second field").parse().expect("a number");
    pages * 4096
}
