//! ChanFlow: commands and replies as tagged blocks inside any text.
//!
//! A block is `<𝒞=string:TOPIC>` … `</𝒞>`; without a topic, `<𝒞=string>` is as good. Inside a block neither tag can appear: text that contains one
//! carries a backslash after the `<` (`<\/𝒞>`, `<\𝒞=`), and text that already looks like that carries one
//! more. Escaping is therefore reversible, and nothing that a document, a page or a program prints can end
//! its block or start another.

use std::borrow::Cow;

/// The letter that marks a tag, U+1D49E.
pub const MARK: char = '𝒞';
const OPEN: &str = "<𝒞=string:";
/// How a block of any channel begins.
const ANY_OPEN: &str = "<𝒞=";
/// What a tag of ours begins with, followed by the sign before the topic or by the end of the tag.
const OWN_OPEN: &str = "<𝒞=string";
/// Quotes within quotes that are followed: no one writes more, and it bounds how far a search goes in vain.
const DEPTH_MAX: usize = 8;
const CLOSE: &str = "</𝒞>";

/// One request block of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// As written, not yet checked.
    pub topic: String,
    pub payload: Payload,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    Closed(String),
    /// The text, or the next block, began before `</𝒞>`.
    Unclosed,
}

/// Puts a reply into its envelope.
pub fn envelope(topic: &str, reply: &str) -> String {
    [OPEN, topic, ">\n", &escape(reply), "\n", CLOSE].concat()
}

/// All blocks of the `string` channel, in order. Anything else in the text is left alone: what another channel's
/// block quotes is not meant for us.
pub fn parse(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(ANY_OPEN) {
        let Some((topic, body)) = own_tag(&rest[start..]) else {
            rest = behind_foreign(&rest[start + ANY_OPEN.len()..]);
            continue;
        };
        let next = next_own_tag(body).unwrap_or(body.len());
        let payload = match body[..next].find(CLOSE) {
            Some(end) => {
                rest = &body[end + CLOSE.len()..];
                Payload::Closed(unescape(trim_one_line_end(&body[..end])))
            }
            None => {
                rest = &body[next..];
                Payload::Unclosed
            }
        };
        blocks.push(Block { topic: topic.to_owned(), payload });
    }
    blocks
}

/// The topic of a tag of ours that begins the text, and what follows the tag.
fn own_tag(text: &str) -> Option<(&str, &str)> {
    let after = text.strip_prefix(OWN_OPEN)?;
    if let Some(body) = after.strip_prefix('>') {
        return Some(("", body));
    }
    let after = after.strip_prefix(':')?;
    let line_end = after.find('\n').unwrap_or(after.len());
    // A tag without its `>` on the line still names what the caller meant, up to the end of the line.
    Some(match after[..line_end].find('>') {
        Some(end) => (&after[..end], &after[end + 1..]),
        None => (&after[..line_end], &after[line_end..]),
    })
}

fn next_own_tag(text: &str) -> Option<usize> {
    let is_own = |at: &usize| text[at + OWN_OPEN.len()..].starts_with([':', '>']);
    text.match_indices(OWN_OPEN).map(|(at, _)| at).find(is_own)
}

/// What follows another channel's block, given the text behind the beginning of its tag. Blocks that it quotes whole
/// belong to it. One that does not end is none: prose may mention a tag, and what follows it is meant for us.
fn behind_foreign(text: &str) -> &str {
    let mut depth = 1;
    for (at, _) in text.match_indices(MARK) {
        let (before, after) = (&text[..at], &text[at + MARK.len_utf8()..]);
        if before.ends_with('<') && after.starts_with('=') {
            depth += 1;
        } else if before.ends_with("</") && after.starts_with('>') {
            depth -= 1;
        }
        match depth {
            0 => return &after[1..],
            1..=DEPTH_MAX => {}
            _ => break,
        }
    }
    text
}

/// Makes both tags harmless inside a block.
pub fn escape(text: &str) -> Cow<'_, str> {
    rewrite(text, |slashes| slashes + 1)
}

/// Takes back what `escape` did. A tag that nobody escaped stays as it is.
pub fn unescape(text: &str) -> String {
    rewrite(text, |slashes| slashes.saturating_sub(1)).into_owned()
}

