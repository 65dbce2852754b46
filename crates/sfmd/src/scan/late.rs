//! Definitions of named links below a line of text: Markdown takes them for text, which they are hardly meant to be.

use std::ops::Range;

use super::Scan;
use crate::id::Id;
use crate::lines::Lines;
use crate::link::name_in_reference;

/// `[@id]: destination` inside a paragraph.
pub(super) struct Late<'a> {
    pub(super) label: &'a str,
    pub(super) id: Id,
    pub(super) destination: &'a str,
    /// The line without its end.
    pub(super) span: Range<usize>,
}

/// Those that a first walk has left as text.
pub(super) fn late<'a>(source: &'a str, content_start: usize, lines: &Lines, found: &Scan) -> Vec<Late<'a>> {
    // Both are in the order of the text.
    let is_known = |line: usize| {
        let after = found.definition_lines.partition_point(|lines| lines.start <= line);
        after > 0 && found.definition_lines[after - 1].contains(&line)
    };
    let is_code = |offset: usize| {
        let after = found.opaque.partition_point(|opaque| opaque.range.start <= offset);
        after > 0 && found.opaque[after - 1].range.contains(&offset)
    };
    let mut all = Vec::new();
    // Only the first in a line can begin it, and a line may be long.
    let mut seen = None;
    for (at, _) in source[content_start..].match_indices("[@") {
        let line = lines.line_of(content_start + at);
        if seen.replace(line) == Some(line) {
            continue;
        }
        let content = lines.content(source, line);
        let start = lines.start(line);
        let is_first = source[start..content_start + at].bytes().all(|byte| byte == b' ');
        let Some((label, id, destination)) = definition(content).filter(|_| is_first) else { continue };
        if !is_known(line) && !is_code(start) {
            all.push(Late { label, id, destination, span: start..start + content.len() });
        }
    }
    all
}

/// The label, its id and the destination, if a line is nothing else.
fn definition(line: &str) -> Option<(&str, Id, &str)> {
    let indented = line.trim_start_matches(' ');
    let (label, rest) = indented.strip_prefix('[')?.split_once("]:")?;
    let destination = rest.trim();
    let is_one = !destination.is_empty() && !destination.contains(char::is_whitespace);
    let is_near = line.len() - indented.len() < 4;
    let id = name_in_reference(label).filter(|_| is_one && is_near)?;
    let bare = destination.strip_prefix('<').and_then(|inner| inner.strip_suffix('>'));
    Some((label, id, bare.unwrap_or(destination)))
}
