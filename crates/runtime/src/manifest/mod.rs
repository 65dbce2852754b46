//! Tool manifests and skill bundles: what they say, whether it is right, and where they are found.

mod catalogue;
mod document;
mod effort;
mod find;
mod invalid;
mod raw;
mod schema;
mod skill;
mod tool;

pub use catalogue::{Catalogue, Catalogues, Declared, Listed, read};
pub use document::problem;
pub use find::is_manifest;
pub use invalid::Invalid;
pub use schema::{Schema, TypeName};
pub use skill::Skill;
pub use tool::{EnvName, Retry, Tool, VaultKey};
