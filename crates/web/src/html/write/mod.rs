//! From pieces to Markdown that means nothing but itself.

mod inline;

use std::borrow::Cow;

use super::piece::{Numbers, Piece, Row};
use super::settle::settle;
use inline::Edge;
pub(crate) use inline::escape;

/// Stand for `<` and `~` of the page's text until it is known what stands beside them. Private-use characters
/// are taken out of pages, so these come from us alone.
pub(super) const LESS_THAN: char = '\u{e000}';
pub(super) const TILDE: char = '\u{e001}';

/// Text with marks for what could start HTML or a fence, and with spaces that are nothing but spaces.
pub(super) fn marked(text: &str) -> Cow<'_, str> {
    let mark = |c| match c {
        '<' => LESS_THAN,
        '~' => TILDE,
        '\u{a0}' | '\u{2007}' | '\u{202f}' => ' ',
        c => c,
    };
    // The bytes that one of them begins with.
    if text.bytes().all(|byte| !matches!(byte, b'<' | b'~' | 0xc2 | 0xe2)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(mark).collect())
}

/// The Markdown of a page.
pub(super) fn write(pieces: &[Piece]) -> String {
    let mut out = String::new();
    flow(pieces, &mut out, Within::Page);
    settle(&out)
}

/// What blocks are written into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Page,
    /// An item, whose lists follow its text without a blank line.
    Item,
}

/// What stands at the end of what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Nothing,
    /// Text that began there and may go on.
    Line(usize),
    List,
    Block,
}

/// Writes blocks and lines behind what is in `out`, with blank lines between blocks.
fn flow(pieces: &[Piece], out: &mut String, within: Within) -> Last {
    let start = out.len();
    let mut last = Last::Nothing;
    for piece in pieces {
        if let (Last::Line(from), false) = (last, piece.is_block()) {
            inline::write(piece, out, Edge::Line(from));
            continue;
        }
        trim_end(out, start);
        let end = out.len();
        let is_list = matches!(piece, Piece::List { .. });
        let is_tight = within == Within::Item && is_list && matches!(last, Last::Line(_) | Last::List);
        out.push_str(match last {
            Last::Nothing => "",
            _ if is_tight => "\n",
            _ => "\n\n",
        });
        let from = out.len();
        block(piece, out);
        let is_empty = out[from..].trim_end().is_empty();
        last = match (is_empty, last) {
            (false, _) if is_list => Last::List,
            (false, _) if piece.is_block() => Last::Block,
            (false, _) => Last::Line(from),
            // Nothing in it, but what follows is apart from what was before.
            (true, Last::Line(_)) => Last::Block,
            (true, last) => last,
        };
        if is_empty {
            out.truncate(end);
        }
    }
    trim_end(out, start);
    last
}

fn trim_end(out: &mut String, start: usize) {
    out.truncate(start + out[start..].trim_end().len());
}

fn block(piece: &Piece, out: &mut String) {
    match piece {
        Piece::Rule => out.push_str("* * *"),
        Piece::Heading { level, line, .. } => {
            for _ in 0..*level {
                out.push('#');
            }
            out.push(' ');
            inline::write_line(line, out);
        }
        Piece::Paragraph(inside) | Piece::Section(inside) => {
            flow(inside, out, Within::Page);
        }
        Piece::Quote(inside) => {
            let mut quoted = String::new();
            flow(inside, &mut quoted, Within::Page);
            for (at, line) in quoted.lines().enumerate() {
                out.push_str(if at == 0 { ">" } else { "\n>" });
                if !line.is_empty() {
                    out.push(' ');
                    out.push_str(line);
                }
            }
        }
        Piece::List { numbers, items } => list(numbers, items, out),
        Piece::Listing { language, code } => {
            let fence = "`".repeat(3.max(inline::longest_run_of_ticks(code) + 1));
            let code = code.strip_suffix('\n').unwrap_or(code);
            for part in [&*fence, language.as_deref().unwrap_or_default(), "\n", code, "\n", &*fence] {
                out.push_str(part);
            }
        }
        Piece::Table(rows) => table(rows, out),
        Piece::Text(_)
        | Piece::Break
        | Piece::Image { .. }
        | Piece::Link { .. }
        | Piece::Code(_)
        | Piece::Marked(..) => inline::write(piece, out, Edge::Line(out.len())),
    }
}

/// Items with blank lines between them only where one ends with a block.
fn list(numbers: &Numbers, items: &[Vec<Piece>], out: &mut String) {
    let mut last = Last::Nothing;
    let mut content = String::new();
    for (index, item) in items.iter().enumerate() {
        content.clear();
        let ends_with = flow(item, &mut content, Within::Item);
        if content.is_empty() {
            continue;
        }
        out.push_str(match last {
            Last::Nothing => "",
            Last::Block => "\n\n",
            Last::Line(_) | Last::List => "\n",
        });
        last = ends_with;
        let from = out.len();
        match numbers {
            Numbers::None => out.push_str("- "),
            Numbers::Each(numbers) => {
                out.push_str(&numbers.get(index).copied().unwrap_or(1).to_string());
                out.push_str(". ");
            }
        }
        let indent = out.len() - from;
        for (at, line) in content.lines().enumerate() {
            if at > 0 {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', if line.is_empty() { 0 } else { indent }));
            }
            out.push_str(line);
        }
    }
}

/// Compact rows: padding to the widest cell would square the size of a table.
fn table(rows: &[Row], out: &mut String) {
    for (index, row) in rows.iter().enumerate() {
        out.push_str(if index == 0 { "|" } else { "\n|" });
        for cell in row {
            out.push(' ');
            let from = out.len();
            inline::write_line(cell, out);
            if out[from..].contains('|') {
                let escaped = out[from..].replace('|', "\\|");
                out.truncate(from);
                out.push_str(&escaped);
            }
            out.push_str(" |");
        }
        if index == 0 {
            out.push_str("\n|");
            row.iter().for_each(|_| out.push_str(" --- |"));
        }
    }
}