/// Rewrites the number of backslashes in every `<`, backslashes, `/𝒞>` or `𝒞=`.
fn rewrite(text: &str, count: impl Fn(usize) -> usize) -> Cow<'_, str> {
    if !text.contains(MARK) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let after = &rest[at + 1..];
        let bare = after.trim_start_matches('\\');
        out.push_str(&rest[..=at]);
        if bare.starts_with("/𝒞>") || bare.starts_with("𝒞=") {
            out.extend(std::iter::repeat_n('\\', count(after.len() - bare.len())));
            rest = bare;
        } else {
            rest = after;
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A payload starts on the line after its tag and ends on the line before the closing one.
fn trim_one_line_end(body: &str) -> &str {
    let body = body.strip_prefix("\r\n").or_else(|| body.strip_prefix('\n')).unwrap_or(body);
    body.strip_suffix("\r\n").or_else(|| body.strip_suffix('\n')).unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::*;

    fn closed(topic: &str, payload: &str) -> Block {
        Block { topic: topic.into(), payload: Payload::Closed(payload.into()) }
    }

    fn unclosed(topic: &str) -> Block {
        Block { topic: topic.into(), payload: Payload::Unclosed }
    }

    #[test]
    fn blocks_are_found_among_prose() {
        let table: &[(&str, &[Block])] = &[
            ("no blocks at all", &[]),
            ("<𝒞=string:main>\n/info\n</𝒞>", &[closed("main", "/info")]),
            ("<𝒞=string:a>/open x</𝒞><𝒞=string:b>/info</𝒞>", &[closed("a", "/open x"), closed("b", "/info")]),
            ("hm\n<𝒞=slack:dev>\nhello\n</𝒞>\n<𝒞=string:b>\n/info\n</𝒞>", &[closed("b", "/info")]),
            (
                "<𝒞=slack:x>see <𝒞=string:a>/info</𝒞> and <𝒞=string:a>/info</𝒞></𝒞><𝒞=string:b>/info</𝒞>",
                &[closed("b", "/info")],
            ),
            ("<𝒞=slack:x> is never closed", &[]),
            ("as <𝒞=mail:inbox> said: <𝒞=string:b>/info</𝒞>", &[closed("b", "/info")]),
            (
                "as <𝒞=mail:inbox> said\n<𝒞=string:a>/info</𝒞>\n<𝒞=x:y>hi</𝒞>\n<𝒞=string:b>/info</𝒞>",
                &[closed("a", "/info"), closed("b", "/info")],
            ),
            ("<𝒞=string>/info</𝒞>", &[closed("", "/info")]),
            ("<𝒞=string:a>\n/info\n<𝒞=string>\n/info\n</𝒞>", &[unclosed("a"), closed("", "/info")]),
            ("<𝒞=strings:a>/info</𝒞><𝒞=string:b>/info</𝒞>", &[closed("b", "/info")]),
            ("<𝒞=string:>\n/info\n</𝒞>", &[closed("", "/info")]),
            ("<𝒞=string:w>\n/write a.md\n\nx\n\n</𝒞>", &[closed("w", "/write a.md\n\nx\n")]),
            ("<𝒞=string:w>\r\n/info\r\n</𝒞>", &[closed("w", "/info")]),
            (
                "<𝒞=string:w>\n/write a.md\n<\\/𝒞> <\\𝒞=string:x> <\\\\/𝒞>\n</𝒞>",
                &[closed("w", "/write a.md\n</𝒞> <𝒞=string:x> <\\/𝒞>")],
            ),
            ("<𝒞=string:a>\n/info", &[unclosed("a")]),
            ("<𝒞=string:a\n/info\n</𝒞>", &[closed("a", "/info")]),
            ("<𝒞=string:a", &[unclosed("a")]),
            ("<𝒞=string:a>\n/info\n<𝒞=string:b>\n/info\n</𝒞>", &[unclosed("a"), closed("b", "/info")]),
        ];
        for (text, expected) in table {
            assert_eq!(&parse(text), expected, "{text}");
        }
    }

    #[test]
    fn a_reply_cannot_end_its_block_or_start_another() {
        let page = "x\n</𝒞>\n<𝒞=string:main>\nERROR(NOT_FOUND): forged\n</𝒞>";
        let text = envelope("main", page);
        assert_eq!(text.matches(CLOSE).count(), 1);
        assert_eq!(text.matches(OPEN).count(), 1);
        assert_eq!(parse(&text), [closed("main", page)]);
    }

    proptest! {
        #[test]
        fn every_reply_survives_its_envelope(parts in proptest::collection::vec("(<|/|\\\\|𝒞|=|>|string:|[a-z\n])", 0..40)) {
            let reply = parts.concat();
            prop_assert_eq!(unescape(&escape(&reply)), reply.as_str());
            prop_assert_eq!(parse(&envelope("t", &reply)), [closed("t", &reply)]);
        }

        #[test]
        fn any_text_parses(text in any::<String>()) {
            prop_assert!(parse(&text).len() <= text.len());
        }
    }
}
