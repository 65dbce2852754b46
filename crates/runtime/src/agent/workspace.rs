//! The home and the allowed paths: which files an agent's commands reach.
//!
//! A path is checked as written, then resolved, then checked again as it really is, and at last opened beneath
//! the directory it was checked against, with links refused. Whatever swaps a directory for a link in between
//! makes the opening fail; it cannot make it lead elsewhere.

mod at_once;
mod directory;
mod found;
mod output;
mod place;
mod protected;
mod transfer;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
pub use script::Stamp;

pub use at_once::stamp_at_once;
pub use found::{Found, FoundKind, Hidden};
pub use output::OUTPUT;
pub use place::Place;
pub use protected::is_protected;
pub use transfer::{Expected, Upload};

use crate::error::{Code, Error, Result, one_line, quoted};
use crate::long::fitting;

/// The kernel takes no longer path.
const PATH_MAX: usize = 4096;
/// How much is shown of one that is longer.
const IMPOSSIBLE_SHOWN: usize = 256;
const NO_LINKS: ResolveFlags = ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS);
/// Kernel and device trees: never documents, even when `/` itself is allowed.
const KERNEL_TREES: &[&str] = &["/proc", "/sys", "/dev"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    home: PathBuf,
    allow: Vec<PathBuf>,
    /// The daemon's own directory, protected under whatever name it has.
    private: PathBuf,
    /// How the home is written before a path in it.
    sign: &'static str,
}

impl Workspace {
    pub fn new(home: PathBuf, allow: Vec<PathBuf>, private: PathBuf) -> Self {
        Self { home, allow, private, sign: "~/" }
    }

    /// The folder of a package: its pages, shown by their paths in it.
    pub fn of_package(dir: PathBuf) -> Self {
        let private = dir.join(".package.json");
        Self { home: dir, allow: Vec::new(), private, sign: "" }
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn allowed(&self) -> &[PathBuf] {
        &self.allow
    }

    /// What `~` or `~/…` means; none for anything else.
    pub fn below_home(&self, text: &str) -> Option<PathBuf> {
        match text.strip_prefix('~')? {
            "" => Some(self.home.clone()),
            rest => rest.starts_with('/').then(|| self.home.join(rest.trim_start_matches('/'))),
        }
    }

    /// A path as others write it: absolute, or from the home, with `~` or bare.
    pub fn from_home(&self, text: &str) -> PathBuf {
        self.below_home(text).unwrap_or_else(|| self.home.join(text))
    }

    /// Whether a path, as written, lies in the workspace.
    pub fn contains(&self, path: &Path) -> bool {
        self.roots().any(|root| path.starts_with(root))
    }

    /// The path as agents read it: `~/docs/x.md` below home, absolute elsewhere. One that is too long to be there
    /// is named by its ends.
    pub fn display(&self, path: &Path) -> String {
        let shown = match path.strip_prefix(&self.home) {
            Ok(rest) => format!("{}{}", self.sign, one_line(&rest.to_string_lossy())),
            Err(_) => one_line(&path.to_string_lossy()),
        };
        if path.as_os_str().len() < PATH_MAX { shown } else { fitting(&shown, IMPOSSIBLE_SHOWN).into_owned() }
    }

    /// Opens what a path means, if the agent may reach it.
    pub fn find(&self, path: &Path) -> Result<Found> {
        if let Some(below) = self.below_output(path) {
            return self.find_output(path, &below);
        }
        self.check_as_written(path)?;
        let real = std::fs::canonicalize(path).map_err(|error| self.unresolved(path, &error))?;
        let (root, below) = self.check_as_resolved(path, &real)?;
        let handle = open_beneath(&root, &below).map_err(|error| load_error(&self.display(path), &error))?;
        let found = Found::of(handle, &self.display(path))?;
        Ok(Found { real: (real != path).then_some(real), ..found })
    }

    fn roots(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&*self.home).chain(self.allow.iter().map(|path| &**path))
    }

