//! SFMD documents: Markdown with a few conventions, parsed and rendered without I/O.
//!
//! [`parse`] reads one text into a [`Document`]. The caller loads what its include directives ask for, and
//! [`Page::compose`] makes one [`Page`] of it all: a view, and one set of names for blocks, actions and
//! shortcuts.

mod action;
mod address;
mod block;
mod directive;
mod document;
mod frontmatter;
mod heading;
mod id;
mod lines;
mod link;
mod page;
mod scan;
mod warning;

pub use address::Target;
pub use block::Block;
pub use directive::{Directive, DirectiveKind, Include};
pub use document::{Document, parse};
pub use frontmatter::{Frontmatter, Located, PackageType, Requirement, is_variable_name};
pub use heading::Heading;
pub use id::{Id, slug};
pub use page::{
    Inclusion, MAX_INCLUDE_DEPTH, MAX_INCLUDES, Origin, Page, Section, Shortcut, ShortcutKind, Source, View,
};
pub use warning::{MAX_WARNINGS, Warning};
