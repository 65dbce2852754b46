//! Marked blocks: `<!-- #id -->` … `<!-- /id -->`, each marker alone on its line.

use std::collections::HashMap;
use std::ops::Range;

use crate::id::Id;
use crate::warning::Warnings;

/// A named part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub id: Id,
    /// The lines between the markers.
    pub lines: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Open(Id),
    Close(Id),
    /// Written like a marker, but not with an id.
    BadId,
}

/// Reads a line without its leading and trailing space.
pub(crate) fn marker(line: &str) -> Option<Marker> {
    let inner = line.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let (name, is_open) = match (inner.strip_prefix('#'), inner.strip_prefix('/')) {
        (Some(name), _) => (name, true),
        (_, Some(name)) => (name, false),
        _ => return None,
    };
    match Id::parse(name) {
        Some(id) if is_open => Some(Marker::Open(id)),
        Some(id) => Some(Marker::Close(id)),
        None if is_open && name.starts_with(char::is_alphabetic) && !name.contains(char::is_whitespace) => {
            Some(Marker::BadId)
        }
        None => None,
    }
}

/// Pairs markers, given in the order of their lines. Where two blocks have one id, the first counts; a marker
/// without its partner makes no block.
pub(crate) fn pair(markers: Vec<(usize, Marker)>, warnings: &mut Warnings) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Vec<(usize, Id)> = Vec::new();
    // Positions in `open` of each id, so that a closing marker finds its partner without a search.
    let mut open_by_id: HashMap<Id, Vec<usize>> = HashMap::new();
    for (line, marker) in markers {
        match marker {
            Marker::Open(id) => {
                open_by_id.entry(id.clone()).or_default().push(open.len());
                open.push((line, id));
            }
            Marker::Close(id) => {
                let Some(partner) = open_by_id.get_mut(&id).and_then(Vec::pop) else {
                    warnings.add(line, || format!("<!-- /{id} --> closes no block"));
                    continue;
                };
                for (unclosed_line, unclosed) in open.drain(partner + 1..) {
                    open_by_id.get_mut(&unclosed).map(Vec::pop);
                    warnings.add(unclosed_line, || {
                        format!("block #{unclosed} is not closed before <!-- /{id} -->")
                    });
                }
                if let Some((opened, id)) = open.pop() {
                    blocks.push(Block { id, lines: opened + 1..line });
                }
            }
            Marker::BadId => warnings.add(line, || "a block id is [a-z][a-z0-9_-]*".to_owned()),
        }
    }
    for (line, id) in open {
        warnings.add(line, || format!("block #{id} is not closed"));
    }
    blocks.sort_by_key(|block| block.lines.start);
    keep_first(blocks, warnings)
}

fn keep_first(blocks: Vec<Block>, warnings: &mut Warnings) -> Vec<Block> {
    let mut seen: HashMap<Id, usize> = HashMap::new();
    let mut kept = Vec::with_capacity(blocks.len());
    for block in blocks {
        let marker_line = block.lines.start - 1;
        if let Some(first) = seen.get(&block.id) {
            warnings.add(marker_line, || format!("block #{} is already on line {first}", block.id));
        } else {
            seen.insert(block.id.clone(), marker_line);
            kept.push(block);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expected: &[(&str, Range<usize>)], expected_warnings: &[&str]) {
        let mut warnings = Warnings::default();
        let markers =
            lines.iter().enumerate().filter_map(|(at, line)| Some((at + 1, marker(line)?))).collect();
        let blocks = pair(markers, &mut warnings);
        let blocks: Vec<_> = blocks.iter().map(|block| (block.id.as_str(), block.lines.clone())).collect();
        assert_eq!(blocks, expected);
        let warnings: Vec<_> = warnings.into_sorted().iter().map(ToString::to_string).collect();
        assert_eq!(warnings, expected_warnings);
    }

    #[test]
    fn blocks_nest() {
        check(
            &["<!-- #a -->", "x", "<!--#b-->", "y", "<!-- /b -->", "<!-- /a -->"],
            &[("a", 2..6), ("b", 4..5)],
            &[],
        );
    }

    #[test]
    fn the_first_of_two_blocks_counts() {
        check(
            &["<!-- #a -->", "<!-- /a -->", "<!-- #a -->", "x", "<!-- /a -->"],
            &[("a", 2..2)],
            &["line 3: block #a is already on line 1"],
        );
    }

    #[test]
    fn what_has_no_partner_is_a_warning() {
        check(&["<!-- #a -->", "x"], &[], &["line 1: block #a is not closed"]);
        check(&["x", "<!-- /a -->"], &[], &["line 2: <!-- /a --> closes no block"]);
        check(
            &["<!-- #a -->", "<!-- #b -->", "<!-- /a -->", "<!-- /b -->"],
            &[("a", 2..3)],
            &["line 2: block #b is not closed before <!-- /a -->", "line 4: <!-- /b --> closes no block"],
        );
    }

    #[test]
    fn other_comments_are_no_markers() {
        for line in
            ["<!-- note -->", "<!-- # -->", "<!-- #1 -->", "<!-- #a b -->", "<!-- #a", "#a", "<!---->"]
        {
            assert_eq!(marker(line), None, "{line}");
        }
        assert_eq!(marker("<!-- #Setup -->"), Some(Marker::BadId));
    }
}
