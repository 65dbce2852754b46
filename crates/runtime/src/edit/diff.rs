//! The difference between two texts as agents read it.

use similar::{Algorithm, DiffOp};

use super::count_of;
use super::lines::{Lines, without_mark};

/// Unchanged lines around each change.
const CONTEXT: usize = 3;
/// More lines than this are a new text, not a difference.
const SHOWN_MAX: usize = 50;
/// The most of one line: minified files have only one.
const LINE_MAX: usize = 300;
/// Stands between changes that are further apart.
const GAP: &str = "  ⋮";
/// Narrowest column of line numbers.
pub const NUMBER_WIDTH: usize = 3;

#[derive(Debug, PartialEq, Eq)]
pub struct Diff {
    added: usize,
    removed: usize,
    lines: Vec<String>,
}

impl Diff {
    /// Compares line by line, whatever the lines end with.
    pub fn between(old: &str, new: &str) -> Self {
        let old = Lines::of(without_mark(old).1).contents();
        let new = Lines::of(without_mark(new).1).contents();
        let ops = similar::capture_diff_slices(Algorithm::Myers, &old, &new);
        let changed = || ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
        let removed = changed().map(|op| op.old_range().len()).sum();
        let added = changed().map(|op| op.new_range().len()).sum();
        let mut diff = Self { added, removed, lines: Vec::new() };
        let width = old.len().max(new.len()).to_string().len().max(NUMBER_WIDTH);
        for (n, group) in similar::group_diff_ops(ops, CONTEXT).into_iter().enumerate() {
            if n > 0 {
                diff.lines.push(GAP.to_owned());
            }
            for op in group {
                diff.add(&op, &old, &new, width);
            }
        }
        diff
    }

    /// `Added 2 lines, removed 1 line`.
    pub fn counts(&self) -> String {
        match (self.added, self.removed) {
            (0, 0) => "No line changed".to_owned(),
            (added, 0) => format!("Added {}", count_of(added, "line")),
            (0, removed) => format!("Removed {}", count_of(removed, "line")),
            (added, removed) => {
                format!("Added {}, removed {}", count_of(added, "line"), count_of(removed, "line"))
            }
        }
    }

    /// The changed lines and some around them; empty if no line changed.
    pub fn text(&self) -> String {
        let shown = self.lines.len().min(SHOWN_MAX);
        let mut text = self.lines[..shown].join("\n");
        let more = self.lines.len() - shown;
        if more > 0 {
            text.push_str(&format!("\n… {}", count_of(more, "more line")));
        }
        text
    }

    fn add(&mut self, op: &DiffOp, old: &[&str], new: &[&str], width: usize) {
        let mut push = |number: usize, sign: char, text: &str| {
            self.lines.push(format!("{number:>width$} {sign}│{}", shown(text)));
        };
        match op {
            // Unchanged lines have the numbers that they have now.
            DiffOp::Equal { .. } => op.new_range().for_each(|at| push(at + 1, ' ', new[at])),
            _ => {
                op.old_range().for_each(|at| push(at + 1, '-', old[at]));
                op.new_range().for_each(|at| push(at + 1, '+', new[at]));
            }
        }
    }
}

/// A line behind its bar: blank lines leave no space at the end.
fn shown(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    match text.char_indices().nth(LINE_MAX) {
        Some((cut, _)) => format!(" {}…", &text[..cut]),
        None => format!(" {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let old = "1\n2\n\n4\n## Decisions\n(none yet)\n<!-- /d -->\n8\n9\n10\n11\n";
        let new = old.replace("(none yet)\n", "1. April\n2. weekly\n");
        let diff = Diff::between(old, &new);
        assert_eq!(diff.counts(), "Added 2 lines, removed 1 line");
        let expected = [
            "  3  │",
            "  4  │ 4",
            "  5  │ ## Decisions",
            "  6 -│ (none yet)",
            "  6 +│ 1. April",
            "  7 +│ 2. weekly",
            "  8  │ <!-- /d -->",
            "  9  │ 8",
            " 10  │ 9",
        ];
        assert_eq!(diff.text(), expected.join("\n"));
    }

    #[test]
    fn changes_far_apart_have_a_gap_between_them() {
        let old: String = (1..=2000).map(|n| format!("{n}\n")).collect();
        let new = old.replacen("1\n", "", 1).replace("1500\n", "x\n");
        let text = Diff::between(&old, &new).text();
        let expected = [
            "   1 -│ 1",
            "   1  │ 2",
            "   2  │ 3",
            "   3  │ 4",
            "  ⋮",
            "1496  │ 1497",
            "1497  │ 1498",
            "1498  │ 1499",
            "1500 -│ 1500",
            "1499 +│ x",
            "1500  │ 1501",
            "1501  │ 1502",
            "1502  │ 1503",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn counts_name_only_what_happened() {
        let table = [
            ("a\n", "a\nb\n", "Added 1 line"),
            ("a\nb\nc\n", "a\n", "Removed 2 lines"),
            ("a", "a\r\n", "No line changed"),
            ("\u{feff}a\n", "a\n", "No line changed"),
            ("a\n", "b\n", "Added 1 line, removed 1 line"),
        ];
        for (old, new, expected) in table {
            let diff = Diff::between(old, new);
            assert_eq!(diff.counts(), expected);
            assert_eq!(diff.text().is_empty(), expected == "No line changed");
        }
    }

    #[test]
    fn a_long_difference_ends_with_a_count() {
        let new: String = (0..60).map(|n| format!("{n}\n")).collect();
        let text = Diff::between("", &new).text();
        assert_eq!(text.lines().count(), SHOWN_MAX + 1);
        assert!(text.ends_with(" 50 +│ 49\n… 10 more lines"), "{text}");
        let wide = Diff::between("", &"é".repeat(100_000)).text();
        assert_eq!(wide.chars().count(), "  1 +│ …".chars().count() + LINE_MAX);
    }
}
