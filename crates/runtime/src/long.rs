//! Text that is too long for a reply: its beginning and its end, where possible with the whole in a file.

use std::borrow::Cow;
use std::path::Path;

use shell::limits::{HEAD, TAIL};

use crate::blocking;
use crate::files;
use crate::reply::REPLY_MAX;

/// Left free for the words that say what was left out.
const NOTE_ROOM: usize = 64;
/// Left free for a line that also names a file, or says why there is none.
const FILE_NOTE_ROOM: usize = 512;

/// Output as a reply may hold it, below its status line. The whole of it is kept in a file.
pub async fn shortened(text: String, home: &Path) -> String {
    if text.len() <= HEAD + TAIL {
        return text;
    }
    kept(text, HEAD, TAIL, home).await
}

/// A whole reply, the last thing that happens to it: most that are long have their own way to say how to go on, and
/// of any other the whole is kept in a file.
pub async fn bounded(content: String, home: &Path) -> String {
    if content.len() <= REPLY_MAX {
        return content;
    }
    kept(content, HEAD, REPLY_MAX - HEAD - FILE_NOTE_ROOM, home).await
}

/// Both ends of a text, with the way to the rest between them.
async fn kept(text: String, head_max: usize, tail_max: usize, home: &Path) -> String {
    let name = format!("{}/{}.log", crate::agent::OUTPUT, ulid::Ulid::generate());
    let file = home.join(&name);
    let (text, written) = blocking::run(move || {
        let written = files::write_atomic(&file, text.as_bytes());
        (text, written)
    })
    .await;
    let (head, tail) = ends(&text, head_max, tail_max);
    let omitted = text.len() - head.len() - tail.len();
    let note = match written {
        Ok(()) => format!("… {omitted} bytes omitted, full output: ~/{name} …"),
        Err(error) => format!("… {omitted} bytes omitted, and could not be kept: {error} …"),
    };
    let gap = if head.ends_with('\n') { "" } else { "\n" };
    format!("{head}{gap}{note}\n{tail}")
}

/// The beginning and the end of a longer text, each cut between lines if that does not cost half of it.
pub fn ends(text: &str, head_max: usize, tail_max: usize) -> (&str, &str) {
    let head = &text[..text.floor_char_boundary(head_max)];
    let tail = &text[text.ceil_char_boundary(text.len() - tail_max)..];
    let head_end = head.rfind('\n').map_or(0, |at| at + 1);
    let tail_start = tail.find('\n').map_or(tail.len(), |at| at + 1);
    (
        if head_end > head.len() / 2 { &head[..head_end] } else { head },
        if tail_start < tail.len() / 2 { &tail[tail_start..] } else { tail },
    )
}

/// A line within a limit: by its ends, if it is longer.
pub fn fitting(line: &str, max: usize) -> Cow<'_, str> {
    if line.len() <= max {
        return line.into();
    }
    let (head, tail) = ends(line, max / 4, max - max / 4 - NOTE_ROOM);
    format!("{head} … {} bytes omitted … {tail}", line.len() - head.len() - tail.len()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn both_ends_are_shown_and_the_whole_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let text = format!("first\n{}\nlast", "é".repeat(REPLY_MAX));
        let short = shortened(text.clone(), home.path()).await;
        assert!(short.len() <= REPLY_MAX && short.starts_with("first\né") && short.ends_with("é\nlast"));
        let (_, rest) = short.split_once("full output: ~/").unwrap();
        let (name, _) = rest.split_once(" …").unwrap();
        assert_eq!(std::fs::read_to_string(home.path().join(name)).unwrap(), text);
        assert_eq!(shortened("x".repeat(HEAD + TAIL), home.path()).await.len(), HEAD + TAIL);
    }

    #[tokio::test]
    async fn a_long_reply_is_cut_between_lines_and_says_so() {
        let home = tempfile::tempdir().unwrap();
        let line = "é".repeat(50);
        let whole = format!("{line}\n").repeat(2000) + "end";
        let cut = bounded(whole.clone(), home.path()).await;
        assert!(cut.len() <= REPLY_MAX && cut.len() > REPLY_MAX - 1024, "{}", cut.len());
        let (notes, lines): (Vec<_>, Vec<_>) =
            cut.lines().partition(|shown| shown.contains(" bytes omitted, full output: ~/"));
        assert_eq!((notes.len(), lines.last()), (1, Some(&"end")));
        assert!(lines[..lines.len() - 1].iter().all(|shown| **shown == line));
        let name = notes[0].split("~/").nth(1).unwrap().trim_end_matches(" …");
        assert_eq!(std::fs::read_to_string(home.path().join(name)).unwrap(), whole);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_shows_both_its_ends() {
        let home = tempfile::tempdir().unwrap();
        let cut = bounded(format!("Event x\n---\nfirst {} last", "é".repeat(REPLY_MAX)), home.path()).await;
        assert!(cut.len() <= REPLY_MAX && cut.len() > REPLY_MAX - 1024, "{}", cut.len());
        assert!(cut.starts_with("Event x\n---\nfirst é") && cut.ends_with("é last"));
    }

    #[tokio::test]
    async fn a_short_reply_stays_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(bounded("x".repeat(REPLY_MAX), home.path()).await.len(), REPLY_MAX);
    }
}
