//! Documents as a session holds them: where they are, what they say, what the agent sees of them.

mod load;
mod location;
mod page;
mod target;

pub use load::{DOCUMENT_MAX, load};
pub(crate) use load::{not_text, read_bytes, text};
pub use location::{Location, Source, display_directory};
pub use page::Page;
pub(crate) use page::no_block;
pub(crate) use target::unquote;
pub use target::{Bases, Candidates, Target};
