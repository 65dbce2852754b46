//! What has expired leaves the disk without being asked for.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use server::{Limits, Settings};
use store::sqlite::Sqlite;
use store::{AtomicWrite, Key, Space, Store, SystemClock, Timestamp};
use testkit::Home;

const EXPIRED: u64 = 1_200;

/// Entries that expired long ago, and one that stays.
async fn leave_behind(path: &Path) {
    let (store, space) =
        (Sqlite::open(path, Arc::new(SystemClock)).unwrap(), Space::new("state/profile/default"));
    let old = Some(Timestamp::from_millis(1));
    let write = (0..EXPIRED).fold(AtomicWrite::new(), |write, n| {
        write.put(&space, &Key::new(format!("old/{n}")), vec![b'1'; 4_000], old)
    });
    let _ = store.commit(write.put(&space, &Key::new("new"), "1", None)).await.unwrap();
    store.close().await.unwrap();
}

fn entries(path: &Path) -> u64 {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection
        .query_row("SELECT count(*) FROM entry", [], |row| row.get::<_, i64>(0))
        .unwrap()
        .cast_unsigned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_removes_what_expired_and_gives_the_room_back() {
    let home = Home::default();
    let path = home.root().join("store/string.db");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    leave_behind(&path).await;
    let full = fs::metadata(&path).unwrap().len();
    assert!(entries(&path) > EXPIRED);
    let settings = Settings {
        root: home.root(),
        home: home.path().to_owned(),
        port: 0,
        version: "0.1.0".into(),
        limits: Limits::default(),
        shells: None,
    };
    let daemon = server::Daemon::start(settings).await.unwrap();
    let stop = daemon.runtime().stop.clone();
    let serving = tokio::spawn(daemon.serve());
    while entries(&path) > 1 {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    serving.await.unwrap().unwrap();
    let left = fs::metadata(&path).unwrap().len();
    assert!(left < full / 3, "{left} of {full} bytes are left");
}
