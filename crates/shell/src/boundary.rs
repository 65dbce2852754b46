//! The boundary: what a shell or a command may touch, enforced by the kernel.
//!
//! A mount namespace hides secrets and makes the rest of the system
//! read-only, Landlock limits writes for good, a network namespace cuts the
//! network. Root does without a user namespace, other users need one; in
//! return root gives up what is no matter of files.

mod covers;
mod namespace;
mod present;
mod privileges;
mod writes;

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
pub(crate) use covers::Covers;
pub(crate) use present::Present;
pub(crate) use writes::Lock;

/// Where String keeps an agent's settings and programs keep credentials, from the home directory.
pub const SECRETS: &[&str] = &[
    ".string",
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".oci",
    ".password-store",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/op",
    ".config/git/credentials",
    ".config/rclone",
    ".config/sops",
    ".config/google-chrome",
    ".config/chromium",
    ".mozilla",
    ".local/share/keyrings",
    // Of the clients that String is set up for.
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".config/Claude",
    ".config/Code/User/globalStorage/state.vscdb",
    ".config/Cursor/User/globalStorage/state.vscdb",
    ".config/cursor/auth.json",
    ".config/github-copilot",
    ".docker/config.json",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".git-credentials",
    ".netrc",
    "_netrc",
    ".boto",
    ".s3cfg",
    ".pgpass",
    ".pypirc",
    ".my.cnf",
    ".vault-token",
    ".terraform.d/credentials.tfrc.json",
];

/// Writable for everybody inside a boundary: temporary files and shared memory.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// What the user may.
    None,
    /// Writes only where allowed; secrets hidden.
    Workspace,
    /// As workspace, and no network but loopback.
    Isolated,
}

/// Whether a boundary hides secrets, or only limits writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Secrets {
    Hidden,
    /// Mount namespaces are forbidden here: Landlock alone cannot deny a read.
    Readable,
}

/// A boundary, made for one home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boundary {
    level: Level,
    secrets: Secrets,
    writable: Vec<OsString>,
    /// Directories in which [`SECRETS`] are hidden.
    places: Vec<Place>,
    hidden: Vec<OsString>,
    visible: Vec<OsString>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    path: OsString,
    whose: Whose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Whose {
    Own,
    /// Its links are followed only within it: whoever may write there could else have anything hidden here.
    Foreign,
}

/// A file or directory to be hidden, if it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Secret {
    path: PathBuf,
    /// What it must lie in as it really is.
    within: Option<PathBuf>,
}

impl Boundary {
    /// No boundary.
    pub fn none() -> Self {
        Self {
            level: Level::None,
            secrets: Secrets::Readable,
            writable: Vec::new(),
            places: Vec::new(),
            hidden: Vec::new(),
            visible: Vec::new(),
        }
    }

    /// A boundary of `level` around `home`, with the [`SECRETS`] in it
    /// hidden. Refused when `support` says that this kernel cannot keep it.
    pub fn new(level: Level, support: &Support, home: impl Into<PathBuf>) -> Result<Self> {
        if level == Level::None {
            return Ok(Self::none());
        }
        let secrets = support.secrets(level)?;
        let home = home.into();
        let writable = TEMPORARY.iter().map(OsString::from).collect();
        let empty = Self { level, secrets, writable, ..Self::none() };
        Ok(empty.allow(home))
    }

    /// Also allows writing beneath `path`, but for the [`SECRETS`] in it.
    #[must_use]
    pub fn allow(mut self, path: impl Into<PathBuf>) -> Self {
        let path = path.into().into_os_string();
        self.writable.push(path.clone());
        self.places.push(Place { path, whose: Whose::Own });
        self
    }

    /// Also hides the [`SECRETS`] in somebody else's home.
    #[must_use]
    pub fn beside(mut self, home: impl Into<PathBuf>) -> Self {
        self.places.push(Place { path: home.into().into_os_string(), whose: Whose::Foreign });
        self
    }

    /// Also hides the file or directory `path`.
    #[must_use]
    pub fn hide(mut self, path: impl Into<PathBuf>) -> Self {
        self.hidden.push(path.into().into_os_string());
        self
    }

    /// Keeps `path` visible although it lies beneath a hidden directory.
    #[must_use]
    pub fn keep(mut self, path: impl Into<PathBuf>) -> Self {
        self.visible.push(path.into().into_os_string());
        self
    }

