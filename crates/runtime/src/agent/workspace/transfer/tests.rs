//! Files on their way in: whole or not at all, and never through a link.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::super::place::tests::Disk;
use super::*;

fn put(disk: &Disk, name: &str, expected: Expected) -> Result<Stamp> {
    let mut upload = disk.workspace.place(&disk.home.join(name))?.upload(expected)?;
    upload.write(b"ne")?;
    upload.write(b"w")?;
    upload.finish()
}

fn code<T>(result: Result<T>) -> Option<Code> {
    result.err().map(|error| error.code)
}

#[test]
fn a_file_takes_its_place_at_the_end() {
    let disk = Disk::new();
    let place = disk.workspace.place(&disk.home.join("a/b/c.md")).unwrap();
    let mut upload = place.upload(Expected::Anything).unwrap();
    upload.write(b"new").unwrap();
    assert!(!disk.home.join("a").exists(), "directories are made at the end, too");
    let stamp = upload.finish().unwrap();
    assert_eq!(fs::read(disk.home.join("a/b/c.md")).unwrap(), b"new");
    assert_eq!(place.stamp().unwrap(), Some(stamp));
    assert_eq!(Disk::names(&disk.home), ["a"]);
    drop(place.upload(Expected::Anything).unwrap());
    assert_eq!(Disk::names(&disk.home.join("a/b")), ["c.md"], "one that broke off was never there");
}

#[test]
fn what_is_replaced_keeps_its_permissions() {
    let disk = Disk::new();
    let path = disk.home.join("a.sh");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    put(&disk, "a.sh", Expected::Anything).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn what_changed_since_the_look_at_it_stays() {
    let disk = Disk::new();
    let path = disk.home.join("a.md");
    let place = disk.workspace.place(&path).unwrap();
    fs::write(&path, "seen").unwrap();
    let seen = Expected::Stamped(place.stamp().unwrap().unwrap());
    let mut upload = place.upload(seen).unwrap();
    upload.write(b"ours").unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, "theirs").unwrap();
    assert_eq!(code(upload.finish()), Some(Code::Conflict));
    assert_eq!(code(place.remove_file(seen)), Some(Code::Conflict));
    assert_eq!(code(put(&disk, "a.md", Expected::Nothing)), Some(Code::Conflict));
    assert_eq!((fs::read(&path).unwrap(), Disk::names(&disk.home)), (b"theirs".into(), vec!["a.md".into()]));
    place.remove_file(Expected::Anything).unwrap();
    assert_eq!(code(place.remove_file(Expected::Anything)), Some(Code::Conflict));
    assert!(Disk::names(&disk.home).is_empty());
}

#[test]
fn only_files_are_replaced_removed_or_read() {
    let disk = Disk::new();
    fs::create_dir(disk.home.join("dir")).unwrap();
    let place = disk.workspace.place(&disk.home.join("dir")).unwrap();
    assert_eq!(code(place.upload(Expected::Anything)), Some(Code::InvalidPath));
    assert_eq!(code(place.remove_file(Expected::Anything)), Some(Code::InvalidPath));
    assert_eq!(code(place.download()), Some(Code::InvalidPath));
    assert_eq!(code(place.stamp()), Some(Code::InvalidPath));
    // Swapped in after the look at the path.
    let link = disk.workspace.place(&disk.home.join("link")).unwrap();
    fs::write(disk.outside.join("x"), "theirs").unwrap();
    symlink(disk.outside.join("x"), disk.home.join("link")).unwrap();
    assert_eq!(code(link.upload(Expected::Anything)), Some(Code::InvalidPath));
    assert_eq!(code(link.remove_file(Expected::Anything)), Some(Code::InvalidPath));
    assert_eq!(code(link.download()), Some(Code::InvalidPath));
    assert_eq!(fs::read(disk.outside.join("x")).unwrap(), b"theirs");
}

#[test]
fn what_permissions_forbid_is_said_to_be_forbidden() {
    let disk = Disk::new();
    let place = disk.workspace.place(&disk.home.join("a.md")).unwrap();
    for errno in [Errno::ACCESS, Errno::PERM, Errno::ROFS] {
        assert_eq!(place.not_transferred(Failure::Io(errno), "read").code, Code::NotAllowed);
    }
    assert_eq!(place.not_transferred(Failure::Io(Errno::NOSPC), "written").code, Code::LoadError);
}

#[test]
fn a_directory_that_turns_into_a_link_lets_nothing_out_or_in() {
    let disk = Disk::new();
    let (dir, link) = (disk.home.join("dir"), disk.home.join("link"));
    fs::create_dir(&dir).unwrap();
    for place in [&dir, &disk.outside] {
        fs::write(place.join("x"), place.as_os_str().as_encoded_bytes()).unwrap();
    }
    symlink(&disk.outside, &link).unwrap();
    let done = AtomicBool::new(false);
    let (mut written, mut read) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        for n in 0..1_000 {
            written += usize::from(put(&disk, &format!("dir/{n}.md"), Expected::Anything).is_ok());
            let found = disk.workspace.place(&dir.join("x")).and_then(|place| place.download());
            if let Ok(Some((file, _))) = found {
                assert_eq!(
                    std::io::read_to_string(file).unwrap().as_bytes(),
                    dir.as_os_str().as_encoded_bytes()
                );
                read += 1;
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(Disk::names(&disk.outside), ["x"]);
    assert!(written > 0 && read > 0, "{written} {read}");
    let real = if dir.is_symlink() { link } else { dir };
    assert!(Disk::names(&real).iter().all(|name| !name.ends_with(".tmp")));
}
