//! `/source`: the document as its author wrote it.

use super::{Arguments, Context, open};
use crate::error::{Code, Error, Result};
use crate::long;
use crate::reply::{REPLY_MAX, with_body};

/// Left free for the status line and the note at the end.
const ROOM: usize = 1024;

/// The line to begin with.
pub fn parse(arguments: Arguments<'_>) -> Result<usize> {
    let mut words = arguments.words()?;
    let from = words.value("--from")?;
    words.done()?;
    from.map_or(Ok(1), |line| open::parse_line(&line).ok_or_else(|| words.wrong(open::not_a_line(&line))))
}

pub fn run(from: usize, context: Context<'_>) -> Result<String> {
    context.state.saw_page();
    let page = context.state.page.as_ref().ok_or_else(open::no_document)?;
    let shown = page.label.clone();
    let shown = shown.unwrap_or_else(|| page.location.source.display(&context.agent.workspace));
    let body = window(page.source().trim_end(), from).ok_or_else(|| {
        let lines = page.source().trim_end().lines().count();
        Error::new(Code::InvalidParams, format!("{shown} has nothing to show from there on."))
            .hint(format!("It has {lines} lines."))
    })?;
    Ok(with_body(&format!("Source of {shown}"), &body))
}

/// As many lines as fit, and the command that shows the next ones. None behind the end.
fn window(source: &str, from: usize) -> Option<String> {
    let mut lines = source.split_inclusive('\n').skip(from - 1).peekable();
    if from > 1 && lines.peek().is_none() {
        return None;
    }
    let mut shown = String::new();
    let mut next = from;
    while let Some(line) =
        lines.next_if(|line| shown.is_empty() || shown.len() + line.len() <= REPLY_MAX - ROOM)
    {
        shown.push_str(&long::fitting(line, REPLY_MAX - ROOM));
        next += 1;
    }
    let more: usize = lines.map(str::len).sum();
    if more > 0 {
        shown.push_str(&format!("… {} more · /source --from L{next}", sfmd::size_label(more)));
    }
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_source_is_shown_to_its_end_piece_by_piece() {
        let source: String = (1..=20_000).map(|line| format!("line {line}\n")).collect();
        let (mut from, mut all) = (1, String::new());
        loop {
            let shown = window(&source, from).unwrap();
            assert!(shown.len() < REPLY_MAX);
            let Some((lines, next)) = shown.split_once("… ") else {
                all.push_str(&shown);
                break;
            };
            all.push_str(lines);
            from = next.rsplit_once(" · /source --from L").unwrap().1.parse().unwrap();
        }
        assert_eq!(all, source);
        assert_eq!(window("a\nb", 3), None);
        assert_eq!(window("", 1).as_deref(), Some(""));
    }

    #[test]
    fn a_line_that_is_too_long_is_shown_by_its_ends() {
        let source = format!("<{}>\nnext", "é".repeat(REPLY_MAX));
        let shown = window(&source, 1).unwrap();
        assert!(shown.len() < REPLY_MAX && shown.starts_with("<é"), "{}", shown.len());
        assert!(shown.ends_with("é>\nnext"), "{}", shown.len());
    }
}
