//! The one part of `.string` that agents may read: output of their own commands that was too long to show.

use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use super::{Found, Workspace, load_error, open_beneath};
use crate::error::{Code, Error, Result};

/// Where it lies in a home.
pub const OUTPUT: &str = ".string/output";

impl Workspace {
    /// The path in the home, if it leads into the output directory without climbing.
    pub(super) fn below_output(&self, path: &Path) -> Option<PathBuf> {
        let below = path.strip_prefix(&self.home).ok()?;
        let plain = below.components().all(|part| matches!(part, Component::Normal(_)));
        let nul = below.as_os_str().as_encoded_bytes().contains(&0);
        (plain && !nul && below.starts_with(OUTPUT)).then(|| below.to_owned())
    }

    /// Opens it with links refused at every step: nothing else in `.string` can be reached that way.
    pub(super) fn find_output(&self, path: &Path, below: &Path) -> Result<Found> {
        let shown = self.display(path);
        let home = std::fs::canonicalize(&self.home).map_err(|error| load_error(&shown, &error))?;
        match open_beneath(&home, below) {
            Ok(handle) => Found::of(handle, &shown),
            Err(error) => Err(match Errno::from_io_error(&error) {
                Some(Errno::NOENT | Errno::NOTDIR) => {
                    Error::new(Code::NotFound, format!("No such file: {shown}"))
                        .hint("Long output is kept for a while only; run the command again.")
                }
                Some(Errno::LOOP | Errno::XDEV) => self.leads_out(path),
                _ => load_error(&shown, &error),
            }),
        }
    }
}
