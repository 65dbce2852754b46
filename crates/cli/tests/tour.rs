//! The tour and the README: every command that they show is run as it stands, in the order in which a reader meets it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use support::examples::Examples;
use support::{STRING, finish};
use testkit::demo;

/// What needs a terminal, which other tests have.
const INTERACTIVE: [&str; 2] = ["string main", "string --attach bash:tour"];
/// An agent pays for every word of a page.
const PAGE_MAX: usize = 3_000;
/// What stands before the code of an error that a command is shown for.
const FAILS: &str = "fails with ";

#[derive(Debug, PartialEq, Eq)]
struct Step {
    run: Run,
    /// The code of the error that the page promises.
    fails: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Run {
    /// A payload for the tab in which the tour is open.
    Tab(String),
    /// A line for a shell.
    Shell(String),
}

#[test]
fn every_command_of_the_tour_works_as_it_stands() {
    let examples = Examples::new();
    for page in pages() {
        let shown = examples.says("main", &format!("/open ~/examples/tour/{page}"));
        assert!(shown.len() < PAGE_MAX, "{page} has {} bytes", shown.len());
        let steps = steps(&shown.replace(&format!("http://127.0.0.1:{}", demo::PORT), &examples.address));
        assert!(!steps.is_empty(), "{page} shows nothing to try");
        for step in steps {
            check(&examples, &page, &step);
        }
    }
}

#[test]
fn every_command_of_the_readme_works_as_it_stands() {
    let examples = Examples::new();
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(top.join("README.md")).unwrap();
    fs::write(examples.world.home().join("README.md"), &readme).unwrap();
    fs::create_dir(examples.world.home().join("docs")).unwrap();
    let fences = testkit::pages::fences(&readme).into_iter().filter(|fence| fence.info == "sh");
    let steps: Vec<Step> = fences.flat_map(|fence| steps(&format!("```sh\n{}```", fence.text))).collect();
    assert!(steps.len() > 9, "{steps:?}");
    for step in steps {
        check(&examples, "README.md", &step);
    }
}

#[test]
fn the_menu_of_the_tour_has_every_page_of_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tour");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let written: BTreeSet<String> = files.filter(|name| name.ends_with(".md") && name != "nav.md").collect();
    assert_eq!(pages().into_iter().collect::<BTreeSet<_>>(), written);
}

#[test]
fn commands_are_found_in_what_a_page_shows() {
    let page = "Say `/info`, or `string main` here, `//wait` there.\n\n- `/open #x` fails with `NOT_FOUND`.\n\n\
                ```\n/write a.md\n# `/no`\n```\n\n```sh\ncargo run\nstring web /back    # fails with NO_HISTORY\n```\n";
    let step = |run, fails: Option<&str>| Step { run, fails: fails.map(str::to_owned) };
    let expected = [
        step(Run::Tab("/info".into()), None),
        step(Run::Tab("/open #x".into()), Some("NOT_FOUND")),
        step(Run::Tab("/write a.md\n# `/no`\n".into()), None),
        step(Run::Shell("string web /back    # fails with NO_HISTORY".into()), Some("NO_HISTORY")),
    ];
    assert_eq!(steps(page), expected);
}

/// The pages in the order of the menu.
fn pages() -> Vec<String> {
    let menu = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tour/nav.md");
    let page = |line: &str| Some(line.split_once("](./")?.1.strip_suffix(')')?.to_owned());
    fs::read_to_string(menu).unwrap().lines().filter_map(page).collect()
}

fn check(examples: &Examples, page: &str, step: &Step) {
    let (code, said) = take(examples, &step.run);
    match &step.fails {
        Some(error) => assert!(said.contains(&format!("ERROR({error})")), "{page}: {step:?}\n{said}"),
        None => assert!(code == Some(0) && !said.contains("ERROR("), "{page}: {step:?}\n{said}"),
    }
}

fn take(examples: &Examples, run: &Run) -> (Option<i32>, String) {
    match run {
        Run::Tab(payload) => examples.reply("main", payload),
        Run::Shell(line) => {
            let mut bash = examples.world.command("/bin/bash");
            let programs = Path::new(STRING).parent().unwrap();
            bash.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
            bash.args(["-euo", "pipefail", "-c", line]);
            let run = finish(bash);
            (run.code, run.out + &run.err)
        }
    }
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            steps.extend(in_line(line));
            continue;
        };
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match info {
            "sh" => steps.extend(inside.into_iter().filter(|line| runs_here(line)).map(|line| Step {
                run: Run::Shell(line.to_owned()),
                fails: line.split_once(FAILS).map(|(_, code)| code.to_owned()),
            })),
            _ => steps.push(Step { run: Run::Tab(inside.join("\n") + "\n"), fails: None }),
        }
    }
    steps
}

/// The commands between backticks.
fn in_line(line: &str) -> Vec<Step> {
    let parts: Vec<&str> = line.split('`').collect();
    let spans = (1..parts.len()).step_by(2);
    let step = |at: usize| {
        let promised = parts.get(at + 1).is_some_and(|text| text.ends_with(FAILS));
        let run = match parts[at] {
            span if INTERACTIVE.contains(&span) || span.contains('…') => return None,
            span if span.starts_with("string ") => Run::Shell(span.to_owned()),
            span if span.starts_with('/') && !span.starts_with("//") => Run::Tab(span.to_owned()),
            _ => return None,
        };
        let fails = parts.get(at + 2).filter(|_| promised).map(|code| (*code).to_owned());
        Some(Step { run, fails })
    };
    spans.filter_map(step).collect()
}

/// The demo API is built and started by the test itself, and a machine may be without `curl`.
fn runs_here(line: &str) -> bool {
    let curl = ["/usr/bin/curl", "/bin/curl"].iter().any(|path| Path::new(path).exists());
    let words = line.split_once(" # ").map_or(line, |(words, _)| words).trim_end();
    !INTERACTIVE.contains(&words) && !line.starts_with("cargo ") && (curl || !line.starts_with("curl "))
}
