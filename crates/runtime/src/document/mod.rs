//! Documents as a session holds them: where they are, what they say, what the agent sees of them.

mod load;
mod location;
mod page;
mod target;

pub use load::{DOCUMENT_MAX, load};
pub use location::{Location, Source, display_directory};
pub use page::Page;
pub use target::{Bases, Beside, Candidates, Target};
