//! Names that no document may have: String's own files, and what commonly holds credentials.

use std::ffi::OsStr;
use std::path::Path;

/// Names that are refused anywhere below a root: String's own files and what commonly holds credentials.
const NAMES: &[&str] = &[
    ".string",
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".password-store",
    ".vault-token",
    ".my.cnf",
    ".boto",
    ".s3cfg",
];
/// The same for paths of more than one component.
const PAIRS: &[(&str, &str)] = &[
    (".config", "gh"),
    (".config", "gcloud"),
    (".config", "op"),
    (".config", "git"),
    (".cargo", "credentials"),
    (".cargo", "credentials.toml"),
    (".local", "keyrings"),
];

/// Whether any part of a path, from the root that it is reached through, has such a name.
pub fn is_protected(below: &Path) -> bool {
    let parts: Vec<&OsStr> = below.iter().collect();
    let single = parts.iter().any(|part| NAMES.iter().any(|name| *part == *name));
    let pair = parts.windows(2).any(|two| PAIRS.iter().any(|(a, b)| two[0] == *a && two[1] == *b));
    single || pair
}
