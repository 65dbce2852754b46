//! What lies over secrets: an empty directory over a directory, nothing at all over a file.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountFlags, mount, mount_bind, mount_bind_recursive, mount_remount};

use super::namespace::{at, terminated};
use super::{Boundary, Failure, Secret, Secrets};
use crate::sys::{self, Reach};

/// The covers of one mount namespace.
pub(crate) struct Covers {
    boundary: Boundary,
    /// What is seen where a secret is, by its real path.
    laid: HashMap<PathBuf, Identity>,
}

/// A device and a file on it.
type Identity = (u64, u64);

/// What shines through a cover.
pub(super) struct Kept<'a> {
    path: &'a Path,
    writable: bool,
}

impl Covers {
    pub(super) fn new(boundary: Boundary) -> Self {
        Self { boundary, laid: HashMap::new() }
    }

    /// Covers every secret that is there and not covered: at first, and again when one has appeared, or was
    /// put in place of another, upon which the kernel takes the cover away.
    pub(crate) fn lay(&mut self) -> Result<(), Failure> {
        if self.boundary.secrets == Secrets::Hidden {
            for secret in self.boundary.hidden() {
                self.cover(&secret).map_err(at("hide a secret"))?;
            }
        }
        Ok(())
    }

    fn cover(&mut self, secret: &Secret) -> io::Result<()> {
        // What is not there, or not for us to see, needs no hiding.
        let Ok(path) = fs::canonicalize(&secret.path) else { return Ok(()) };
        let Ok(found) = fs::metadata(&path) else { return Ok(()) };
        if self.laid.get(&path) == Some(&identity(&found)) || !lies_within(&path, secret.within.as_deref()) {
            return Ok(());
        }
        if found.is_dir() {
            let kept: Vec<Kept<'_>> = self.kept_beneath(secret, &path).collect();
            over_directory(&path, &kept)?;
        } else {
            mount_bind("/dev/null", &path)?;
        }
        let cover = identity(&fs::metadata(&path)?);
        self.laid.insert(path, cover);
        Ok(())
    }

    /// What stays visible beneath a secret: what was asked for, and every place that may be written to.
    fn kept_beneath<'a>(&'a self, secret: &'a Secret, real: &'a Path) -> impl Iterator<Item = Kept<'a>> {
        let Boundary { visible, writable, .. } = &self.boundary;
        let visible = visible.iter().map(|path| Kept { path: Path::new(path), writable: false });
        let writable = writable.iter().map(|path| Kept { path: Path::new(path), writable: true });
        visible.chain(writable).filter(move |kept| {
            let beneath = |top: &Path| kept.path.starts_with(top) && kept.path != top;
            beneath(&secret.path) || beneath(real)
        })
    }
}

/// Puts an empty directory over `path`, with only `kept` shining through.
pub(super) fn over_directory(path: &Path, kept: &[Kept<'_>]) -> io::Result<()> {
    // Opened before the cover is on; afterwards the names lead nowhere.
    let handles: Vec<_> = kept
        .iter()
        .filter_map(|kept| {
            let handle = rustix::fs::open(kept.path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
            Some((kept, handle))
        })
        .collect();
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("tmpfs", path, "tmpfs", flags, c"mode=0755,size=64k")?;
    for (kept, handle) in &handles {
        let source = format!("/proc/self/fd/{}", handle.as_raw_fd());
        if fs::metadata(&source)?.is_dir() {
            fs::create_dir_all(kept.path)?;
        } else {
            fs::create_dir_all(kept.path.parent().unwrap_or(path))?;
            fs::write(kept.path, "")?;
        }
        mount_bind_recursive(source, kept.path)?;
        if !kept.writable {
            sys::set_mount_read_only(&terminated(kept.path)?, Reach::Recursive)?;
        }
    }
    Ok(mount_remount(path, flags | MountFlags::RDONLY, "")?)
}

fn lies_within(path: &Path, within: Option<&Path>) -> bool {
    let Some(within) = within else { return true };
    fs::canonicalize(within).is_ok_and(|within| path.starts_with(within))
}

fn identity(found: &Metadata) -> Identity {
    (found.dev(), found.ino())
}
