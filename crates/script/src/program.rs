//! The modules of a script, as they are on disk now.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use sha2::{Digest, Sha256};

use crate::frame::Source;
use crate::limits::{MODULES_MAX, SOURCE_MAX};
use crate::name;
use crate::stamp::Stamp;

/// A first module and what it imports, all inside one folder.
///
/// Texts are kept between calls and read again when their files have changed. Opening goes beneath the folder:
/// neither `..` nor a link leads out of it, or to what is hidden in it.
#[derive(Debug)]
pub struct Program {
    folder: PathBuf,
    main: String,
    /// The text of the first module, when it is not a file.
    inline: Option<Source>,
    loaded: Mutex<HashMap<String, Loaded>>,
}

#[derive(Debug)]
struct Loaded {
    stamp: Option<Stamp>,
    source: Arc<Source>,
}

impl Program {
    /// The program that begins with a file, named relative to the folder.
    pub fn file(folder: impl Into<PathBuf>, main: impl Into<String>) -> Self {
        Self { folder: folder.into(), main: main.into(), inline: None, loaded: Mutex::default() }
    }

    /// The program that begins with a text; `name` is what error positions call it.
    pub fn inline(folder: impl Into<PathBuf>, name: impl Into<String>, text: impl Into<String>) -> Self {
        let name = name.into();
        let inline = Some(Source::new(&name, text.into()));
        Self { folder: folder.into(), main: name, inline, loaded: Mutex::default() }
    }

    /// Whether the first module can be read, and if not, why.
    pub fn check(&self) -> Result<(), String> {
        self.source(&self.main).map(|_| ())
    }

    pub(crate) fn main(&self) -> &str {
        &self.main
    }

    /// The modules that calls have used so far, each with the version that it has now.
    pub(crate) fn versions(&self) -> Vec<(String, String)> {
        let names: Vec<String> = self.loaded().keys().cloned().collect();
        let inline = self.inline.iter().map(|source| (self.main.clone(), source.version.clone()));
        let files = names.into_iter().filter_map(|name| {
            let source = self.source(&name).ok()?;
            Some((name, source.version.clone()))
        });
        inline.chain(files).collect()
    }

    /// A module as it is now, or why it cannot be had. Where there is no JavaScript of that name, its TypeScript is meant.
    pub(crate) fn source(&self, name: &str) -> Result<Arc<Source>, String> {
        if let Some(source) = self.inline.as_ref().filter(|_| name == self.main) {
            return Ok(Arc::new(source.clone()));
        }
        let missing = match self.kept(name) {
            Err(missing) => missing,
            found => return found,
        };
        name::typescript_of(name).and_then(|source| self.kept(&source).ok()).ok_or(missing)
    }

    fn kept(&self, name: &str) -> Result<Arc<Source>, String> {
        let loaded = self.read(name);
        let mut all = self.loaded();
        match loaded {
            Ok(Reading::Same(source)) => Ok(source),
            Ok(Reading::New(loaded)) => {
                if all.len() >= MODULES_MAX && !all.contains_key(name) {
                    return Err(format!("a script has at most {MODULES_MAX} modules"));
                }
                let source = Arc::clone(&loaded.source);
                all.insert(name.to_owned(), loaded);
                Ok(source)
            }
            Err(error) => {
                all.remove(name);
                Err(why(name, &error))
            }
        }
    }

    fn read(&self, name: &str) -> io::Result<Reading> {
        let file = open(&self.folder, name)?;
        let stamp = Stamp::of(&file.metadata()?);
        if let Some(known) = self.loaded().get(name).filter(|known| known.stamp == Some(stamp)) {
            return Ok(Reading::Same(Arc::clone(&known.source)));
        }
        let source = Arc::new(Source::new(name, read(&self.folder, &file, SOURCE_MAX)?));
        Ok(Reading::New(Loaded { stamp: stamp.settled(SystemTime::now()).then_some(stamp), source }))
    }

    fn loaded(&self) -> MutexGuard<'_, HashMap<String, Loaded>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Reading {
    Same(Arc<Source>),
    New(Loaded),
}

