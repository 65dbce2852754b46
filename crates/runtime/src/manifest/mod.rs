//! Tool manifests and skill bundles: what they say, whether it is right, and where they are found.

mod catalogue;
mod find;
mod invalid;
mod raw;
mod schema;
mod skill;
mod tool;

pub use catalogue::{Catalogue, Catalogues, Listed};
pub use invalid::Invalid;
pub use schema::{Schema, TypeName};
pub use skill::Skill;
pub use tool::{Retry, Tool, VaultKey};