    pub fn level(&self) -> Level {
        self.level
    }

    pub fn secrets(&self) -> Secrets {
        self.secrets
    }

    fn writable(&self) -> impl Iterator<Item = &Path> {
        self.writable.iter().map(Path::new)
    }

    /// Everything to be hidden, each once, whether it is there or not.
    fn hidden(&self) -> Vec<Secret> {
        let listed = self.hidden.iter().map(|path| Secret { path: path.into(), within: None });
        let in_place = self.places.iter().flat_map(|place| {
            let within = (place.whose == Whose::Foreign).then(|| PathBuf::from(&place.path));
            let secret =
                move |name: &&str| Secret { path: Path::new(&place.path).join(name), within: within.clone() };
            SECRETS.iter().map(secret)
        });
        let mut known = HashSet::new();
        // The first one counts: a place that is one's own comes before the same as somebody else's.
        listed.chain(in_place).filter(|secret| known.insert(secret.path.clone())).collect()
    }
}

/// What a kernel can do, found out by doing it; each failure with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Support {
    /// Landlock's version, which limits writes.
    pub landlock: std::result::Result<u8, String>,
    /// A mount namespace of one's own, which hides secrets.
    pub mounts: std::result::Result<(), String>,
    /// A network namespace of one's own.
    pub network: std::result::Result<(), String>,
}

impl Support {
    /// What a boundary of `level` would do about secrets, or why it cannot be had.
    pub fn secrets(&self, level: Level) -> Result<Secrets> {
        let secrets = match &self.mounts {
            Ok(()) => Secrets::Hidden,
            Err(_) => Secrets::Readable,
        };
        match (level, &self.landlock, &self.mounts, &self.network) {
            (Level::None, ..) => Ok(Secrets::Readable),
            (_, Err(reason), ..) => Err(Error::BoundaryUnsupported(format!("Landlock: {reason}"))),
            (Level::Isolated, _, Err(reason), _) => {
                Err(Error::BoundaryUnsupported(format!("mount namespace: {reason}")))
            }
            (Level::Isolated, _, _, Err(reason)) => {
                Err(Error::BoundaryUnsupported(format!("network namespace: {reason}")))
            }
            (Level::Workspace | Level::Isolated, ..) => Ok(secrets),
        }
    }
}

/// A step and why it failed.
pub(crate) type Failure = (&'static str, io::Error);

/// Enters the boundary with the whole process, up to the lock that only the
/// child shuts. The guard calls this; it must have one thread.
pub(crate) fn enter(boundary: &Boundary) -> Result<(Lock, Covers), Failure> {
    let mut covers = Covers::new(boundary.clone());
    if boundary.level == Level::None {
        return Ok((Lock::none(), covers));
    }
    if boundary.secrets == Secrets::Hidden {
        namespace::enter(boundary, &mut covers)?;
    }
    let lock = Lock::prepare(boundary.writable()).map_err(|error| ("prepare Landlock", error))?;
    Ok((lock, covers))
}

/// Finds out what works. Changes the process, which must end afterwards.
pub(crate) fn probe() -> Support {
    Support {
        mounts: namespace::probe_mounts().map_err(|(stage, error)| format!("cannot {stage}: {error}")),
        network: namespace::probe_network().map_err(|(stage, error)| format!("cannot {stage}: {error}")),
        landlock: writes::probe().map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn support(landlock: bool, mounts: bool, network: bool) -> Support {
        let why = || "forbidden".to_owned();
        Support {
            landlock: if landlock { Ok(3) } else { Err(why()) },
            mounts: if mounts { Ok(()) } else { Err(why()) },
            network: if network { Ok(()) } else { Err(why()) },
        }
    }

    #[test]
    fn a_level_is_refused_where_the_kernel_cannot_keep_it() {
        use Level::{Isolated, Workspace};
        use Secrets::{Hidden, Readable};
        let table = [
            (Workspace, support(true, true, true), Some(Hidden)),
            (Workspace, support(true, false, false), Some(Readable)),
            (Workspace, support(false, true, true), None),
            (Isolated, support(true, true, true), Some(Hidden)),
            (Isolated, support(true, false, true), None),
            (Isolated, support(true, true, false), None),
            (Level::None, support(false, false, false), Some(Readable)),
        ];
        for (level, support, expected) in table {
            assert_eq!(support.secrets(level).ok(), expected, "{level:?} with {support:?}");
        }
    }
}
