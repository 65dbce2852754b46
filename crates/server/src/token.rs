//! The token that opens the TCP door. It cannot be printed.

use std::fmt;
use std::io;
use std::path::Path;

use axum::http::HeaderValue;
use subtle::ConstantTimeEq;

use crate::{Error, Root};

/// 256 random bits.
const BYTES: usize = 32;

/// What an `Authorization` header shows, if it is a token.
pub fn bearer(header: &HeaderValue) -> Option<&str> {
    let (scheme, token) = header.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

#[derive(Clone)]
pub struct Token(Box<str>);

impl Token {
    /// The token of a root: the one on disk, or a new one if there is none or it is damaged.
    ///
    /// It outlives restarts, so that programs which were given it go on working; deleting the file and
    /// restarting the daemon makes a new one.
    pub fn of(root: &Root) -> Result<Self, Error> {
        let path = root.token();
        let fail = |source| Error::File { path: path.clone(), source };
        match Self::read(&path) {
            Ok(Some(token)) => Ok(token),
            Ok(None) => {
                let token = Self::generate().map_err(fail)?;
                runtime::files::write_atomic(&path, token.0.as_bytes()).map_err(fail)?;
                Ok(token)
            }
            Err(error) => Err(fail(error)),
        }
    }

    /// Writes it down again, if it is not there any more.
    pub fn keep(&self, root: &Root) -> Result<(), Error> {
        let path = root.token();
        if path.exists() {
            return Ok(());
        }
        runtime::files::write_atomic(&path, self.0.as_bytes()).map_err(|source| Error::File { path, source })
    }

    /// Compares without telling by the time it takes how much was right.
    pub fn matches(&self, given: &str) -> bool {
        self.0.as_bytes().ct_eq(given.as_bytes()).into()
    }

    /// The text itself, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn generate() -> io::Result<Self> {
        let digits = runtime::random_digits(BYTES).map_err(|error| io::Error::other(error.message))?;
        Ok(Self(digits.into()))
    }

    fn read(path: &Path) -> io::Result<Option<Self>> {
        use std::os::unix::fs::PermissionsExt;
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let whole = text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        // A token that others could read is no secret any more.
        let closed = std::fs::metadata(path)?.permissions().mode() & 0o077 == 0;
        Ok((whole && closed).then(|| Self(text.into())))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
