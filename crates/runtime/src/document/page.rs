//! A document as a session holds it, and what the agent sees of it.

use super::Location;
use crate::error::{Code, Error, Result, nearest, quoted};

/// A document, loaded and parsed.
#[derive(Debug)]
pub struct Page {
    pub location: Location,
    pub document: sfmd::Document,
}

impl Page {
    pub fn title(&self) -> Option<String> { None }
    pub fn warnings(&self) -> Vec<String> { vec![] }
    pub fn block_names(&self) -> Vec<String> { vec![] }
    pub fn view(&self) -> Result<String> { self.view_of(self.location.block.as_deref()) }
    pub fn view_of(&self, _block: Option<&str>) -> Result<String> { Ok(String::new()) }
}
