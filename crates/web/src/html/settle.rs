//! Written Markdown, line by line: marks become characters, and no line means more than its text.

use super::write::{LESS_THAN, TILDE};

/// Resolves the marks, escapes lines that would be rules or frontmatter, and leaves one blank line between blocks.
pub(super) fn settle(markdown: &str) -> String {
    let mut settled = String::with_capacity(markdown.len() + 64);
    let mut fence: Option<&str> = None;
    let mut blanks = 0;
    for line in markdown.lines() {
        let content = inner(line);
        if let Some(open) = fence {
            settled.push_str(line);
            settled.push('\n');
            if content.starts_with(open) && content.trim_start_matches('`').trim().is_empty() {
                fence = None;
            }
            continue;
        }
        if line.trim().is_empty() {
            blanks += 1;
            if blanks == 1 && !settled.is_empty() {
                settled.push('\n');
            }
            continue;
        }
        blanks = 0;
        let ticks = content.len() - content.trim_start_matches('`').len();
        if ticks >= 3 && !content[ticks..].contains('`') {
            fence = Some(&content[..ticks]);
        }
        let is_rule = ['-', '='].iter().any(|mark| content.trim_end().trim_start_matches(*mark).is_empty());
        // Two spaces at the end of a line break it; at the end of a quote's blank line they are nothing.
        if content.is_empty() {
            settled.push_str(line.trim_end());
            settled.push('\n');
            continue;
        }
        let at = line.len() - content.len();
        settled.push_str(&line[..at]);
        if is_rule {
            settled.push('\\');
        }
        let text = line[at..].trim_end();
        resolve(text, &mut settled);
        settled.push_str(if line.ends_with("  ") { "  " } else { "" });
        settled.push('\n');
    }
    settled.truncate(settled.trim_end().len());
    settled
}

/// A line without the marks of the quotes and lists it is in.
fn inner(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = rest
            .strip_prefix("> ")
            .or_else(|| rest.strip_prefix("- "))
            .or_else(|| (digits > 0).then(|| rest[digits..].strip_prefix(". ")).flatten());
        match after {
            Some(after) => rest = after.trim_start(),
            None => return rest,
        }
    }
}

fn resolve(line: &str, out: &mut String) {
    // Both marks begin with this byte, and few other characters do.
    const FIRST_BYTE: u8 = 0xee;
    if memchr::memchr(FIRST_BYTE, line.as_bytes()).is_none() {
        out.push_str(line);
        return;
    }
    let mut chars = line.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        match c {
            LESS_THAN => {
                if next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?' | '$') || !next.is_ascii() {
                    out.push('\\');
                }
                out.push('<');
            }
            TILDE => {
                if next == TILDE || before == TILDE || next == '~' || before == '~' {
                    out.push('\\');
                }
                out.push('~');
            }
            c => out.push(c),
        }
        before = c;
    }
}
