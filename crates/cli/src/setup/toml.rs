//! Merging into TOML: comments, order and every other table stay as they are.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};

use super::{CALLED, Merged, Start, VARIABLES};

/// Puts `[TABLE.NAME]` into a document.
pub(super) fn merge(text: &str, table: &str, name: &str, start: &Start) -> Result<Merged, String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| format!("it is not TOML: {}", first_line(&error)))?;
    let servers = document.entry(table).or_insert_with(|| {
        let mut servers = Table::new();
        // Only its own tables are shown, not an empty one above them.
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let servers = servers.as_table_like_mut().ok_or(format!("its {table} is not a table"))?;
    let known = match servers.get_mut(name) {
        None => {
            servers.insert(name, Item::Table(Table::new()));
            servers.get_mut(name)
        }
        known => known,
    };
    let entry =
        known.and_then(Item::as_table_like_mut).ok_or(format!("its {table}.{name} is not a table"))?;
    set(entry, "command", value(&start.command));
    let known = entry.get("args").and_then(Item::as_array).into_iter().flatten();
    let known: Option<Vec<String>> = known.map(|arg| arg.as_str().map(str::to_owned)).collect();
    let args = start.args(known.as_deref().unwrap_or_default());
    if known.as_ref() != Some(&args) {
        set(entry, "args", value(args.iter().collect::<Array>()));
    }
    CALLED.iter().for_each(|key| drop(entry.remove(key)));
    let own = start.env.iter().cloned().collect::<InlineTable>();
    match entry.get_mut("env").and_then(Item::as_table_like_mut) {
        None if own.is_empty() => drop(entry.remove("env")),
        None => set(entry, "env", value(own)),
        Some(known) => {
            for name in VARIABLES {
                match own.get(name) {
                    Some(new) => set(known, name, Item::Value(new.clone())),
                    None => drop(known.remove(name)),
                }
            }
            if known.is_empty() {
                entry.remove("env");
            }
        }
    }
    let after = with_line_ends_of(text, document.to_string());
    Ok(if after == text { Merged::Same } else { Merged::Changed(after) })
}

/// Leaves a value alone that says the same: its comments and its spacing stay.
fn set(entry: &mut dyn toml_edit::TableLike, key: &str, new: Item) {
    let plain = |item: &Item| item.as_value().map(|value| value.clone().decorated("", "").to_string());
    if entry.get(key).and_then(plain) == plain(&new) {
        return;
    }
    match entry.get_mut(key) {
        Some(known) => *known = new,
        None => drop(entry.insert(key, new)),
    }
}

/// The TOML library writes `\n` only; a file whose lines all end otherwise is somebody's choice.
fn with_line_ends_of(before: &str, after: String) -> String {
    let (all, windows) = (before.matches('\n').count(), before.matches("\r\n").count());
    if windows > 0 && windows == all { after.replace("\r\n", "\n").replace('\n', "\r\n") } else { after }
}

fn first_line(error: &toml_edit::TomlError) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Start {
        Start { command: "/bin/string".into(), agent: None, tools: false, env: Vec::new() }
    }

    fn merged(text: &str, start: &Start) -> String {
        match merge(text, "mcp_servers", "string", start).unwrap() {
            Merged::Changed(text) => text,
            Merged::Same => "same".to_owned(),
        }
    }

    #[test]
    fn an_empty_file_gets_one_table() {
        let after = merged("", &start());
        assert_eq!(after, "[mcp_servers.string]\ncommand = \"/bin/string\"\nargs = [\"--mcp\"]\n");
        assert_eq!(merged(&after, &start()), "same");
        let with = Start { env: vec![("STRING_ROOT".into(), "/srv/x".into())], ..start() };
        let changed = merged(&after, &with);
        assert!(changed.ends_with("env = { STRING_ROOT = \"/srv/x\" }\n"), "{changed}");
        assert_eq!(merged(&changed, &with), "same");
        assert_eq!(merged(&changed, &start()), after);
    }

    #[test]
    fn everything_else_stays_to_the_letter() {
        let before = "# mine\nmodel = \"x\"   # keep\n\n[mcp_servers.other]\ncommand = 'y'\n\n[mcp_servers.string]\ncommand = \"old\" # where\nstartup_timeout_sec = 20\n";
        let after = merged(before, &start());
        for kept in [
            "# mine\nmodel = \"x\"   # keep\n",
            "[mcp_servers.other]\ncommand = 'y'\n",
            "startup_timeout_sec = 20",
        ] {
            assert!(after.contains(kept), "{kept}: {after}");
        }
        assert!(after.contains("command = \"/bin/string\"") && !after.contains("old"), "{after}");
        assert_eq!(merged(&after, &start()), "same");
    }

    #[test]
    fn arguments_of_the_user_stay_to_the_letter() {
        let before =
            "[mcp_servers.string]\ncommand = \"/bin/string\"\nargs = [ '--mcp', \"--tools\" ] # mine\n";
        assert_eq!(merged(before, &start()), "same");
        let as_bob = merged(before, &Start { agent: Some("bob".into()), ..start() });
        assert!(as_bob.contains(r#"args = ["--agent", "bob", "--mcp", "--tools"]"#), "{as_bob}");
        assert_eq!(merged(&as_bob, &start()), "same");
    }

    #[test]
    fn variables_of_the_user_stay() {
        for env in ["[mcp_servers.string.env]\nFOO = \"1\"\n", "env = { FOO = \"1\" }\n", "env.FOO = \"1\"\n"]
        {
            let before = format!("[mcp_servers.string]\ncommand = \"old\"\nurl = \"http://old\"\n{env}");
            let with = Start { env: vec![("STRING_PORT".into(), "7".into())], ..start() };
            let after = merged(&before, &with);
            let read: DocumentMut = after.parse().unwrap();
            let entry = &read["mcp_servers"]["string"];
            let variables = (entry["env"]["FOO"].as_str(), entry["env"]["STRING_PORT"].as_str());
            assert_eq!(variables, (Some("1"), Some("7")), "{after}");
            assert!(!after.contains("url"), "{after}");
            assert_eq!(merged(&after, &with), "same");
            let without = merged(&after, &start());
            assert!(without.contains("FOO = \"1\"") && !without.contains("STRING_PORT"), "{without}");
        }
    }

    #[test]
    fn lines_end_as_they_did() {
        let before = "# mine\r\nmodel = \"x\"\r\nlong = \"\"\"a\r\nb\"\"\"\r\n";
        let after = merged(before, &start());
        assert!(after.starts_with(before), "{after:?}");
        assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
        assert_eq!(merged(&after, &start()), "same");
        assert!(!merged("a = 1\nb = 2\n", &start()).contains('\r'));
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for text in ["[", "mcp_servers = 1", "[mcp_servers]\nstring = 2", "a = 1\na = 2"] {
            assert!(merge(text, "mcp_servers", "string", &start()).is_err(), "{text}");
        }
    }
}
