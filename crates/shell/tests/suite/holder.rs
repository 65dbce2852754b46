//! The process that holds the shells is killed: nothing is left.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::support::{LONG, Marker};

#[tokio::test]
async fn nothing_outlives_the_process_that_held_it() {
    let (home, marker) = (tempfile::tempdir().unwrap(), Marker::new());
    let payload = format!(
        "{marker} & setsid {marker} & nohup {marker} >/dev/null 2>&1 & ({marker} &) ; bash -c 'trap \"\" HUP TERM; {marker}; :' & disown; read waits"
    );
    let mut holder = Command::new(env!("CARGO_BIN_EXE_shell-fixture"))
        .arg("hold")
        .args([home.path().as_os_str(), "4".as_ref(), payload.as_ref()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let shells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(shells.len(), 4, "{line}");
    marker.wait_for(20).await;
    let guards: Vec<String> = shells.iter().map(|pid| parent(pid)).collect();
    holder.kill().unwrap();
    holder.wait().unwrap();
    let gone = async {
        while shells.iter().copied().chain(guards.iter().map(String::as_str)).any(is_there) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, gone).await.unwrap();
    marker.wait_for(0).await;
}

fn parent(pid: &str) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1).unwrap().to_owned()
}

/// Whether the process still lives; one that only waits to be reaped does not.
fn is_there(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, fields)| !fields.starts_with('Z'))
}
