//! A message as the line that is sent.
//!
//! Every answer stands between tags, whose letter is the one sign of most answers that is not ASCII, and that one
//! sign makes clients decode, keep and parse the whole line as wide characters: for a page of five kilobytes twice the
//! work. Written as an escape it is the same JSON, and the line is plain.
//!
//! `serde_json` looks at a text byte by byte, which for a page takes longer than all the rest of its message. So the
//! page is taken out of its message, escaped many bytes at a time, and written where it stood.

use std::{io, mem};

use rmcp::RoleServer;
use rmcp::model::{ContentBlock, JsonRpcMessage, ServerResult};
use rmcp::service::TxJsonRpcMessage;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use wire::chanflow::MARK;

const ESCAPED_MARK: &[u8] = br"\ud835\udc9e";

/// Most messages fit, pages among them; the room is only lent.
const ROOM: usize = 8 * 1024;

/// As much of a page is escaped at once: room is taken for six times its length.
const PIECE: usize = 2 * 1024;

/// What stands for the page until it is written. JSON never has it as it is.
const STAND_IN: u8 = 0;

pub(super) fn line(mut message: TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    // Of an empty text nothing would be written.
    let page = page_of(&mut message).map(|text| (mem::replace(text, "-".to_owned()), text.as_ptr()));
    let room = page.as_ref().map_or(ROOM, |(page, _)| page.len() + 7 * PIECE);
    let mut line = Vec::with_capacity(room);
    let plain = Plain { stand_in: page.as_ref().map(|(_, place)| *place) };
    message.serialize(&mut Serializer::with_formatter(&mut line, plain))?;
    if let (Some((page, _)), Some(at)) = (page, memchr::memchr(STAND_IN, &line)) {
        let after = line.split_off(at + 1);
        line.truncate(at);
        escape_into(&mut line, &page);
        line.extend_from_slice(&after);
    }
    line.push(b'\n');
    Ok(line)
}

/// The text of an answer.
fn page_of(message: &mut TxJsonRpcMessage<RoleServer>) -> Option<&mut String> {
    let JsonRpcMessage::Response(response) = message else { return None };
    let ServerResult::CallToolResult(result) = &mut response.result else { return None };
    let [ContentBlock::Text(content)] = &mut *result.content else { return None };
    Some(&mut content.text)
}

fn escape_into(line: &mut Vec<u8>, text: &str) {
    for (index, mut rest) in text.split(MARK).enumerate() {
        if index > 0 {
            line.extend_from_slice(ESCAPED_MARK);
        }
        while !rest.is_empty() {
            let (piece, next) = rest.split_at(rest.floor_char_boundary(PIECE));
            // It comes with quotes: the first over the byte that is last so far, and is put back.
            let last = line.pop();
            let at = line.len();
            json_escape_simd::escape_into(piece, line);
            line.pop();
            last.into_iter().for_each(|last| line[at] = last);
            rest = next;
        }
    }
}

/// Compact JSON, with the letter of the tags as an escape.
struct Plain {
    /// Where the text stands that was left in place of a page: no other text of the message can stand there.
    stand_in: Option<*const u8>,
}

impl Formatter for Plain {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if self.stand_in == Some(fragment.as_ptr()) {
            return writer.write_all(&[STAND_IN]);
        }
        if fragment.is_ascii() {
            return writer.write_all(fragment.as_bytes());
        }
        let mut parts = fragment.split(MARK);
        writer.write_all(parts.next().unwrap_or_default().as_bytes())?;
        for part in parts {
            writer.write_all(ESCAPED_MARK)?;
            writer.write_all(part.as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rmcp::model::{CallToolResult, ErrorData, RequestId};
    use serde_json::Value;

    use super::*;

    fn answer(content: Vec<ContentBlock>) -> TxJsonRpcMessage<RoleServer> {
        let result = ServerResult::CallToolResult(CallToolResult::success(content));
        JsonRpcMessage::response(result, RequestId::Number(1))
    }

    fn texts(texts: &[&str]) -> Vec<ContentBlock> {
        texts.iter().map(|text| ContentBlock::text(*text)).collect()
    }

    #[test]
    fn the_escape_is_the_letter_of_the_tags() {
        let units =
            MARK.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
        assert_eq!(units.as_bytes(), ESCAPED_MARK);
    }

    #[test]
    fn an_answer_between_tags_is_ascii() {
        let line = line(answer(texts(&["<𝒞=string:main>\n\"hi\"\n</𝒞>"]))).unwrap();
        let expected = r#""text":"<\ud835\udc9e=string:main>\n\"hi\"\n</\ud835\udc9e>""#;
        let line = String::from_utf8(line).unwrap();
        assert!(line.is_ascii() && line.contains(expected) && line.ends_with('\n'), "{line}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_message_is_the_same_json(text in "(𝒞|[\\\\\"\n/u-]|\\PC|\\pC){0,40}", times in 1..3_000_usize) {
            let long = text.repeat(times);
            for message in [
                answer(texts(&[&text])),
                answer(texts(&[&long])),
                answer(texts(&[&text, "-"])),
                answer(vec![]),
                JsonRpcMessage::error(ErrorData::internal_error(text.clone(), None), Some(RequestId::Number(1))),
            ] {
                let expected = serde_json::to_value(&message).unwrap();
                let line = line(message).unwrap();
                prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
                prop_assert_eq!(serde_json::from_slice::<Value>(&line).unwrap(), expected);
            }
        }
    }
}
