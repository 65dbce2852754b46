//! Special files: refused or bounded as documents, and never waited for.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use testkit::World;

const NOT_A_DOCUMENT: &str = "is neither a file nor a directory.";

#[tokio::test]
async fn a_pipe_is_refused_without_waiting_for_a_writer() {
    let world = World::new().await;
    mknodat(CWD, world.home.path().join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let content = world.fails("main", "/open pipe", "INVALID_PATH").await;
    assert!(content.contains(NOT_A_DOCUMENT), "{content}");
    fs::create_dir(world.home.path().join("dir")).unwrap();
    fs::rename(world.home.path().join("pipe"), world.home.path().join("dir/index.md")).unwrap();
    world.fails("main", "/open dir/", "INVALID_PATH").await;
}

#[tokio::test]
async fn a_socket_is_refused() {
    let world = World::new().await;
    let _listener = UnixListener::bind(world.home.path().join("socket")).unwrap();
    assert!(world.fails("main", "/open socket", "INVALID_PATH").await.contains(NOT_A_DOCUMENT));
}

#[tokio::test]
async fn a_device_is_refused() {
    let world = World::new().await;
    symlink("/dev/zero", world.home.path().join("link")).unwrap();
    world.fails("main", "/open link", "INVALID_PATH").await;
    world.fails("main", "/open /dev/zero", "INVALID_PATH").await;
    let zero = rustix::fs::makedev(1, 5);
    match mknodat(CWD, world.home.path().join("zero"), FileType::CharacterDevice, Mode::RUSR, zero) {
        Ok(()) => assert!(world.fails("main", "/open zero", "INVALID_PATH").await.contains(NOT_A_DOCUMENT)),
        Err(error) => eprintln!("skipped: a device cannot be made here ({error})"),
    }
}

#[tokio::test]
async fn kernel_trees_stay_closed_even_when_everything_is_allowed() {
    let world = World::new().await;
    world.ok("agent", "/allow /").await;
    symlink("/proc/self", world.home.path().join("me")).unwrap();
    for target in [
        "/proc/self/environ",
        "/proc/1/cmdline",
        "/proc/self/cwd/x",
        "/proc",
        "/sys/kernel",
        "/dev/zero",
        "/dev/stdin",
        "/dev",
        "me/environ",
        "/proc/self/fd/0",
        "/proc/gone",
    ] {
        world.fails("main", &format!("/open {target}"), "INVALID_PATH").await;
    }
}

#[tokio::test]
async fn a_huge_file_is_never_read_whole() {
    let world = World::new().await;
    let file = fs::File::create(world.home.path().join("sparse.md")).unwrap();
    file.set_len(1 << 40).unwrap();
    let reply = world.say("main", "/open sparse.md").await;
    assert!(reply.content.len() < 1_000, "{}", reply.content.len());
    assert!(reply.content.contains("1048576.0 MB"), "{}", reply.content);
}

#[tokio::test]
async fn a_text_over_the_limit_is_refused() {
    let world = World::new().await;
    let max = usize::try_from(runtime::document::DOCUMENT_MAX).unwrap();
    world.home.write("long.md", "x".repeat(max + 1));
    let content = world.fails("main", "/open long.md", "LOAD_ERROR").await;
    assert!(content.contains("~/long.md is larger than 8 MB."), "{content}");
}

#[tokio::test]
async fn the_longest_text_opens_and_its_reply_is_bounded() {
    let world = World::new().await;
    let max = usize::try_from(runtime::document::DOCUMENT_MAX).unwrap();
    world.home.write("long.md", "a line of text\n\n".repeat(max / 16));
    let content = world.ok("main", "/open long.md").await;
    assert!(content.len() <= runtime::reply::REPLY_MAX, "{}", content.len());
    assert!(content.starts_with("Opened ~/long.md\n---\na line of text\n"));
    assert!(content.lines().last().unwrap().contains("MB more"), "{:?}", content.lines().last());
}

#[tokio::test]
async fn what_is_not_text_is_described_and_the_document_stays() {
    let world = World::new().await;
    world.home.write("bytes", b"\xff\xfe\x00binary");
    world.home.write("a.md", "# A\n");
    world.ok("main", "/open a.md").await;
    let content = world.ok("main", "/open bytes").await;
    assert_eq!(content, "Opened bytes\n---\ntype: application/octet-stream\nsize: 9 B");
    assert!(world.ok("main", "/info").await.contains("file:      a.md"));
}

#[tokio::test]
async fn an_unreadable_file_is_reported() {
    if rustix::process::geteuid().is_root() {
        eprintln!("skipped: root can read every file");
        return;
    }
    let world = World::new().await;
    let path = world.home.write("closed.md", "x");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let content = world.fails("main", "/open closed.md", "LOAD_ERROR").await;
    assert!(content.contains("~/closed.md could not be read"), "{content}");
}
