//! Whether the daemon can be reached: its socket and its port.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;

use super::Finding;

const RESTART: &str = "string --daemon stop; the next command starts it again";

pub(super) fn check(root: &Path, port: Option<u16>) -> Vec<Finding> {
    vec![socket(&root.join("run/string.sock")), tcp(port)]
}

fn socket(path: &Path) -> Finding {
    const WHAT: &str = "socket";
    let shown = path.display();
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => {
            Finding::problem(WHAT, format!("{shown} is not a socket"), format!("rm {shown}, then {RESTART}"))
        }
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            Finding::problem(WHAT, format!("{shown} is open to others"), format!("chmod 600 {shown}"))
        }
        Ok(_) => Finding::good(WHAT, format!("served at {shown}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Finding::problem(WHAT, format!("{shown} was removed while the daemon ran"), RESTART)
        }
        Err(error) => Finding::problem(WHAT, format!("{shown}: {error}"), RESTART),
    }
}

fn tcp(port: Option<u16>) -> Finding {
    const WHAT: &str = "port";
    match port {
        Some(port) => Finding::good(WHAT, format!("served at 127.0.0.1:{port}, loopback only")),
        None => Finding::problem(
            WHAT,
            "taken by another program when the daemon started: no HTTP, webhooks or MCP over TCP",
            "export STRING_PORT with a free one (0 takes any), then string --daemon stop",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::super::State;
    use super::*;

    #[test]
    fn a_socket_must_be_there_and_closed_to_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("string.sock");
        assert_eq!(socket(&path).state, State::Problem);
        fs::write(&path, "").unwrap();
        assert!(socket(&path).said.ends_with("is not a socket"));
        fs::remove_file(&path).unwrap();
        let _listener = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o660)).unwrap();
        assert!(socket(&path).repair.unwrap().starts_with("chmod 600 "));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(socket(&path).state, State::Good);
        assert_eq!((tcp(None).state, tcp(Some(80)).state), (State::Problem, State::Good));
    }
}
