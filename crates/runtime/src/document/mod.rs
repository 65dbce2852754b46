//! Documents as a session holds them: where they are, what they say, what the agent sees of them.

mod compose;
mod library;
mod load;
mod location;
mod menu;
mod page;
mod target;

pub use library::{Library, Opened};
pub use load::{Content, DOCUMENT_MAX, Loaded};
pub use location::{Location, Source, Unreachable, display_directory};
pub use menu::{Menu, Menus};
pub use page::{Extent, Page};
pub use target::{Bases, Beside, Candidates, Target};
