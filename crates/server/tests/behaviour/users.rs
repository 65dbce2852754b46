//! Other users of the machine: refused at the socket even when the file system would let them in.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::process::Uid;
use testkit::Daemon;

/// The user `nobody`.
const OTHER: u32 = 65534;

/// Sends a request as another user and returns what came back.
fn ask_as(user: Uid, socket: PathBuf) -> std::io::Result<String> {
    let asked = std::thread::spawn(move || {
        // On Linux a thread has its own user id, so that the rest of the tests keep theirs.
        rustix::thread::set_thread_res_uid(user, user, user)?;
        let mut stream = UnixStream::connect(socket)?;
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    });
    asked.join().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn another_user_is_refused_at_the_socket() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can become another user");
        return;
    }
    let daemon = Daemon::start().await;
    let socket = daemon.home.root().join("run/string.sock");
    let root = Uid::ROOT;
    assert!(ask_as(root, socket.clone()).unwrap().starts_with("HTTP/1.1 200"));
    let closed = ask_as(Uid::from_raw(OTHER), socket.clone()).unwrap_err();
    assert_eq!(closed.kind(), std::io::ErrorKind::PermissionDenied, "the directory is closed");
    let opened =
        [daemon.home.path().to_owned(), daemon.home.root(), daemon.home.root().join("run"), socket.clone()];
    for path in opened {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let answer = ask_as(Uid::from_raw(OTHER), socket.clone());
    assert!(answer.as_ref().map_or(true, String::is_empty), "{answer:?}");
    assert!(ask_as(root, socket).unwrap().starts_with("HTTP/1.1 200"), "its own user is served as before");
}
