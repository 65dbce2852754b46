//! What stands within a line, and what has to be escaped there.

use crate::html::piece::{Mark, Piece};

/// Where the writing began.
#[derive(Clone, Copy)]
pub(super) enum Edge {
    /// A line of a block, where spaces mean nothing and some characters begin a block.
    Line(usize),
    /// The inside of marks, whose spaces go outside.
    Inside(usize),
}

pub(super) fn write(piece: &Piece, out: &mut String, edge: Edge) {
    match piece {
        Piece::Text(content) => text(content, out, edge),
        Piece::Break => {
            let Edge::Line(start) = edge else { return space(out, edge) };
            super::trim_end(out, start);
            if out.len() > start {
                out.push_str("  \n");
            }
        }
        Piece::Image { source, alt } => {
            let alt = inert_label(&escape(alt));
            out.extend(["![", &alt, "](", source, ")"]);
        }
        Piece::Link { href, label } => surround(label, out, edge, |label, out| {
            out.extend(["[", &inert_label(label), "](", href, ")"]);
        }),
        Piece::Code(code) => {
            let ticks = "`".repeat(longest_run_of_ticks(code) + 1);
            let space = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
            out.extend([&*ticks, space, code, space, &*ticks]);
        }
        Piece::Marked(mark, inside) => {
            let marker = match mark {
                Mark::Strong => "**",
                Mark::Emphasis => "*",
                Mark::Deleted => "~~",
            };
            surround(inside, out, edge, |content, out| {
                // Marked twice is marked: four tildes at the start of a line would open a code block.
                let is_marked = matches!(inside.as_slice(), [Piece::Marked(same, _)] if same == mark)
                    || (*mark == Mark::Deleted && (content.starts_with('~') || content.ends_with('~')));
                let marker = if is_marked { "" } else { marker };
                out.extend([marker, content, marker]);
            });
        }
        // Only lines stand in lines; if a block did, its text would.
        block => {
            space(out, edge);
            block.parts().flatten().for_each(|piece| write(piece, out, edge));
            space(out, edge);
        }
    }
}

/// Everything on one line, without spaces around it.
pub(super) fn write_line(pieces: &[Piece], out: &mut String) {
    let start = out.len();
    for piece in pieces {
        write(piece, out, Edge::Inside(start));
    }
    super::trim_end(out, start);
    let leading = out[start..].len() - out[start..].trim_start().len();
    out.replace_range(start..start + leading, "");
}

/// Writes `inside` with something around it; spaces at its ends stay outside.
fn surround(inside: &[Piece], out: &mut String, edge: Edge, with: impl FnOnce(&str, &mut String)) {
    let start = out.len();
    for piece in inside {
        write(piece, out, Edge::Inside(start));
    }
    let written = out.split_off(start);
    let content = written.trim();
    if written.starts_with(char::is_whitespace) {
        space(out, edge);
    }
    if content.is_empty() {
        return;
    }
    with(content, out);
    if written.ends_with(char::is_whitespace) {
        space(out, edge);
    }
}

/// A space, unless one is there or none is needed.
fn space(out: &mut String, edge: Edge) {
    let ends_with_space = out.ends_with([' ', '\n']);
    let is_apart = match edge {
        Edge::Line(start) => out.len() == start || ends_with_space,
        Edge::Inside(start) => out.len() > start && ends_with_space,
    };
    if !is_apart {
        out.push(' ');
    }
}

/// Text with everything escaped that would be Markdown, and one space for any number.
fn text(content: &str, out: &mut String, edge: Edge) {
    let trimmed = content.trim_start_matches(|c: char| c.is_ascii_whitespace());
    if trimmed.len() < content.len() {
        space(out, edge);
    }
    let is_line_start = matches!(edge, Edge::Line(start) if out.len() == start || out.ends_with('\n'));
    let mut from = 0;
    if let Some(at) = is_line_start.then(|| start_of_block(trimmed)).flatten() {
        out.push_str(&trimmed[..at]);
        out.push('\\');
        from = at;
        // The character may be one that is escaped anyway.
        if trimmed.as_bytes().get(at).is_some_and(|byte| is_special(*byte)) {
            out.pop();
        }
    }
    let bytes = trimmed.as_bytes();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        if is_special(byte) || byte == b'&' && is_reference(&trimmed[at + 1..]) {
            out.push_str(&trimmed[from..at]);
            out.push('\\');
            from = at;
        } else if byte.is_ascii_whitespace() {
            let end = bytes[at..].iter().position(|byte| !byte.is_ascii_whitespace());
            let end = end.map_or(bytes.len(), |length| at + length);
            out.push_str(&trimmed[from..at]);
            out.push(' ');
            from = end;
            at = end;
            continue;
        }
        at += 1;
    }
    out.push_str(&trimmed[from..]);
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'\\' | b'*' | b'_' | b'`' | b'[' | b']')
}

/// Whether what follows a `&` makes it a character's name: `lt;`, `#60;`.
fn is_reference(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    length > 0 && name[length..].starts_with(';')
}

/// Where a backslash keeps a line from being a heading, an item or a quote. Rules are seen to when whole lines
/// are known.
fn start_of_block(line: &str) -> Option<usize> {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace());
    let first = *line.as_bytes().first()?;
    match first {
        b'>' => Some(0),
        b'-' | b'+' => is_end(&line[1..]).then_some(0),
        b'#' => is_end(line.trim_start_matches('#')).then_some(0),
        b'0'..=b'9' => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let marker = rest.strip_prefix(['.', ')'])?;
            is_end(marker).then_some(line.len() - rest.len())
        }
        _ => None,
    }
}

pub(super) fn longest_run_of_ticks(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

/// A label that begins like a name, a directive or a footnote, or that ends like the one of a definition, must not be
/// one.
fn inert_label(label: &str) -> String {
    // An image comes from us: brackets in text are escaped.
    let before = if label.starts_with("![") {
        " "
    } else if label.starts_with(['@', '!', '^']) {
        "\\"
    } else {
        ""
    };
    let (label, rest) = label.split_at(end_of_definition(label).unwrap_or(label.len()));
    let between = if rest.is_empty() { "" } else { " " };
    [before, label, between, rest].concat()
}

/// Behind the `]` that a `:` follows, where the two make a definition of what is before them. They can stand in code
/// only, where nothing can be escaped.
fn end_of_definition(label: &str) -> Option<usize> {
    let mut is_escaped = false;
    let bracket = label.bytes().position(|byte| {
        let is_bracket = !is_escaped && matches!(byte, b'[' | b']');
        is_escaped = !is_escaped && byte == b'\\';
        is_bracket
    })?;
    label[bracket..].starts_with("]:").then_some(bracket + 1)
}

/// Text with everything escaped that Markdown would read.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    if text.starts_with(['#', '-', '+', '=', '>']) {
        escaped.push('\\');
    }
    for (at, c) in text.char_indices() {
        let is_named = c == '&' && is_reference(&text[at + 1..]);
        if is_named || matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '~' | '|') {
            escaped.push('\\');
        }
        escaped.push(if c == '\n' { ' ' } else { c });
    }
    escaped
}
