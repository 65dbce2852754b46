//! The clients that can be set up: where each keeps its servers, and in which shape.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Map, Value};

use super::{Merged, NAME, Start, json as jsonc, toml};
use crate::environment::Environment;
use crate::failure::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Codex,
    Vscode,
}

/// How a client writes its servers down.
enum Shape {
    /// JSON, perhaps with comments: the key that holds the servers.
    Json(&'static str),
    /// TOML: the table that holds them.
    Toml(&'static str),
}

impl Client {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::Codex => "codex",
            Self::Vscode => "vscode",
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::Codex => "Codex",
            Self::Vscode => "VS Code",
        }
    }

    /// The user's own file, which counts in every project.
    pub(super) fn file(self, environment: &Environment) -> Result<PathBuf, Failure> {
        let home = environment.home()?;
        let absolute = |path: &Option<PathBuf>| path.clone().filter(|path| path.is_absolute());
        let config = absolute(&environment.config).unwrap_or_else(|| home.join(".config"));
        Ok(match self {
            Self::ClaudeCode => home.join(".claude.json"),
            Self::ClaudeDesktop => config.join("Claude/claude_desktop_config.json"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::Codex => {
                absolute(&environment.codex).unwrap_or_else(|| home.join(".codex")).join("config.toml")
            }
            Self::Vscode => config.join("Code/User/mcp.json"),
        })
    }

    /// The configuration alone, as a whole file.
    pub(super) fn snippet(self, start: &Start) -> Result<String, Failure> {
        match self.merge("", start) {
            Ok(Merged::Changed(text)) => Ok(text),
            Ok(Merged::Same) | Err(_) => Err(Failure::failed("an empty file could not be filled")),
        }
    }

    /// The client's file with String in it; what is wrong with the file, if it cannot be understood.
    pub(super) fn merge(self, text: &str, start: &Start) -> Result<Merged, String> {
        match self.shape() {
            Shape::Json(key) => jsonc::merge(text, key, NAME, |known| self.entry(start, known)),
            Shape::Toml(table) => toml::merge(text, table, NAME, start),
        }
    }

    fn shape(self) -> Shape {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => Shape::Json("mcpServers"),
            Self::Vscode => Shape::Json("servers"),
            Self::Codex => Shape::Toml("mcp_servers"),
        }
    }

    /// What an entry is to hold that has these arguments.
    fn entry(self, start: &Start, known: &[String]) -> Map<String, Value> {
        let mut entry = Map::new();
        if matches!(self, Self::ClaudeCode | Self::Vscode) {
            // These know other transports too, and want it said.
            entry.insert("type".into(), "stdio".into());
        }
        entry.insert("command".into(), start.command.clone().into());
        entry.insert("args".into(), start.args(known).into());
        if !start.env.is_empty() {
            let env = start.env.iter().map(|(name, value)| (name.clone(), value.clone().into()));
            entry.insert("env".into(), Value::Object(env.collect()));
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn environment() -> Environment {
        Environment { home: Some("/home/ann".into()), ..Default::default() }
    }

    #[test]
    fn every_client_has_a_name_and_a_file() {
        for (client, name, file) in [
            (Client::ClaudeCode, "claude-code", ".claude.json"),
            (Client::ClaudeDesktop, "claude-desktop", ".config/Claude/claude_desktop_config.json"),
            (Client::Cursor, "cursor", ".cursor/mcp.json"),
            (Client::Codex, "codex", ".codex/config.toml"),
            (Client::Vscode, "vscode", ".config/Code/User/mcp.json"),
        ] {
            assert_eq!(client.to_possible_value().unwrap().get_name(), name);
            assert_eq!(client.name(), name);
            let path = client.file(&environment()).unwrap();
            assert_eq!(path, Path::new("/home/ann").join(file));
        }
        let elsewhere = Environment {
            config: Some("/etc/ann".into()),
            codex: Some("/srv/codex".into()),
            ..environment()
        };
        assert_eq!(Client::Vscode.file(&elsewhere).unwrap(), Path::new("/etc/ann/Code/User/mcp.json"));
        assert_eq!(Client::Codex.file(&elsewhere).unwrap(), Path::new("/srv/codex/config.toml"));
    }
}
