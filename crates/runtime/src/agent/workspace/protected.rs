//! Names that no document may have: String's own files, and what commonly holds credentials.

use std::path::{Component, Path};

use shell::boundary::SECRETS;

/// What shells may read, since programs in them need it, and no document has any business with.
const BESIDE: &[&str] = &[".claude.json", ".docker", ".npmrc", ".config/git"];

/// Whether any part of a path, from the root that it is reached through, is one of these.
pub fn is_protected(below: &Path) -> bool {
    let mut rest = below.components();
    loop {
        // Nearly no path has a part that begins like one of them.
        if let Some(Component::Normal(name)) = rest.clone().next()
            && matches!(name.as_encoded_bytes().first(), Some(b'.' | b'_'))
            && SECRETS.iter().chain(BESIDE).any(|place| rest.as_path().starts_with(place))
        {
            return true;
        }
        if rest.next().is_none() {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_credentials_are_known_wherever_they_lie() {
        for place in [
            ".ssh",
            ".ssh/id_ed25519",
            "work/.aws/credentials",
            "_netrc",
            ".local/share/keyrings/login.keyring",
            ".config/gh/hosts.yml",
            "a/.config/gcloud",
            ".mozilla/firefox",
            ".docker/config.json",
            ".npmrc",
            ".cargo/credentials.toml",
            ".codex/auth.json",
            ".claude/.credentials.json",
            ".claude.json",
            ".config/Claude/claude_desktop_config.json",
            ".config/cursor/auth.json",
        ] {
            assert!(is_protected(Path::new(place)), "{place}");
        }
        for place in [
            "",
            "notes.md",
            "ssh/a",
            ".sshd",
            ".config/nvim/init.lua",
            ".cargo/config.toml",
            ".codex/config.toml",
            ".claude/CLAUDE.md",
            ".cursor/mcp.json",
            ".config/Code/User/mcp.json",
            "share/keyrings",
        ] {
            assert!(!is_protected(Path::new(place)), "{place}");
        }
        // Whatever one of them lists begins like this.
        assert!(SECRETS.iter().chain(BESIDE).all(|place| place.starts_with(['.', '_'])));
    }
}
