//! A file's path in an address: as String shows it, `~/docs/x.md` below the home and absolute elsewhere.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use crate::error::{Code, Error, Result, quoted};

/// What stands for the home.
const HOME: &str = "~";
/// What need not be encoded in a part of a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// What the kernel takes.
const NAME_MAX: usize = 255;
const PATH_MAX: usize = 4_000;

/// The path as it stands in an address, without a slash before it.
pub fn address(path: &Path, home: &Path) -> String {
    let (first, rest) = match path.strip_prefix(home) {
        Ok(below) => (Some(HOME.to_owned()), below),
        Err(_) => (None, path),
    };
    let names = rest.components().filter_map(|part| match part {
        Component::Normal(name) => Some(percent_encode(name.as_bytes(), ENCODED).to_string()),
        _ => None,
    });
    first.into_iter().chain(names).collect::<Vec<_>>().join("/")
}

/// The path that an address names: the reverse of [`address`].
///
/// Every part is decoded on its own, so that an encoded slash cannot make two of one, and must be a plain name.
pub fn parse_address(text: &str, home: &Path) -> Result<PathBuf> {
    let malformed = || {
        Error::new(Code::InvalidParams, format!("Not a path: {}", quoted(text)))
            .hint("A path is ~/ and names below the home, or the names of an absolute path; without . and ..")
    };
    let mut path = PathBuf::from("/");
    for (number, part) in text.split('/').enumerate() {
        let name: Vec<u8> = percent_decode_str(part).collect();
        let plain =
            !matches!(name.as_slice(), b"" | b"." | b"..") && !name.iter().any(|byte| b"/\0".contains(byte));
        if !plain || name.len() > NAME_MAX {
            return Err(malformed());
        }
        match number {
            0 if name == HOME.as_bytes() => path = home.to_owned(),
            _ => path.push(OsStr::from_bytes(&name)),
        }
    }
    if path.as_os_str().len() > PATH_MAX { Err(malformed()) } else { Ok(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME_DIR: &str = "/home/ann";

    #[test]
    fn a_path_is_read_as_it_is_written() {
        for (path, expected) in [
            ("/home/ann/docs/x.md", "~/docs/x.md"),
            ("/home/ann", "~"),
            ("/home/anna/x", "home/anna/x"),
            ("/srv/a b/ü?#%.md", "srv/a%20b/%C3%BC%3F%23%25.md"),
            ("/srv/~/x", "srv/~/x"),
        ] {
            let home = Path::new(HOME_DIR);
            assert_eq!(address(Path::new(path), home), expected);
            assert_eq!(parse_address(expected, home).unwrap(), Path::new(path), "{expected}");
        }
    }

    #[test]
    fn hostile_paths_are_no_paths() {
        let long = "x".repeat(256);
        let deep = "x/".repeat(2_500) + "x";
        for text in [
            "",
            "/",
            "//etc/passwd",
            "~/",
            "~//x",
            "~/../x",
            "~/%2e%2e/x",
            "~/.%2E/x",
            "~/./x",
            "~/%2e/x",
            "..",
            "../x",
            "~/a%2fb",
            "~/a%2F..%2Fb",
            "~/x%00",
            "%00",
            "~/x/",
            "/etc/passwd",
            &long,
            &deep,
        ] {
            let error = parse_address(text, Path::new(HOME_DIR)).unwrap_err();
            assert_eq!(error.code, Code::InvalidParams, "{text:.40}");
        }
        for (text, path) in [
            // Decoded once only, and `~` counts only in the first place.
            ("~/%252e%252e/x", "/home/ann/%2e%2e/x"),
            ("x/~", "/x/~"),
            ("~ann/x", "/~ann/x"),
            ("~/...", "/home/ann/..."),
            ("~/%zz", "/home/ann/%zz"),
        ] {
            assert_eq!(parse_address(text, Path::new(HOME_DIR)).unwrap(), Path::new(path), "{text}");
        }
    }
}
