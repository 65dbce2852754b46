//! Documents as a session holds them: where they are, what they say, what the agent sees of them.

mod compose;
mod include;
mod library;
mod load;
mod location;
mod menu;
mod page;
mod part;
mod quote;
mod setup;
mod shelf;
mod target;
mod web;

pub use library::{Library, Opened, Reading};
pub use load::{Content, DOCUMENT_MAX, Loaded, Text};
pub(crate) use load::{not_text, read_bytes, text};
pub use location::{Location, Source, Unreachable, Visit, display_directory};
pub use menu::{Menu, Menus};
pub use page::{Extent, Page};
pub(crate) use part::no_block;
pub(crate) use quote::{is_blank, typed, unquote};
pub use setup::Setup;
pub use shelf::Shelf;
pub use target::{Bases, Beside, Candidates, Target, named_with_sign};
pub use web::{Asker, Fetched, Web, succeeded};
