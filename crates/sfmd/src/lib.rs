//! SFMD documents: Markdown with a few conventions, parsed and rendered without I/O.
//!
//! [`parse`] reads one text into a [`Document`]. The caller loads what its include directives ask for, and
//! [`Page::compose`] makes one [`Page`] of it all: a view, and one set of names for blocks, actions and
//! shortcuts.

mod action;
mod address;
mod banner;
mod block;
mod comment;
mod directive;
mod document;
mod frontmatter;
mod heading;
mod id;
mod lines;
mod link;
mod menu;
mod page;
mod response;
mod scan;
mod template;
mod warning;

pub use action::{
    Action, Call, Field, FieldType, Header, HttpCall, Method, action_help, schema_line, usage_line,
};
pub use address::Target;
pub use banner::{Banner, MAX_NAV_ENTRIES, NavMenu, entry_links};
pub use block::Block;
pub use comment::without_comments;
pub use directive::{Directive, DirectiveKind, Include};
pub use document::{Document, parse, plain};
pub use frontmatter::{Frontmatter, Located, PackageType, Requirement, is_variable_name};
pub use heading::Heading;
pub use id::{Id, slug};
pub use menu::{MenuEntry, menu_entries, menu_of};
pub use page::{
    Inclusion, MAX_INCLUDE_DEPTH, MAX_INCLUDES, Origin, OutlineEntry, OutlineKind, Page, PageAction,
    Position, Rest, Section, Shortcut, ShortcutKind, Source, View, Window, shorten_links, size_label,
};
pub use response::{
    Comparison, Condition, Decode, Expression, MAX_NESTING, Node, Operand, Response, ShortcutValue, Test,
};
pub use template::{Dialect, Filter, Path, Piece, Placeholder, Step, Template, UnknownFilter};
pub use warning::{MAX_WARNINGS, Warning};
