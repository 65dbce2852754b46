//! The source of a file with line numbers.

use std::ops::Range;

use super::count_of;
use super::diff::NUMBER_WIDTH;
use super::lines::{Lines, without_mark};
use crate::document::typed;
use crate::long;
use crate::reply::REPLY_MAX;

/// Left free for the status line and the note at the end.
const ROOM: usize = 1024;
/// A longer line is shown by its ends: no command could show it whole.
const LINE_MAX: usize = REPLY_MAX - 4 * ROOM;

/// Some lines of a text, each as `  1 │ …`. What does not fit into a reply is named by the command that shows it.
pub fn numbered(text: &str, lines: Range<usize>, shown: &str) -> String {
    let contents = Lines::of(without_mark(text).1).contents();
    if lines.is_empty() {
        return "(empty)".to_owned();
    }
    let last = lines.end - 1;
    let width = contents.len().to_string().len().max(NUMBER_WIDTH);
    let mut out = String::new();
    for number in lines {
        let content = contents[number - 1];
        let space = if content.is_empty() { "" } else { " " };
        let content = long::fitting(content, LINE_MAX);
        let line = format!("{number:>width$} │{space}{content}\n");
        if out.len() + line.len() > REPLY_MAX - ROOM {
            let more = count_of(last + 1 - number, "more line");
            out.push_str(&format!("… {more} · /edit {}:L{number}-L{last}", typed(shown)));
            return out;
        }
        out.push_str(&line);
    }
    out.pop();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_numbers() {
        let text = "\u{feff}---\r\n\r\nlast";
        assert_eq!(numbered(text, 1..4, "~/x"), "  1 │ ---\n  2 │\n  3 │ last");
        assert_eq!(numbered(text, 3..4, "~/x"), "  3 │ last");
        assert_eq!(numbered("", 1..1, "~/x"), "(empty)");
        let many = "x\n".repeat(1000);
        assert!(numbered(&many, 1..1001, "~/x").starts_with("   1 │ x\n"));
    }

    #[test]
    fn a_long_file_says_how_to_go_on() {
        let text = "é".repeat(50) + "\n";
        let view = numbered(&text.repeat(2000), 1..2001, "~/x");
        assert!(view.len() <= REPLY_MAX);
        let (lines, note) = view.rsplit_once('\n').unwrap();
        let shown = lines.lines().count();
        assert_eq!(note, format!("… {} more lines · /edit ~/x:L{}-L2000", 2000 - shown, shown + 1));
        let wide = numbered(&format!("a\n{}\nb\n", "x".repeat(REPLY_MAX)), 1..4, "~/x");
        assert!(wide.len() <= REPLY_MAX && wide.starts_with("  1 │ a\n  2 │ xxx"), "{}", wide.len());
        assert!(
            wide.contains("x … 4160 bytes omitted … x") && wide.ends_with("x\n  3 │ b"),
            "{}",
            wide.len()
        );
    }
}