    fn check_as_written(&self, path: &Path) -> Result<()> {
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(self.refused(path, "holds a NUL byte, which no path can."));
        }
        let climbs = path.components().any(|part| part == Component::ParentDir);
        if climbs || !path.is_absolute() || !self.contains(path) {
            return Err(self.outside(path));
        }
        if in_kernel_tree(path) {
            return Err(self.protected(path));
        }
        // A home may itself lie below a protected name, so that an allowed path around it does not count there.
        if let Ok(below) = path.strip_prefix(&self.home) {
            return self.check_below(path, below);
        }
        let mut allowed = self.allow.iter().filter_map(|root| path.strip_prefix(root).ok());
        allowed.try_for_each(|below| self.check_below(path, below))
    }

    /// The root that the resolved path lies in, and the path below it.
    fn check_as_resolved(&self, path: &Path, real: &Path) -> Result<(PathBuf, PathBuf)> {
        let private = std::fs::canonicalize(&self.private).unwrap_or_else(|_| self.private.clone());
        self.check_against(path, real, |root| self.resolve_root(root), &private)
    }

    fn check_against(
        &self,
        path: &Path,
        real: &Path,
        resolve_root: impl Fn(&Path) -> Option<PathBuf>,
        private: &Path,
    ) -> Result<(PathBuf, PathBuf)> {
        let mut found = None;
        for root in self.roots() {
            let Some(real_root) = resolve_root(root) else { continue };
            if let Ok(below) = real.strip_prefix(&real_root) {
                self.check_below(path, below)?;
                found.get_or_insert((real_root.clone(), below.to_owned()));
                if root == self.home {
                    break;
                }
            }
        }
        let found = found.ok_or_else(|| self.leads_out(path))?;
        // Homes of agents lie inside the private directory: a root in there is nobody's secret.
        let root_is_inside = found.0.starts_with(private);
        let in_private = real.starts_with(private) && !root_is_inside;
        if in_private || in_kernel_tree(real) { Err(self.protected(path)) } else { Ok(found) }
    }

    /// Where a root really is; none if it is gone, or may have been swapped for a link: whoever can write in
    /// one root can swap another one that lies in it.
    fn resolve_root(&self, root: &Path) -> Option<PathBuf> {
        let real = std::fs::canonicalize(root).ok()?;
        let nested = self.roots().any(|other| other != root && root.starts_with(other));
        (real == root || !nested).then_some(real)
    }

    fn check_below(&self, path: &Path, below: &Path) -> Result<()> {
        if is_protected(below) { Err(self.protected(path)) } else { Ok(()) }
    }

    /// Why a path could not be resolved. What lies outside must not be told apart from what does not exist.
    fn unresolved(&self, path: &Path, error: &io::Error) -> Error {
        if rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP) {
            return self.leads_out(path);
        }
        if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            return load_error(&self.display(path), error);
        }
        for ancestor in path.ancestors().skip(1) {
            let Ok(real) = std::fs::canonicalize(ancestor) else { continue };
            if let Err(refused) = self.check_as_resolved(path, &real) {
                return refused;
            }
            break;
        }
        if let Some(link) = path.ancestors().find(|part| part.is_symlink() && !part.exists()) {
            return self.dangling(path, link);
        }
        Error::new(Code::NotFound, format!("No such file: {}", self.display(path)))
    }

    fn outside(&self, path: &Path) -> Error {
        let refused = self.refused(path, "is outside the workspace.");
        // A package has its own files and never more.
        let hint = "A person can let the agent reach more: string agent allow DIRECTORY";
        if self.sign.is_empty() { refused } else { refused.hint(hint) }
    }

    fn leads_out(&self, path: &Path) -> Error {
        self.refused(path, "is a link that leads out of the workspace.")
    }

    /// Nothing is read or made through a link to nothing; what it names decides only what is said.
    fn dangling(&self, path: &Path, link: &Path) -> Error {
        let target = std::fs::read_link(link).map(|target| link.parent().unwrap_or(link).join(target));
        match target.map(|target| normalize(&target)) {
            Ok(target) if self.contains(&target) => {
                self.refused(path, "is a link to a file that is not there.")
            }
            _ => self.leads_out(path),
        }
    }

    fn protected(&self, path: &Path) -> Error {
        self.refused(path, "is protected.").hint("String's own files and credentials are never opened.")
    }

    fn refused(&self, path: &Path, why: &str) -> Error {
        let roots: Vec<_> = self.roots().map(|root| root.display().to_string()).collect();
        Error::new(Code::InvalidPath, format!("{} {why}", quoted(&self.display(path))))
            .hint(format!("The workspace: {}", roots.join(", ")))
    }
}

/// Resolves `.` and `..` by the letters alone, as every Markdown viewer does with links.
pub fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Opens what lies below a root, both as resolved: no part of either may be a link by now.
fn open_beneath(root: &Path, below: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let root = rustix::fs::openat2(CWD, root, flags | OFlags::DIRECTORY, Mode::empty(), NO_LINKS)?;
    if below.as_os_str().is_empty() {
        return Ok(root);
    }
    let resolve = ResolveFlags::BENEATH | NO_LINKS;
    Ok(rustix::fs::openat2(root.as_fd(), below, flags, Mode::empty(), resolve)?)
}

fn in_kernel_tree(path: &Path) -> bool {
    KERNEL_TREES.iter().any(|tree| path.starts_with(tree))
}

fn load_error(shown: &str, error: &io::Error) -> Error {
    Error::new(Code::LoadError, format!("{shown} could not be read: {error}"))
}
