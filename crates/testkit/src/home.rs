//! A temporary home directory.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

#[derive(Debug)]
pub struct Home(TempDir);

impl Home {
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The daemon's own directory in this home.
    pub fn root(&self) -> PathBuf {
        self.path().join(".string")
    }

    /// Creates a file and the directories above it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a file has a parent")).expect("the home is writable");
        fs::write(&path, content).expect("the home is writable");
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }
}

impl Default for Home {
    fn default() -> Self {
        let dir = tempfile::Builder::new().prefix("string-test-").tempdir();
        Self(dir.expect("a temporary directory can be created"))
    }
}
