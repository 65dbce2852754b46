//! The engine's texts as ours: half of a surrogate pair, which UTF-8 cannot write, becomes U+FFFD.

use rquickjs::String as EngineText;

/// A text of the engine.
pub(super) fn of(text: &EngineText<'_>) -> Option<String> {
    // Most texts are whole; the engine writes halves only where it writes JSON.
    let lossy = || {
        let json = text.ctx().json_stringify(text.clone()).ok()??.to_string().ok()?;
        serde_json::from_str(&whole(json)).ok()
    };
    text.to_string().ok().or_else(lossy)
}

/// JSON as the engine writes it: whole pairs as characters, and only halves as escapes.
pub(super) fn whole(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut whole = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at..];
        whole.push_str(&rest[..at]);
        let is_half =
            escape.starts_with("\\ud") && matches!(escape.as_bytes().get(3), Some(b'8'..=b'9' | b'a'..=b'f'));
        // Other escapes are two bytes, or begin with two that the rest may follow unread.
        let (written, length) = if is_half { ("\u{fffd}", "\\ud83d".len()) } else { (&escape[..2], 2) };
        whole.push_str(written);
        rest = escape.get(length..).unwrap_or_default();
    }
    whole.push_str(rest);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_of_pairs_are_replaced() {
        for (json, expected) in [
            (r#""plain é 😀""#, r#""plain é 😀""#),
            (r#""a\ud83d""#, "\"a\u{fffd}\""),
            (
                r#"{"\udc00":["\ud800\ud800","\udfff!"]}"#,
                "{\"\u{fffd}\":[\"\u{fffd}\u{fffd}\",\"\u{fffd}!\"]}",
            ),
            (r#""\\ud83d \\\ud83d""#, "\"\\\\ud83d \\\\\u{fffd}\""),
            (r#""\ud7ff \u0007 \n \" \ud83d""#, "\"\\ud7ff \\u0007 \\n \\\" \u{fffd}\""),
        ] {
            assert_eq!(whole(json.to_owned()), expected);
        }
    }
}
