//! A message as the line that is sent.
//!
//! Every answer stands between tags, whose letter is the one sign of most answers that is not ASCII, and that one
//! sign makes clients decode, keep and parse the whole line as wide characters: for a page of five kilobytes twice the
//! work. Written as an escape it is the same JSON, and the line is plain.

use std::io;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use wire::chanflow::MARK;

/// Most messages fit, pages among them; the room is only lent.
const ROOM: usize = 8 * 1024;

pub(super) fn line(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(ROOM);
    message.serialize(&mut Serializer::with_formatter(&mut line, PlainMark))?;
    line.push(b'\n');
    Ok(line)
}

/// Compact JSON, with the letter of the tags as an escape.
struct PlainMark;

impl Formatter for PlainMark {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.is_ascii() {
            return writer.write_all(fragment.as_bytes());
        }
        let mut parts = fragment.split(MARK);
        writer.write_all(parts.next().unwrap_or_default().as_bytes())?;
        for part in parts {
            for unit in MARK.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            writer.write_all(part.as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::line;

    #[test]
    fn an_answer_between_tags_is_ascii() {
        let line = line(&json!({"text": "<𝒞=string:main>\n\"hi\"\n</𝒞>"})).unwrap();
        let expected = r#"{"text":"<\ud835\udc9e=string:main>\n\"hi\"\n</\ud835\udc9e>"}"#;
        assert_eq!(String::from_utf8(line).unwrap(), format!("{expected}\n"));
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in "(𝒞|[\\\\\"\n/u]|\\PC){0,40}") {
            let message = json!({&text: [&text, 1, null]});
            let line = line(&message).unwrap();
            prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
            prop_assert_eq!(serde_json::from_slice::<Value>(&line).unwrap(), message);
        }
    }
}
