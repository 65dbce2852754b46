//! The house rules that a program can check: what every file has, what none has, and which way dependencies point.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Longer files have more than one subject.
const LINES_MAX: usize = 400;

/// Words that hide the real noun.
const BANNED_NAMES: [&str; 11] =
    ["util", "utils", "helper", "helpers", "manager", "common", "misc", "type", "types", "v2", "impl"];

/// What each crate may depend on. Siblings do not know each other; arrows point down only.
const ARROWS: &[(&str, &[&str])] = &[
    // The binary also starts the processes of shells and scripts, which are the binary itself.
    ("cli", &["client", "mcp", "runtime", "script", "server", "shell", "wire"]),
    ("client", &["wire"]),
    ("mcp", &["wire"]),
    ("server", &["mcp", "runtime", "store", "wire"]),
    ("runtime", &["script", "sfmd", "shell", "store", "web"]),
    ("script", &[]),
    ("sfmd", &[]),
    ("shell", &[]),
    ("store", &[]),
    ("web", &[]),
    ("wire", &[]),
    ("testkit", &["client", "runtime", "server", "store", "wire"]),
];

struct Source {
    /// From the top of the workspace.
    name: String,
    text: String,
}

impl Source {
    /// Whether it is part of a crate, not of its tests or benches.
    fn is_product(&self) -> bool {
        self.name.contains("/src/")
    }

    /// The lines before the tests at the end of the file.
    fn product_lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines().take_while(|line| *line != "#[cfg(test)]")
    }
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn metadata() -> Value {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(top())
        .output()
        .unwrap();
    serde_json::from_slice(&metadata.stdout).unwrap()
}

/// Every Rust file of the workspace.
fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    collect(&top().join("crates"), &mut sources);
    assert!(sources.len() > 100, "only {} files were found", sources.len());
    sources
}

fn collect(directory: &Path, sources: &mut Vec<Source>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(top()).unwrap().display().to_string();
            sources.push(Source { name, text: fs::read_to_string(&path).unwrap() });
        }
    }
}

/// Fails with all offenders at once.
fn none(offenders: impl Iterator<Item = String>, rule: &str) {
    let offenders: Vec<_> = offenders.collect();
    assert!(offenders.is_empty(), "{rule}:\n{}", offenders.join("\n"));
}

#[test]
fn every_file_says_first_what_lives_there() {
    let sources = sources();
    let silent = sources.iter().filter(|source| !source.text.starts_with("//! "));
    none(silent.map(|source| source.name.clone()), "a file opens with a `//!` sentence");
}

#[test]
fn no_file_grows_beyond_one_subject() {
    let sources = sources();
    let long = sources.iter().filter(|source| source.is_product()).filter_map(|source| {
        let lines = source.text.lines().count();
        (lines > LINES_MAX).then(|| format!("{}: {lines} lines", source.name))
    });
    none(long, "a file has at most 400 lines; split it by subject");
}

#[test]
fn nothing_is_left_for_later() {
    // In two parts, so that this file does not name what it forbids.
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("#[ig", "nore"),
    ];
    let sources = sources();
    let left = sources.iter().flat_map(|source| {
        let lines = source.text.lines().zip(1..);
        let marked = lines.filter(|(line, _)| marks.iter().any(|mark| line.contains(mark)));
        marked.map(|(line, number)| format!("{}:{number}: {}", source.name, line.trim()))
    });
    none(left, "what is not done is not in the code");
}

#[test]
fn file_names_are_nouns_that_explain() {
    let sources = sources();
    let vague = sources.iter().filter(|source| {
        let words = source.name.trim_end_matches(".rs").split(['/', '_', '-', '.']);
        words.into_iter().any(|word| BANNED_NAMES.contains(&word))
    });
    none(vague.map(|source| source.name.clone()), "a name says what it is");
}

#[test]
fn only_the_binary_prints_and_reads_the_environment() {
    let banned = ["println!(", "print!(", "dbg!(", "env::var", "env::home_dir", "env::current_dir"];
    let sources = sources();
    let libraries =
        sources.iter().filter(|source| source.is_product() && !source.name.starts_with("crates/cli/"));
    let offenders = libraries.flat_map(|source| {
        let lines = source.product_lines().zip(1..);
        let found = lines.filter(|(line, _)| banned.iter().any(|call| line.contains(call)));
        found.map(|(line, number)| format!("{}:{number}: {}", source.name, line.trim()))
    });
    none(offenders, "libraries take values and return values");
}

#[test]
fn dependencies_point_down_only() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let names: Vec<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"runtime"), "{names:?}");
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let (_, allowed) = ARROWS.iter().find(|(crate_name, _)| *crate_name == name).unwrap_or_else(|| {
            panic!("{name} is new: give it a row here, and a paragraph in ARCHITECTURE.md")
        });
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = dependency["name"].as_str().unwrap();
            let in_tests_only = dependency["kind"] == "dev";
            if names.contains(&on) && !in_tests_only {
                assert!(allowed.contains(&on), "{name} must not depend on {on}");
            }
        }
    }
}

#[test]
fn every_dependency_has_one_reason_and_every_reason_a_dependency() {
    let manifest = fs::read_to_string(top().join("Cargo.toml")).unwrap();
    let (_, rest) = manifest.split_once("[workspace.dependencies]\n").unwrap();
    let (section, _) = rest.split_once("\n[").unwrap();
    let mut used: Vec<&str> = section
        .lines()
        .filter(|line| !line.starts_with('#') && !line.contains("path = "))
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .collect();
    let page = fs::read_to_string(top().join("ARCHITECTURE.md")).unwrap();
    let (_, table) = page.split_once("## Dependencies").unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).skip(1);
    let mut explained: Vec<&str> =
        rows.flat_map(|names| names.split(", ")).filter_map(|name| name.split(' ').next()).collect();
    used.sort_unstable();
    explained.sort_unstable();
    assert_eq!(explained, used, "the table in ARCHITECTURE.md, and the dependencies of the workspace");
}

#[test]
fn every_page_that_is_linked_exists() {
    let mut pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| top().join(name)).to_vec();
    for folder in ["docs", "examples"] {
        collect_pages(&top().join(folder), &mut pages);
    }
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        // What stands in code is an example.
        let prose: String = text.split('`').step_by(2).collect();
        let links = prose.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        let local = links.filter(|link| link.ends_with(".md") && !link.contains("://"));
        for link in local {
            assert!(page.with_file_name(link).exists(), "{} links {link}", page.display());
        }
    }
}

fn collect_pages(directory: &Path, pages: &mut Vec<PathBuf>) {
    for path in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

#[test]
fn cargo_run_means_the_one_binary() {
    let metadata = metadata();
    let default = metadata["workspace_default_members"].as_array().unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let binaries: Vec<&str> = packages
        .iter()
        .filter(|package| default.contains(&package["id"]))
        .flat_map(|package| package["targets"].as_array().unwrap())
        .filter(|target| target["kind"][0] == "bin")
        .map(|target| target["name"].as_str().unwrap())
        .collect();
    assert_eq!(binaries, ["string"], "the README's first command is `cargo run --release -- …`");
}
