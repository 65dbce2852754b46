//! The `$NAME` values of a task, read at most once: before its first script runs, or when one asks for a value.

use tokio::sync::OnceCell;

use super::calls::Calls;
use crate::blocking;
use crate::error::Result;
use crate::variable::{self, Persistent, Scope};

/// Where the scripts of a task find the `$NAME` values. Most calls need none, and then no file is read.
pub enum Settings<'a> {
    Known(&'a Persistent),
    WhenAsked(OnceCell<Persistent>),
}

impl<'a> Settings<'a> {
    /// What was read already, or what will be read when it is needed.
    pub fn of(read: Option<&'a Persistent>) -> Self {
        read.map_or_else(|| Self::WhenAsked(OnceCell::new()), Self::Known)
    }
}

impl Calls<'_> {
    pub(super) async fn settings(&self) -> Result<&Persistent> {
        match &self.settings {
            Settings::Known(settings) => Ok(settings),
            Settings::WhenAsked(cell) => {
                let (home, scope) = (self.agent.workspace.home().to_owned(), Scope::of(&self.session.topic));
                cell.get_or_try_init(|| blocking::run(move || variable::read(&home, &scope))).await
            }
        }
    }
}
