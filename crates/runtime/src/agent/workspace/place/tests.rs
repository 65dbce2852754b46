//! Creating and replacing beneath a directory handle, also while somebody swaps links in.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, FileType, Mode, RenameFlags, renameat_with};
use tempfile::TempDir;

use super::*;

/// A home, and a directory outside of it.
pub(in crate::agent::workspace) struct Disk {
    _dir: TempDir,
    pub(in crate::agent::workspace) home: PathBuf,
    pub(in crate::agent::workspace) outside: PathBuf,
    pub(in crate::agent::workspace) workspace: Workspace,
}

impl Disk {
    pub(in crate::agent::workspace) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        let (home, outside) = (base.join("home"), base.join("outside"));
        fs::create_dir(&home).unwrap();
        fs::create_dir(&outside).unwrap();
        let workspace = Workspace::new(home.clone(), vec![], home.join(".string"));
        Self { _dir: dir, home, outside, workspace }
    }

    fn create(&self, name: &str) -> Result<()> {
        self.workspace.place(&self.home.join(name))?.write(None, b"new")
    }

    fn code(&self, name: &str) -> Option<Code> {
        self.create(name).err().map(|error| error.code)
    }

    pub(in crate::agent::workspace) fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        names
    }
}

#[test]
fn a_file_is_created_with_the_directories_above_it() {
    let disk = Disk::new();
    disk.create("a/b/c.md").unwrap();
    assert_eq!(fs::read(disk.home.join("a/b/c.md")).unwrap(), b"new");
    assert_eq!(Disk::names(&disk.home.join("a/b")), ["c.md"]);
    let mode = fs::metadata(disk.home.join("a/b/c.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777 & !0o644, 0);
}

#[test]
fn what_replaces_a_file_has_its_permissions_and_owner() {
    let disk = Disk::new();
    let path = disk.home.join("run.sh");
    for mode in [0o755, 0o600, 0o444, 0o4711] {
        fs::write(&path, "old").unwrap_or_else(|_| panic!("{mode:o}"));
        // Only root may give files away; elsewhere the owner is the same anyway.
        let _ = std::os::unix::fs::chown(&path, Some(12345), Some(54321));
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let before = fs::metadata(&path).unwrap();
        disk.workspace.place(&path).unwrap().write(Some(b"old"), b"new").unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!(after.mode(), before.mode());
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn what_is_not_as_expected_stays() {
    let disk = Disk::new();
    let path = disk.home.join("a.md");
    let place = disk.workspace.place(&path).unwrap();
    let conflict = |result: Result<()>| assert_eq!(result.unwrap_err().code, Code::Conflict);
    conflict(place.write(Some(b"old"), b"new"));
    conflict(place.remove(b"old"));
    fs::write(&path, "theirs").unwrap();
    conflict(place.write(None, b"new"));
    conflict(place.write(Some(b"their"), b"new"));
    conflict(place.write(Some(b"theirs!"), b"new"));
    conflict(place.remove(b"their"));
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    assert_eq!(Disk::names(&disk.home), ["a.md"]);
    place.remove(b"theirs").unwrap();
    assert!(Disk::names(&disk.home).is_empty());
}

#[test]
fn a_change_in_the_last_moment_is_put_back() {
    let disk = Disk::new();
    let directory = Arc::new(Directory::new(open_beneath(&disk.home, Path::new("")).unwrap()));
    fs::write(disk.home.join("a.md"), "theirs").unwrap();
    // The first comparison is past; the exchange finds what it did not expect.
    let ours = Temporary::write(&directory, b"ours", None).ok().unwrap();
    let result = ours.take_the_place_of(OsStr::new("a.md"), |directory, name| {
        directory.find(name, b"as it was read").map(|_| ())
    });
    assert!(matches!(result, Err(Failure::Changed)));
    assert_eq!(fs::read(disk.home.join("a.md")).unwrap(), b"theirs");
    assert_eq!(Disk::names(&disk.home), ["a.md"]);
}

#[test]
fn a_failed_write_leaves_nothing_behind() {
    let disk = Disk::new();
    let long = "x".repeat(300);
    assert_eq!(disk.code(&long), Some(Code::LoadError));
    fs::create_dir(disk.home.join("dir")).unwrap();
    assert_eq!(disk.code("dir"), Some(Code::Conflict));
    fs::write(disk.home.join("file"), "x").unwrap();
    assert!(disk.code("file/below.md").is_some());
    assert_eq!(Disk::names(&disk.home), ["dir", "file"]);
}

#[test]
fn nothing_is_created_through_links_that_lead_out() {
    let disk = Disk::new();
    let out = |name: &str| disk.outside.join(name);
    fs::write(out("there"), "x").unwrap();
    symlink(&disk.outside, disk.home.join("dirlink")).unwrap();
    symlink(out("there"), disk.home.join("filelink")).unwrap();
    symlink(out("nothing"), disk.home.join("dangling")).unwrap();
    symlink(disk.home.join("nowhere"), disk.home.join("dangling-inside")).unwrap();
    symlink("../outside/nothing", disk.home.join("relative")).unwrap();
    symlink("loop", disk.home.join("loop")).unwrap();
    for name in [
        "dirlink/x",
        "dirlink/a/b",
        "filelink",
        "dangling",
        "dangling/x",
        "dangling-inside",
        "relative",
        "loop",
        "loop/x",
    ] {
        assert_eq!(disk.code(name), Some(Code::InvalidPath), "{name}");
    }
    for (name, said) in
        [("dangling", "leads out of"), ("dangling-inside", "a link to a file that is not there")]
    {
        let refused = disk.workspace.place(&disk.home.join(name)).unwrap_err();
        assert!(refused.message.contains(said), "{name}: {}", refused.message);
    }
    assert_eq!(Disk::names(&disk.outside), ["there"]);
    assert_eq!(fs::read(out("there")).unwrap(), b"x");
}

#[test]
fn protected_names_and_paths_outside_are_refused() {
    let disk = Disk::new();
    symlink(disk.home.join(".ssh"), disk.home.join("keys")).unwrap();
    fs::create_dir(disk.home.join(".ssh")).unwrap();
    for name in
        [".string/config.json", ".ssh/new", "a/.ssh/b", "a/.aws/b/c", "keys/x", ".netrc", "../home-evil/x"]
    {
        assert_eq!(disk.code(name), Some(Code::InvalidPath), "{name}");
    }
    let evil = disk.home.with_file_name("home-evil");
    assert_eq!(disk.workspace.place(&evil.join("x")).unwrap_err().code, Code::InvalidPath);
    assert_eq!(disk.workspace.place(Path::new("/etc/x")).unwrap_err().code, Code::InvalidPath);
    assert_eq!(Disk::names(&disk.home), [".ssh", "keys"]);
}

#[test]
fn a_link_that_stays_inside_is_written_through() {
    let disk = Disk::new();
    fs::create_dir(disk.home.join("real")).unwrap();
    fs::write(disk.home.join("real/a.md"), "old").unwrap();
    symlink("real/a.md", disk.home.join("a.md")).unwrap();
    symlink("real", disk.home.join("dir")).unwrap();
    let place = disk.workspace.place(&disk.home.join("a.md")).unwrap();
    assert_eq!(place.path(), disk.home.join("real/a.md"));
    place.write(Some(b"old"), b"new").unwrap();
    disk.create("dir/b.md").unwrap();
    assert!(disk.home.join("a.md").is_symlink());
    assert_eq!(fs::read(disk.home.join("real/a.md")).unwrap(), b"new");
    assert_eq!(Disk::names(&disk.home.join("real")), ["a.md", "b.md"]);
}

#[test]
fn special_files_are_neither_read_nor_replaced() {
    let disk = Disk::new();
    let pipe = disk.home.join("pipe");
    rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let place = disk.workspace.place(&pipe).unwrap();
    assert_eq!(place.open().unwrap_err().code, Code::InvalidPath);
    assert_eq!(place.write(Some(b""), b"x").unwrap_err().code, Code::Conflict);
    assert_eq!(place.write(None, b"x").unwrap_err().code, Code::Conflict);
    assert_eq!(place.remove(b"").unwrap_err().code, Code::Conflict);
    assert_eq!(Disk::names(&disk.home), ["pipe"]);
}

#[test]
fn a_directory_that_turns_into_a_link_leads_nowhere() {
    let disk = Disk::new();
    let (dir, link) = (disk.home.join("dir"), disk.home.join("link"));
    fs::create_dir(&dir).unwrap();
    symlink(&disk.outside, &link).unwrap();
    let done = AtomicBool::new(false);
    let mut written = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        for n in 0..2000 {
            written += usize::from(disk.create(&format!("dir/{n}.md")).is_ok());
            written += usize::from(disk.create(&format!("dir/new-{n}/x.md")).is_ok());
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(Disk::names(&disk.outside).is_empty());
    let real = if dir.is_symlink() { link } else { dir };
    assert!(written > 0, "no write met the directory");
    assert!(Disk::names(&real).iter().all(|name| !name.ends_with(".tmp")));
}
