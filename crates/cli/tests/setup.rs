//! `string --setup`: what clients are told, and what becomes of their files.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use serde_json::{Value, json};
use support::{STRING, World};

const CLIENTS: [(&str, &str, &str); 4] = [
    ("claude-code", ".claude.json", "mcpServers"),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers"),
    ("cursor", ".cursor/mcp.json", "mcpServers"),
    ("vscode", ".config/Code/User/mcp.json", "servers"),
];

fn file(world: &World, name: &str) -> PathBuf {
    world.home().join(name)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn it_prints_what_belongs_into_the_file_and_touches_nothing() {
    let world = World::new();
    for (client, name, key) in CLIENTS {
        let run = world.run(&["--setup", client]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let entry = &json(&run.out)[key]["string"];
        assert_eq!((&entry["command"], &entry["args"]), (&json!(STRING), &json!(["--mcp"])));
        // A port in the environment goes along, so that the same daemon is reached.
        assert_eq!(entry["env"], json!({"STRING_PORT": "0"}));
        assert!(run.err.contains(name) && run.err.contains("--write"), "{}", run.err);
    }
    let codex = world.run(&["--setup", "codex"]);
    assert!(codex.out.starts_with("[mcp_servers.string]\n"), "{}", codex.out);
    assert_eq!(fs::read_dir(world.home()).unwrap().count(), 0);
    assert!(world.daemons().is_empty());
}

#[test]
fn a_client_speaks_as_an_agent_that_exists() {
    let world = World::new();
    let unknown = world.run(&["--agent", "bob", "--setup", "cursor", "--write"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (Some(1), ""), "{unknown:?}");
    assert!(unknown.err.contains("No agent \"bob\".") && unknown.err.contains("Known agents: default"));
    assert!(!file(&world, ".cursor/mcp.json").exists());
    assert_eq!(world.run(&["agent", "add", "bob"]).code, Some(0));
    let printed = world.run(&["--agent", "bob", "--setup", "cursor"]);
    let args = &json(&printed.out)["mcpServers"]["string"]["args"];
    assert_eq!(*args, json!(["--agent", "bob", "--mcp"]));
    assert!(printed.err.contains("string --agent bob --setup cursor --write"), "{}", printed.err);
    assert_eq!(world.run(&["--agent", "a b", "--setup", "cursor"]).code, Some(2));
}

#[test]
fn what_a_client_was_told_before_stays_unless_it_is_told_otherwise() {
    let world = World::new();
    assert_eq!(world.run(&["agent", "add", "bob"]).code, Some(0));
    for (words, args) in [
        (&["--agent", "bob", "--setup", "cursor", "--write"] as &[&str], json!(["--agent", "bob", "--mcp"])),
        (&["--setup", "cursor", "--write"], json!(["--agent", "bob", "--mcp"])),
        (&["--setup", "cursor", "--tools", "--write"], json!(["--agent", "bob", "--mcp", "--tools"])),
        (
            &["--agent", "default", "--setup", "cursor", "--write"],
            json!(["--agent", "default", "--mcp", "--tools"]),
        ),
    ] {
        let run = world.run(words);
        assert_eq!(run.code, Some(0), "{run:?}");
        let written = json(&fs::read_to_string(file(&world, ".cursor/mcp.json")).unwrap());
        assert_eq!(written["mcpServers"]["string"]["args"], args, "{words:?}");
    }
}

#[test]
fn it_writes_once_and_keeps_what_was_there() {
    let world = World::new();
    for (client, name, key) in CLIENTS {
        let path = file(&world, name);
        let created = world.run(&["--setup", client, "--write"]);
        assert_eq!(created.code, Some(0), "{created:?}");
        assert!(!created.out.contains("as it was"), "{}", created.out);
        let before = format!("{{\"theme\": \"dark\", // mine\n \"{key}\": {{\"other\": {{}}}}}}");
        fs::write(&path, &before).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let merged = world.run(&["--setup", client, "--write"]);
        let backup = path.with_file_name(format!("{}.bak", path.file_name().unwrap().to_str().unwrap()));
        assert!(merged.out.contains(&format!("{}", backup.display())), "{}", merged.out);
        let after = fs::read_to_string(&path).unwrap();
        assert!(after.contains("// mine") && after.contains("\"other\": {}"), "{after}");
        assert!(after.contains(STRING), "{after}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(&backup).unwrap(), before);
        let again = world.run(&["--setup", client, "--write"]);
        assert!(again.out.contains("Nothing was changed."), "{}", again.out);
        assert_eq!(fs::read_to_string(&path).unwrap(), after);
        assert!(!path.with_file_name(format!("{}2", backup.display())).exists());
    }
}

#[test]
fn a_second_backup_does_not_overwrite_the_first() {
    let world = World::new();
    let path = file(&world, ".codex/config.toml");
    fs::create_dir(path.parent().unwrap()).unwrap();
    for (number, backup) in [(1, "config.toml.bak"), (2, "config.toml.bak2")] {
        let before = format!("# mine\nmodel = \"{number}\"\n");
        fs::write(&path, &before).unwrap();
        assert_eq!(world.run(&["--setup", "codex", "--write"]).code, Some(0));
        assert_eq!(fs::read_to_string(path.with_file_name(backup)).unwrap(), before);
        let after = fs::read_to_string(&path).unwrap();
        assert!(after.starts_with(&before) && after.contains("[mcp_servers.string]"), "{after}");
    }
}

#[test]
fn a_file_that_cannot_be_understood_is_left_as_it_is() {
    let world = World::new();
    for (client, name, broken) in [
        ("claude-code", ".claude.json", "{\"mcpServers\": "),
        ("cursor", ".cursor/mcp.json", "{\"mcpServers\": []}"),
        ("codex", ".codex/config.toml", "[mcp_servers\n"),
    ] {
        let path = file(&world, name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, broken).unwrap();
        let run = world.run(&["--setup", client, "--write"]);
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{run:?}");
        let named = run.err.contains(&format!("{}", path.display()));
        assert!(named && run.err.contains("was left as it is"), "{}", run.err);
        assert_eq!(fs::read_to_string(&path).unwrap(), broken);
        assert!(
            !path.with_file_name(format!("{}.bak", path.file_name().unwrap().to_str().unwrap())).exists()
        );
    }
}

#[test]
fn a_link_stays_a_link() {
    let world = World::new();
    let real = file(&world, "dotfiles.json");
    fs::write(&real, "{}").unwrap();
    symlink(&real, file(&world, ".claude.json")).unwrap();
    assert_eq!(world.run(&["--setup", "claude-code", "--write"]).code, Some(0));
    assert!(file(&world, ".claude.json").is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("--mcp"));
}

#[test]
fn a_link_to_what_is_not_there_yet_leads_there() {
    let world = World::new();
    symlink("dotfiles/claude.json", file(&world, "link.json")).unwrap();
    symlink("link.json", file(&world, ".claude.json")).unwrap();
    let run = world.run(&["--setup", "claude-code", "--write"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(file(&world, ".claude.json").is_symlink() && file(&world, "link.json").is_symlink());
    assert!(fs::read_to_string(file(&world, "dotfiles/claude.json")).unwrap().contains("--mcp"));
    symlink("circle.json", file(&world, "circle.json")).unwrap();
    fs::remove_file(file(&world, ".claude.json")).unwrap();
    symlink("circle.json", file(&world, ".claude.json")).unwrap();
    assert_eq!(world.run(&["--setup", "claude-code", "--write"]).code, Some(1));
}

#[test]
fn an_unknown_client_is_told_the_known_ones() {
    let run = World::new().run(&["--setup", "emacs"]);
    assert_eq!(run.code, Some(2));
    for client in ["claude-code", "claude-desktop", "cursor", "codex", "vscode"] {
        assert!(run.err.contains(client), "{}", run.err);
    }
}
