//! How the words of `/state` are typed: what help and errors say.

use crate::command::Words;
use crate::error::{Error, nearest, quoted};

#[derive(Debug, PartialEq, Eq)]
pub struct Usage {
    pub word: &'static str,
    pub typed: &'static str,
    /// What people type who mean it.
    others: &'static [&'static str],
}

const fn usage(word: &'static str, typed: &'static str, others: &'static [&'static str]) -> Usage {
    Usage { word, typed, others }
}

/// In the order in which help shows them.
static USAGES: [Usage; 8] = [
    usage("ls", "/state ls [SCOPE [PREFIX]] [--limit N] [--cursor C]", &["list", "scan", "keys"]),
    usage("get", "/state get SCOPE KEY", &["show", "read", "cat"]),
    usage(
        "put",
        "/state put SCOPE KEY JSON [--ttl SECONDS] [--if-revision REVISION|none]",
        &["set", "write", "add", "store"],
    ),
    usage("rm", "/state rm SCOPE KEY [--if-revision REVISION]", &["delete", "del", "remove", "unset"]),
    usage("export", "/state export FILE [SCOPE]", &["dump"]),
    usage("import", "/state import FILE", &["load", "restore"]),
    usage("backup", "/state backup FILE", &["copy", "save"]),
    usage("check", "/state check", &["verify"]),
];

const SCOPES: &str = "SCOPE is profile, session:TOPIC, task:ID or shared:ID. All of them take --json.";
const DASHES: &str =
    "A key that begins with -- stands behind a bare --: string system state get profile -- --key";

impl Usage {
    pub fn find(word: &str) -> Option<&'static Self> {
        let word = if word == "list" { "ls" } else { word };
        USAGES.iter().find(|usage| usage.word == word)
    }
}

/// How all words are typed, or one of them.
pub fn help(usage: Option<&Usage>) -> String {
    let line = |usage: &Usage| format!("string system {}", &usage.typed[1..]);
    let lines: Vec<String> = match usage {
        Some(usage) => vec![line(usage)],
        None => USAGES.iter().map(line).collect(),
    };
    format!("{}\n\n{SCOPES}\n{DASHES}", lines.join("\n"))
}

/// The error for a word that there is not, with the one that was meant.
pub fn unknown(words: &Words, typed: &str) -> Error {
    let meant = USAGES.iter().find(|usage| usage.others.contains(&typed)).map(|usage| usage.word);
    let meant = meant.or_else(|| nearest(typed, USAGES.iter().map(|usage| usage.word)));
    let all: Vec<&str> = USAGES.iter().map(|usage| usage.word).collect();
    let usage = meant.and_then(Usage::find).map(|usage| format!("Did you mean {}?", usage.typed));
    words
        .wrong(format!("Unknown word {}.", quoted(typed)))
        .hints(usage)
        .hint(format!("Words: {}", all.join(", ")))
}
