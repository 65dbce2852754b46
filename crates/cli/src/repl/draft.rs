//! A payload while it is being typed, line by line.

use runtime::topic::Kind;

use crate::plan::{hub_command, wants_body};

#[derive(Debug)]
pub(super) struct Draft {
    kind: Kind,
    lines: Vec<String>,
    part: Part,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The line goes on.
    Line,
    /// The command is there; its body follows.
    Body,
    Complete(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Command,
    Body,
}

impl Draft {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, lines: Vec::new(), part: Part::Command }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn add(&mut self, line: &str) -> Next {
        if self.part == Part::Body {
            return match line {
                "." => Next::Complete(self.payload()),
                line => {
                    self.lines.push(line.to_owned());
                    Next::Line
                }
            };
        }
        if let Some(kept) = continued(line, self.kind) {
            self.lines.push(kept.to_owned());
            return Next::Line;
        }
        self.lines.push(line.to_owned());
        if wants_body(Some(self.kind), &self.payload()) {
            self.part = Part::Body;
            return Next::Body;
        }
        Next::Complete(self.payload())
    }

    /// What there is when no more lines come.
    pub(super) fn finish(self) -> Option<String> {
        (!self.is_empty()).then(|| self.payload())
    }

    fn payload(&self) -> String {
        let text = self.lines.join("\n");
        if self.kind == Kind::Hub { hub_command(&text) } else { text }
    }
}

/// The line without the backslash that continues it. A shell reads its own backslashes, so there it stays.
fn continued(line: &str, kind: Kind) -> Option<&str> {
    let slashes = line.len() - line.trim_end_matches('\\').len();
    (slashes % 2 == 1).then(|| if kind == Kind::Bash { line } else { &line[..line.len() - 1] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(kind: Kind, lines: &[&str]) -> Vec<Next> {
        let mut draft = Draft::new(kind);
        lines.iter().map(|line| draft.add(line)).collect()
    }

    fn complete(text: &str) -> Next {
        Next::Complete(text.to_owned())
    }

    #[test]
    fn lines_become_payloads() {
        use Next::{Body, Line};
        let table: Vec<(Kind, &[&str], Vec<Next>)> = vec![
            (Kind::Tab, &["/info"], vec![complete("/info")]),
            (Kind::Tab, &["/a \\", "/b"], vec![Line, complete("/a \n/b")]),
            (Kind::Tab, &["/set x C:\\\\"], vec![complete("/set x C:\\\\")]),
            (
                Kind::Tab,
                &["/write a.md", "one", "", "..", "."],
                vec![Body, Line, Line, Line, complete("/write a.md\none\n\n..")],
            ),
            (Kind::App, &["/APPEND a.md", "."], vec![Body, complete("/APPEND a.md")]),
            (Kind::Tab, &["/write a.md\\", "pasted"], vec![Line, complete("/write a.md\npasted")]),
            (Kind::Tab, &["/write a.md\npasted"], vec![complete("/write a.md\npasted")]),
            (Kind::Bash, &["ls \\", "-la"], vec![Line, complete("ls \\\n-la")]),
            (Kind::Bash, &["/write x"], vec![complete("/write x")]),
            (Kind::Hub, &["list"], vec![complete("/list")]),
            (Kind::Hub, &["/list"], vec![complete("/list")]),
        ];
        for (kind, lines, expected) in table {
            assert_eq!(typed(kind, lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn an_early_end_sends_what_is_there() {
        let mut draft = Draft::new(Kind::Tab);
        assert_eq!(draft.add("/write a.md"), Next::Body);
        assert_eq!(draft.add("one"), Next::Line);
        assert_eq!(draft.finish().as_deref(), Some("/write a.md\none"));
        assert_eq!(Draft::new(Kind::Tab).finish(), None);
    }
}
