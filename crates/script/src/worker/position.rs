//! Places in sources: from offsets, and from the stack of an error back to what the author wrote.

use oxc_sourcemap::SourceMap;

use super::modules::Program;
use crate::error::Position;

/// The way from a place in the generated code to one in the source.
#[derive(Debug)]
pub(super) struct Map {
    name: String,
    /// The generated lines, whose bytes are counted by the engine and whose UTF-16 units by the map.
    lines: Vec<String>,
    map: SourceMap<'static>,
}

/// A line of a stack, as the engine writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    /// The name of the function, which may be none of the author's.
    pub(super) function: &'a str,
    pub(super) file: &'a str,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Map {
    pub(super) fn new(name: &str, code: &str, map: SourceMap<'static>) -> Self {
        Self { name: name.to_owned(), lines: code.lines().map(str::to_owned).collect(), map }
    }

    /// The place in the source that a frame of this module comes from.
    pub(super) fn source_of(&self, frame: Frame<'_>) -> Option<Position> {
        let line = frame.line.checked_sub(1)?;
        let text = self.lines.get(line as usize)?;
        let byte = text.floor_char_boundary(frame.column.saturating_sub(1) as usize);
        let column = u32::try_from(text[..byte].encode_utf16().count()).ok()?;
        let table = self.map.generate_lookup_table();
        let token = self.map.lookup_token(&table, line, column)?;
        Some(Position {
            file: self.name.clone(),
            line: token.get_src_line() + 1,
            column: token.get_src_col() + 1,
        })
    }
}

/// A stack of the engine with the places that its author knows, and without our own frames.
pub(super) fn authored(stack: &str, program: &Program) -> String {
    let mut authored = String::with_capacity(stack.len());
    for line in stack.lines() {
        let place = frame(line).and_then(|frame| {
            let map = program.get(frame.file)?.map.as_ref()?;
            Some((frame, map.source_of(frame)?))
        });
        match place {
            Some((Frame { function: "", .. }, place)) => authored.push_str(&format!("    at {place}\n")),
            Some((frame, place)) => authored.push_str(&format!("    at {} ({place})\n", frame.function)),
            None if line.contains("(internal:") => {}
            None => {
                authored.push_str(line);
                authored.push('\n');
            }
        }
    }
    authored
}

/// The frames of a stack, innermost first.
pub(super) fn frames(stack: &str) -> impl Iterator<Item = Frame<'_>> {
    stack.lines().filter_map(frame)
}

/// A line of a stack: `    at name (file:line:column)` or `    at file:line:column`.
fn frame(line: &str) -> Option<Frame<'_>> {
    let line = line.trim().strip_prefix("at ")?;
    let (function, place) = match line.rsplit_once(" (") {
        Some((function, place)) => (function, place.strip_suffix(')')?),
        None => ("", line),
    };
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(Frame { function, file, line: line.parse().ok()?, column: column.parse().ok()? })
}

/// The place at a byte of a text.
pub(super) fn place(file: &str, text: &str, offset: usize) -> Position {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position {
        file: file.to_owned(),
        line: count(before.matches('\n').count() + 1),
        column: count(before[line_start..].chars().count() + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_in_a_stack() {
        let stack = "    at inner (lib/a b.ts:3:14)\n    at native\n    at <anonymous> (x.tool.yaml#script:1:2)\n    at main.ts:8:30\n    at map (native)\n";
        let frame = |function, file, line, column| Frame { function, file, line, column };
        assert_eq!(
            frames(stack).collect::<Vec<_>>(),
            [
                frame("inner", "lib/a b.ts", 3, 14),
                frame("<anonymous>", "x.tool.yaml#script", 1, 2),
                frame("", "main.ts", 8, 30)
            ]
        );
    }

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "a\né!x";
        for (offset, line, column) in [(0, 1, 1), (2, 2, 1), (4, 2, 2), (5, 2, 3), (99, 2, 4)] {
            let place = place("f", text, offset);
            assert_eq!((place.line, place.column), (line, column), "{offset}");
        }
    }
}
