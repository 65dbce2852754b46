//! Comments in Markdown: a reader does not see them, and a page from elsewhere must not talk past its reader.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};

use crate::block;
use crate::frontmatter;
use crate::warning::Warnings;

const OPEN: &str = "<!--";
const CLOSE: &str = "-->";

/// The text without its comments. Markers of blocks stay, and so does everything in code.
pub fn without_comments(text: &str) -> String {
    let (_, start) = frontmatter::cut(text, &mut Warnings::default());
    let mut out = String::with_capacity(text.len());
    let mut cursor = 0;
    for range in html(text, start) {
        let mut from = range.start.max(cursor).min(range.end);
        while let Some(at) = text[from..range.end].find(OPEN).map(|at| from + at) {
            // One that is not closed hides the rest of what it stands in.
            let end = text[at..range.end].find(CLOSE).map_or(range.end, |end| at + end + CLOSE.len());
            if block::marker(&text[at..end]).is_none() {
                let line = text[..at].rfind('\n').map_or(0, |at| at + 1).max(cursor);
                let is_alone = text[line..at].trim().is_empty() && is_blank(&text[end..]);
                match is_alone {
                    true => {
                        out.push_str(&text[cursor..line]);
                        cursor = end + blank_lines(&text[end..], &out);
                    }
                    false => {
                        out.push_str(&text[cursor..at]);
                        cursor = end;
                    }
                }
            }
            from = end;
        }
    }
    out.push_str(&text[cursor..]);
    out
}

/// Whether the rest of the line is empty.
fn is_blank(text: &str) -> bool {
    text.lines().next().is_none_or(|line| line.trim().is_empty())
}

/// How much of what follows a comment that had its lines to itself goes with it, so that no two blank lines follow
/// each other. One stays where there was none before: the comment kept paragraphs apart.
fn blank_lines(rest: &str, before: &str) -> usize {
    let own = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let follows_blank = before.lines().next_back().is_none_or(|line| line.trim().is_empty());
    if !follows_blank {
        let next_is_blank = own < rest.len() && is_blank(&rest[own..]);
        return if next_is_blank { own } else { 0 };
    }
    let lines = rest[own..].split_inclusive('\n').take_while(|line| line.trim().is_empty());
    own + lines.map(str::len).sum::<usize>()
}

/// Where HTML stands in the text, pieces that follow each other taken together.
fn html(text: &str, start: usize) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new_ext(&text[start..], Options::ENABLE_TABLES).into_offset_iter() {
        if !matches!(event, Event::Html(_) | Event::InlineHtml(_)) {
            continue;
        }
        let range = range.start + start..range.end + start;
        match pieces.last_mut().filter(|last| last.end == range.start) {
            Some(last) => last.end = range.end,
            None => pieces.push(range),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_everything_else_stays() {
        let table = [
            ("a <!-- x --> b", "a  b"),
            ("a\n\n<!--\nmany\n\nlines\n-->\nb", "a\n\nb"),
            ("a\n\n<!-- x -->\n\nb\n", "a\n\nb\n"),
            ("a\n<!-- x -->\nb\n", "a\n\nb\n"),
            ("a\n<!-- x -->\n\nb\n", "a\n\nb\n"),
            ("a\r\n\r\n<!-- x -->\r\n\r\n<!-- y -->\r\n\r\nb", "a\r\n\r\nb"),
            ("<!-- x --> shown <!-- y -->\n", " shown \n"),
            ("<!-- #id -->\ntext\n<!-- /id -->\n", "<!-- #id -->\ntext\n<!-- /id -->\n"),
            ("`<!-- code -->`\n\n```\n<!-- code -->\n```\n", "`<!-- code -->`\n\n```\n<!-- code -->\n```\n"),
            ("<div>\n<!-- x -->y\n</div>\n", "<div>\ny\n</div>\n"),
            ("- item\n\n  <!-- x -->\n", "- item\n\n"),
            ("a\n\n<!-- open\nto the end", "a\n\n"),
            ("---\ntitle: \"<!-- x -->\"\n---\n<!-- y -->\n", "---\ntitle: \"<!-- x -->\"\n---\n\n"),
            ("| a <!-- x --> |\n|---|\n| b |\n", "| a  |\n|---|\n| b |\n"),
            ("ümlaut <!-- ü --> é", "ümlaut  é"),
            ("\\<!-- text -->", "\\<!-- text -->"),
        ];
        for (text, expected) in table {
            assert_eq!(without_comments(text), expected, "{text}");
        }
    }
}
