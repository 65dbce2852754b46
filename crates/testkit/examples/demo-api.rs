//! `cargo run -p testkit --example demo-api`: the API that the apps in `examples/` call, until it is stopped.
#![allow(clippy::print_stdout, reason = "its reader wants to know where it listens")]

use testkit::demo;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", demo::PORT)).await?;
    println!("The demo API listens on http://{}. Ctrl-C stops it.", listener.local_addr()?);
    demo::serve(listener).await
}
