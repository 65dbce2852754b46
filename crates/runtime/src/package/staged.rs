//! A package beside its place: written whole and checked there, and put into place in one step.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sfmd::Call;

use super::gather::{ENTRY, Files};
use super::install::unwritten;
use super::tools::{Tools, refused};
use super::{LOCK_WAIT_MAX, Packages, RECORD, Record};
use crate::error::Result;
use crate::files;
use crate::manifest::Tool;

/// A whole package beside its place. Dropped before it takes that, it leaves nothing behind.
pub struct Staged {
    dir: PathBuf,
    pub(super) packages: Packages,
    pub(super) files: Files,
    pub(super) tools: Tools,
    /// All that its manifests and its entry page run.
    pub scripts: Vec<Arc<Tool>>,
    _lock: fs::File,
}

/// How a package is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    Files,
    /// A package that is only registered is fetched on each open: a copy would grow stale.
    Nothing,
}

impl Staged {
    /// Writes the files of a package and reads its manifests and its entry page. What is wrong in them refuses it.
    pub fn new(packages: &Packages, files: Files, copy: Copy) -> Result<Self> {
        let failed = |error: io::Error| unwritten(packages, &error);
        let lock = files::lock_within(packages.dir(), LOCK_WAIT_MAX).map_err(failed)?;
        sweep(packages.dir()).map_err(failed)?;
        let dir = packages.dir().join(format!(".staged-{}", ulid::Ulid::generate()));
        let (tools, scripts) = (Tools::default(), Vec::new());
        let mut staged = Self { dir, packages: packages.clone(), files, tools, scripts, _lock: lock };
        files::create_dir(&staged.dir).map_err(failed)?;
        if copy == Copy::Files {
            staged.write().map_err(failed)?;
            staged.tools = Tools::read(&staged.dir)?;
            staged.scripts = staged.tools.iter().cloned().chain(staged.scripts_of_page()?).collect();
        }
        Ok(staged)
    }

    fn write(&self) -> io::Result<()> {
        for file in self.files.iter() {
            let path = self.dir.join(&file.path);
            if let Some(parent) = path.parent() {
                files::create_dir(parent)?;
            }
            let mode = if file.runnable { 0o700 } else { 0o600 };
            let mut out = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
            out.write_all(&file.content)?;
            out.sync_all()?;
        }
        Ok(())
    }

    /// The scripts that the actions of the entry page run. One that is not in the package refuses it.
    fn scripts_of_page(&self) -> Result<Vec<Arc<Tool>>> {
        if !self.files.has_page() {
            return Ok(Vec::new());
        }
        let document = sfmd::parse(self.files.entry()?);
        let page = self.dir.join(ENTRY);
        let scripts = document.actions.iter().filter(|action| matches!(action.call, Call::Script { .. }));
        let tool = |action| Tool::of_action(ENTRY.to_owned(), &page, &document, action).map(Arc::new);
        scripts.map(tool).collect::<Result<_, _>>().map_err(|invalid| {
            refused(&invalid, &self.dir)
                .hint("Scripts come with the folder that they lie in: /install FOLDER")
        })
    }

    pub(super) fn place(self, place: &Path, record: &Record) -> io::Result<()> {
        files::write_atomic(&self.dir.join(RECORD), &serde_json::to_vec_pretty(record)?)?;
        if place.exists() {
            renameat_with(CWD, &self.dir, CWD, place, RenameFlags::EXCHANGE)?;
        } else {
            fs::rename(&self.dir, place)?;
        }
        fs::File::open(self.packages.dir())?.sync_all()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After an exchange this is the old package; what cannot be removed now is swept later.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Removes what an installation or removal that was killed has left.
fn sweep(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if [".staged-", ".removed-"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
