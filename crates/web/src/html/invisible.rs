//! Characters that nobody sees: they hide messages, reorder text, or break words.

use std::borrow::Cow;

/// `text` without them. Joiners stay where scripts and emoji need them.
pub(crate) fn without_invisible(text: &str) -> Cow<'_, str> {
    // Nothing to do for ASCII without control characters, which is nearly all text.
    if text.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | 0x20..=0x7e)) {
        return Cow::Borrowed(text);
    }
    if !text.chars().any(is_suspect) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let before = clean.chars().next_back();
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' | '\u{2028}' | '\u{2029}' => clean.push('\n'),
            JOINER | NON_JOINER => {
                let joins =
                    before.is_some_and(can_be_joined) && rest.peek().copied().is_some_and(can_be_joined);
                if joins {
                    clean.push(c);
                }
            }
            // One selector after a visible character picks a glyph; rows of them carry bytes.
            '\u{fe0e}' | '\u{fe0f}' if before.is_some_and(|before| !is_selector(before) && before > ' ') => {
                clean.push(c);
            }
            c if is_suspect(c) => {}
            c => clean.push(c),
        }
    }
    Cow::Owned(clean)
}

const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Letters of scripts that join, and emoji with their selectors and skin tones.
fn can_be_joined(c: char) -> bool {
    (c > '\u{590}' && c.is_alphabetic())
        || matches!(c, '\u{900}'..='\u{dff}' | '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether a character is dropped, or kept only in company.
pub(crate) fn is_suspect(c: char) -> bool {
    match c {
        '\t' | '\n' => false,
        c if c.is_control() => true,
        // Soft hyphen, grapheme joiner, Arabic letter mark, fillers, the Mongolian separator.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{180b}'..='\u{180f}' => true,
        // Zero-width characters and direction marks; direction overrides and isolates; invisible operators.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        // Private use: icon fonts, and whatever a page wants them to mean.
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => true,
        // Tag characters and variation selectors.
        '\u{e0000}'..='\u{e0fff}' => true,
        c => is_selector(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_go_and_writing_stays() {
        let cases = [
            ("plain", "plain"),
            ("tab\tand\nline", "tab\tand\nline"),
            ("a\u{200b}b\u{2060}c\u{feff}", "abc"),
            ("user\u{202e}cod.exe\u{202c}", "usercod.exe"),
            ("\u{2066}x\u{2069}\u{200e}\u{200f}\u{61c}", "x"),
            ("hi\u{e0049}\u{e0067}\u{e006e}", "hi"),
            ("a\u{200d}b\u{200c}c", "abc"),
            ("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}"),
            ("\u{2764}\u{fe0f}\u{200d}\u{1f525}", "\u{2764}\u{fe0f}\u{200d}\u{1f525}"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("می\u{200c}\u{200c}\u{200d}خواهم", "می\u{200d}خواهم"),
            ("क्\u{200d}ष", "क्\u{200d}ष"),
            ("x\u{fe00}\u{fe01}\u{fe0f}\u{fe0f}\u{e0100}", "x\u{fe0f}"),
            ("soft\u{ad}hyphen", "softhyphen"),
            ("\u{1b}[31mred\u{7}\0\u{9b}", "[31mred"),
            ("a\r\nb\rc\u{2028}d", "a\nb\nc\nd"),
            ("\u{e001}icon\u{f0001}", "icon"),
            ("漢字 ไทย العربية עברית Ελληνικά", "漢字 ไทย العربية עברית Ελληνικά"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_invisible(text), expected, "{text:?}");
        }
    }
}
