//! The pages in `docs/`: their fences, and whether a reply is as a page shows it.

use std::fs;
use std::path::Path;

/// A fenced block of a page.
pub struct Fence {
    pub info: String,
    pub text: String,
    /// For failures: where to look.
    pub line: usize,
}

/// One exchange of a fence `session`.
pub struct Turn<'a> {
    pub topic: &'a str,
    pub payload: &'a str,
    pub reply: &'a str,
}

/// The text of a page.
pub fn page(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    fs::read_to_string(docs.join(name)).expect("the page exists")
}

pub fn fences(page: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if !line.starts_with("```") {
            continue;
        }
        // A fence of four marks may hold fences of three.
        let info = line.trim_start_matches('`');
        let close = &line[..line.len() - info.len()];
        let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != close);
        let text = inside.map(|line| format!("{line}\n")).collect();
        fences.push(Fence { info: info.to_owned(), text, line: number + 1 });
    }
    fences
}

impl Fence {
    /// The file that the fence holds: `md file=notes.md`.
    pub fn file(&self) -> Option<&str> {
        self.info.split_once(" file=").map(|(_, name)| name)
    }

    pub fn turns(&self) -> impl Iterator<Item = Turn<'_>> {
        let is_session = self.info == "session";
        self.text.split(">>> ").skip(1).filter(move |_| is_session).map(|turn| {
            let (topic, rest) = turn.split_once('\n').expect("a topic stands on its own line");
            let (payload, reply) = rest.split_once("\n<<<\n").expect("a reply follows");
            Turn { topic, payload, reply: reply.trim_end() }
        })
    }
}

impl Turn<'_> {
    /// Whether a reply is as the page shows it; a line `…` stands for any number of lines.
    pub fn matches(&self, shown: &str) -> bool {
        let (expected, shown): (Vec<_>, Vec<_>) = (self.reply.lines().collect(), shown.lines().collect());
        match_lines(&expected, &shown)
    }
}

fn match_lines(expected: &[&str], shown: &[&str]) -> bool {
    match (expected, shown) {
        ([], []) => true,
        (["…", rest @ ..], _) => (0..=shown.len()).any(|skipped| match_lines(rest, &shown[skipped..])),
        ([line, rest @ ..], [first, others @ ..]) => line == first && match_lines(rest, others),
        _ => false,
    }
}
