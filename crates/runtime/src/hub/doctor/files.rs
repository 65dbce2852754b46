//! The daemon's own files: who may read them, the lock, the settings, the store, and room to write.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::Finding;
use crate::Runtime;
use crate::agent::settings;
use crate::event;
use crate::words::shown_bytes;

/// Less than this is gone with the next large output.
const ROOM_MIN: u64 = 256 * 1024 * 1024;

pub(super) fn check(root: &Path) -> Vec<Finding> {
    let private = [
        ("root", root.to_owned()),
        ("run", root.join("run")),
        ("log", root.join("log")),
        ("store", root.join("store")),
        ("token", root.join("run/token")),
    ];
    let mut findings: Vec<Finding> = private.iter().filter_map(|(what, path)| closed(what, path)).collect();
    if findings.is_empty() {
        findings.push(Finding::good("files", format!("{} is closed to other users", root.display())));
    }
    findings.extend([lock(&root.join(crate::DAEMON_LOCK)), config(&root.join("config.json")), room(root)]);
    findings
}

/// Reads all that is stored.
pub(super) async fn check_store(runtime: &Runtime) -> Finding {
    const WHAT: &str = "store";
    let copy = format!(
        "string --daemon stop, copy {} away, then put back the last good copy",
        runtime.root.join("store").display()
    );
    match runtime.store.check_integrity().await {
        Ok(problems) if problems.is_empty() => Finding::good(WHAT, "every entry was read and is sound"),
        Ok(problems) => Finding::problem(WHAT, problems.join("; "), copy),
        Err(error) => Finding::problem(WHAT, format!("could not be read: {error}"), copy),
    }
}

/// What is wrong with a file or directory that only its owner may use.
fn closed(what: &'static str, path: &Path) -> Option<Finding> {
    let shown = path.display();
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) => {
            let repair = "string --daemon stop; the next command makes it anew";
            return Some(Finding::problem(what, format!("{shown}: {error}"), repair));
        }
    };
    let owner = rustix::process::geteuid().as_raw();
    if found.uid() != owner {
        let said = format!("{shown} belongs to user {}, not to this one", found.uid());
        return Some(Finding::problem(what, said, format!("chown {owner} {shown}")));
    }
    let mode = if found.is_dir() { "700" } else { "600" };
    (found.permissions().mode() & 0o077 != 0).then(|| {
        Finding::problem(what, format!("{shown} is open to other users"), format!("chmod {mode} {shown}"))
    })
}

/// The lock is this daemon's, so that nobody else can get it.
fn lock(path: &Path) -> Finding {
    const WHAT: &str = "lock";
    let repair = "string --daemon stop; the next command starts one daemon and no other";
    match File::options().write(true).open(path).map(|file| file.try_lock()) {
        Ok(Err(TryLockError::WouldBlock)) => Finding::good(WHAT, "held: no second daemon can start here"),
        Ok(Ok(())) => Finding::problem(
            WHAT,
            format!("{} was replaced: a second daemon could start", path.display()),
            repair,
        ),
        Ok(Err(TryLockError::Error(error))) | Err(error) => {
            Finding::problem(WHAT, format!("{}: {error}", path.display()), repair)
        }
    }
}

fn config(path: &Path) -> Finding {
    const WHAT: &str = "settings";
    match settings::read(path) {
        Ok(read) => match event::nonsense(&read) {
            None => Finding::good(WHAT, "read and understood"),
            Some(wrong) => Finding::warning(
                WHAT,
                format!("{}: {wrong}; the usual value holds", path.display()),
                format!("correct {} by hand", path.display()),
            ),
        },
        Err(error) => Finding::problem(
            WHAT,
            error.message,
            format!("correct {} by hand; it is never overwritten", path.display()),
        ),
    }
}

fn room(root: &Path) -> Finding {
    const WHAT: &str = "disk";
    match rustix::fs::statvfs(root) {
        Ok(found) => {
            let free = found.f_bavail.saturating_mul(found.f_frsize);
            let said = format!("{} free", shown_bytes(free));
            if free >= ROOM_MIN {
                Finding::good(WHAT, said)
            } else {
                let repair = format!("make room on the file system of {}", root.display());
                Finding::warning(WHAT, said, repair)
            }
        }
        Err(error) => Finding::warning(WHAT, format!("not known: {error}"), "look at it with df"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn what_others_could_read_is_a_problem_with_its_repair() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        assert_eq!(closed("token", &path).unwrap().state, State::Problem);
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let found = closed("token", &path).unwrap();
        assert_eq!(found.repair, Some(format!("chmod 600 {}", path.display())));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(closed("token", &path), None);
    }

    #[test]
    fn a_lock_that_can_be_had_is_a_problem() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.lock");
        assert_eq!(lock(&path).state, State::Problem);
        let held = File::create(&path).unwrap();
        assert_eq!(lock(&path).state, State::Problem);
        held.lock().unwrap();
        assert_eq!(lock(&path).state, State::Good);
    }

    #[test]
    fn settings_that_are_not_understood_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        assert_eq!(config(&path).state, State::Good);
        fs::write(&path, "{").unwrap();
        assert_eq!(config(&path).state, State::Problem);
        fs::write(&path, r#"{"events": {"keepDays": "x"}}"#).unwrap();
        let found = config(&path);
        assert!(!found.said.contains("keepAckedDays"), "{found:?}");
        assert!(found.state == State::Warning && found.said.contains("events.keepDays is not"), "{found:?}");
        fs::write(&path, r#"{"events": {"keepAckedDays": 0, "keepDays": "x"}}"#).unwrap();
        let both = config(&path).said;
        assert!(
            both.contains("events.keepAckedDays is not") && both.contains("events.keepDays is not"),
            "{both}"
        );
    }
}
