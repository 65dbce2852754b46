//! Namespaces of one's own: secrets hidden, the system read-only, the network cut.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::mount::{MountPropagationFlags, mount_bind, mount_bind_recursive, mount_change};
use rustix::thread::UnshareFlags;

use super::{Boundary, Covers, Failure, Level, covers};
use crate::sys::{self, Reach};

/// Mounts that must stay writable for terminals and processes to work.
const SYSTEM_WRITABLE: &[&str] = &["/dev/pts", "/proc"];
/// Parts of `/proc` that change the kernel, not a process.
const SYSTEM_READ_ONLY: &[&str] = &["/proc/sys", "/proc/irq", "/proc/bus", "/proc/sysrq-trigger"];

pub(super) fn enter(boundary: &Boundary, covers: &mut Covers) -> Result<(), Failure> {
    unshare(boundary.level)?;
    private_mounts()?;
    covers.lay()?;
    restrict_writes(boundary).map_err(at("make the system read-only"))?;
    if boundary.level == Level::Isolated {
        sys::raise_loopback().map_err(at("bring up loopback"))?;
    }
    Ok(())
}

/// Tries out a mount namespace, with a mount in it: some systems allow the one but not the other.
pub(super) fn probe_mounts() -> Result<(), Failure> {
    unshare(Level::Workspace)?;
    private_mounts()?;
    covers::over_directory(Path::new("/tmp"), &[]).map_err(at("mount over a directory"))?;
    sys::set_mount_read_only(c"/", Reach::Recursive).map_err(at("make mounts read-only"))
}

/// Tries out a network namespace; needs what [`probe_mounts`] has entered.
pub(super) fn probe_network() -> Result<(), Failure> {
    sys::unshare(UnshareFlags::NEWNET).map_err(at("enter a network namespace"))?;
    sys::raise_loopback().map_err(at("bring up loopback"))
}

pub(super) fn at(stage: &'static str) -> impl FnOnce(io::Error) -> Failure {
    move |error| (stage, error)
}

fn unshare(level: Level) -> Result<(), Failure> {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let mut flags = UnshareFlags::NEWNS;
    if level == Level::Isolated {
        flags |= UnshareFlags::NEWNET;
    }
    if user.is_root() {
        return sys::unshare(flags).map_err(at("enter namespaces"));
    }
    sys::unshare(flags | UnshareFlags::NEWUSER).map_err(at("enter a user namespace"))?;
    // Each id is mapped to itself: files keep their owner, `id` stays right.
    let map = || -> io::Result<()> {
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{0} {0} 1", user.as_raw()))?;
        fs::write("/proc/self/gid_map", format!("{0} {0} 1", group.as_raw()))
    };
    map().map_err(at("map the user"))
}

/// Mounts of the host still arrive, ours do not leave.
fn private_mounts() -> Result<(), Failure> {
    let flags = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", flags).map_err(|error| ("make mounts private", error.into()))
}

/// Makes every mount read-only but the places that may be written to.
///
/// Landlock does not cover owners, modes, times and attributes; this does.
fn restrict_writes(boundary: &Boundary) -> io::Result<()> {
    let before = writable_mounts()?;
    let hidden = boundary.hidden();
    sys::set_mount_read_only(c"/", Reach::Recursive)?;
    let tops: Vec<&Path> = boundary.writable().chain(SYSTEM_WRITABLE.iter().map(Path::new)).collect();
    for top in &tops {
        if top.exists() {
            mount_bind_recursive(*top, *top)?;
            // What was read-only before, and locked, stays so.
            let _ = sys::set_mount_writable(&terminated(top)?, Reach::Top);
        }
    }
    for inner in before {
        let inside = |top: &&Path| inner.starts_with(top) && inner != **top;
        if tops.iter().any(inside) && !hidden.iter().any(|secret| inner.starts_with(&secret.path)) {
            // A mount that vanished or is covered meanwhile stays as it is.
            let _ = sys::set_mount_writable(&terminated(&inner)?, Reach::Top);
        }
    }
    for path in SYSTEM_READ_ONLY.iter().map(Path::new).filter(|path| path.exists()) {
        mount_bind(path, path)?;
        sys::set_mount_read_only(&terminated(path)?, Reach::Top)?;
    }
    Ok(())
}

/// The mount points that can be written to now.
fn writable_mounts() -> io::Result<Vec<PathBuf>> {
    let table = fs::read("/proc/self/mountinfo")?;
    Ok(table.split(|byte| *byte == b'\n').filter_map(writable_mount_point).collect())
}

/// The mount point of a line of `mountinfo`, unless it is read-only.
fn writable_mount_point(line: &[u8]) -> Option<PathBuf> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let (point, options) = (fields.next()?, fields.next()?);
    let read_only = options.split(|byte| *byte == b',').any(|option| option == b"ro");
    (!read_only).then(|| PathBuf::from(std::ffi::OsStr::from_bytes(&unescape(point))))
}

/// Undoes the kernel's `\040` for blanks and their kin.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let code = (byte == b'\\').then(|| after.get(..3)).flatten();
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 8).ok());
        plain.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    plain
}

pub(super) fn terminated(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_are_read_with_their_blanks() {
        let table = [
            ("36 35 98:0 / /mnt/a\\040b rw,noatime shared:1 - ext4 /dev/x rw", Some("/mnt/a b")),
            ("36 35 98:0 / /mnt/ro ro,noatime - ext4 /dev/x rw", None),
            ("36 35 98:0 / /back\\134slash rw - ext4 /dev/x ro", Some("/back\\slash")),
            ("", None),
        ];
        for (line, expected) in table {
            assert_eq!(writable_mount_point(line.as_bytes()), expected.map(PathBuf::from), "{line}");
        }
    }
}