impl Source {
    fn new(name: &str, text: String) -> Self {
        let digest = Sha256::digest(&text);
        let version = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { name: name.to_owned(), version, text }
    }
}

/// Reads a text file beneath a folder: neither `..` nor a link leads out of it.
pub fn read_beneath(folder: &Path, name: &str, limit: u64) -> Result<String, String> {
    open(folder, name).and_then(|file| read(folder, &file, limit)).map_err(|error| why(name, &error))
}

fn read(folder: &Path, file: &File, limit: u64) -> io::Result<String> {
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if is_hidden(folder, file)? {
        return Err(io::Error::other("names that begin with a dot are not modules"));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("it is longer than {} KB", limit >> 10)));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

fn open(folder: &Path, name: &str) -> io::Result<File> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, folder, flags, Mode::empty())?;
    // Not blocking: a pipe would otherwise wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    Ok(rustix::fs::openat2(folder.as_fd(), name, flags, Mode::empty(), resolve)?.into())
}

/// Whether the file, where it really lies, is below a name that begins with a dot: such folders hold settings and
/// credentials. A folder that is itself below one, as a package's is, does not count.
fn is_hidden(folder: &Path, file: &File) -> io::Result<bool> {
    let real = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    let folder = std::fs::canonicalize(folder)?;
    let below = real.strip_prefix(&folder).unwrap_or(&real);
    Ok(below.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b".")))
}

fn why(name: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no {name}"),
        io::ErrorKind::CrossesDevices => format!("{name} leads out of the tool's folder"),
        _ => format!("{name} cannot be read: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::FileType;

    use super::*;

    #[test]
    fn what_leads_out_of_the_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("tool");
        std::fs::create_dir_all(folder.join("in")).unwrap();
        std::fs::write(dir.path().join("secret.ts"), "secret").unwrap();
        std::fs::write(folder.join("in/x.ts"), "x").unwrap();
        symlink("../secret.ts", folder.join("out.ts")).unwrap();
        symlink(dir.path(), folder.join("up")).unwrap();
        symlink("in/x.ts", folder.join("inside.ts")).unwrap();
        std::fs::create_dir(folder.join(".hidden")).unwrap();
        std::fs::write(folder.join(".hidden/config.json"), "{}").unwrap();
        symlink(".hidden", folder.join("plain")).unwrap();
        let program = Program::file(&folder, "in/x.ts");
        for (name, expected) in [
            ("in/x.ts", Ok("x")),
            ("inside.ts", Ok("x")),
            ("out.ts", Err("leads out")),
            ("up/secret.ts", Err("leads out")),
            ("../secret.ts", Err("leads out")),
            ("/etc/passwd", Err("leads out")),
            ("in", Err("not a file")),
            (".hidden/config.json", Err("begin with a dot")),
            ("plain/config.json", Err("begin with a dot")),
            ("missing.ts", Err("there is no")),
        ] {
            match (program.source(name), expected) {
                (Ok(source), Ok(text)) => assert_eq!(source.text, text, "{name}"),
                (Err(why), Err(part)) => assert!(why.contains(part), "{name}: {why}"),
                (got, _) => panic!("{name}: {got:?}"),
            }
        }
    }

    #[test]
    fn an_edit_is_seen_and_a_pipe_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.ts");
        std::fs::write(&path, "1").unwrap();
        let program = Program::file(dir.path(), "a.ts");
        let first = program.source("a.ts").unwrap().version.clone();
        // The same length, at once: the times of the file may well be the same.
        std::fs::write(&path, "2").unwrap();
        let second = program.source("a.ts").unwrap();
        assert_eq!(second.text, "2");
        assert_ne!(first, second.version);
        assert_eq!(program.versions(), [("a.ts".to_owned(), second.version.clone())]);
        std::fs::remove_file(&path).unwrap();
        assert!(program.versions().is_empty());
        rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert!(program.check().unwrap_err().contains("not a file"));
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, vec![b' '; SOURCE_MAX as usize + 1]).unwrap();
        assert!(program.check().unwrap_err().contains("longer than 2048 KB"));
    }
}
