//! Input for a shell that is being typed: its last word, and names as the shell reads them.

/// What may stand in a name without a backslash before it.
const PLAIN: &str = "_-./,:@%+";

/// The unfinished word at the end of a command line, if it may be the name of a file: words between quotes and the
/// names of commands are not.
pub(super) fn file_word(text: &str) -> Option<&str> {
    let (mut start, mut names_command) = (0, true);
    let mut quote = None;
    let mut was_quoted = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None | Some('"'), '\\') => drop(chars.next()),
            (Some(_), _) => {}
            (None, '"' | '\'') => (quote, was_quoted) = (Some(c), true),
            (None, _) if c.is_whitespace() || ";|&()<>=".contains(c) => {
                let ends_command = matches!(c, '\n' | ';' | '|' | '&' | '(');
                let was_blank = start == at;
                names_command = ends_command || (names_command && was_blank && c.is_whitespace());
                (start, was_quoted) = (at + c.len_utf8(), false);
            }
            (None, _) => {}
        }
    }
    let word = &text[start..];
    let is_name = quote.is_none() && !was_quoted && (!names_command || word.contains('/'));
    is_name.then_some(word)
}

/// A word without its backslashes.
pub(super) fn read(word: &str) -> String {
    let mut text = String::new();
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        text.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    text
}

/// A name as one word; none if no backslash makes it one.
pub(super) fn write(name: &str) -> Option<String> {
    let mut word = String::new();
    for c in name.chars() {
        if c.is_control() {
            return None;
        }
        if c.is_ascii() && !c.is_ascii_alphanumeric() && !PLAIN.contains(c) {
            word.push('\\');
        }
        word.push(c);
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_may_be_a_file() {
        for (text, word) in [
            ("cat not", Some("not")),
            ("cat ", Some("")),
            ("cat a b/c", Some("b/c")),
            ("cat My\\ no", Some("My\\ no")),
            ("cat 'a b' c", Some("c")),
            ("cat \"it's \\\"\" c", Some("c")),
            ("cat <in", Some("in")),
            ("make x >out", Some("out")),
            ("dd if=dis", Some("dis")),
            ("true && cat x", Some("x")),
            ("true\ncat x", Some("x")),
            ("./scr", Some("./scr")),
            ("/us", Some("/us")),
            ("  ./scr", Some("./scr")),
            ("true; ./scr", Some("./scr")),
            ("", None),
            ("ca", None),
            ("  ca", None),
            ("true; ca", None),
            ("ls | wc", None),
            ("cat 'My no", None),
            ("cat 'a'b", None),
            ("echo it's", None),
        ] {
            assert_eq!(file_word(text), word, "{text}");
        }
    }

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for name in ["notes.md", "My notes", "a'b\"c$d`e", "~x", "*", "ä=ö", "a\\b", "#1 & 2"] {
            let word = write(name).unwrap();
            assert_eq!(read(&word), name);
            assert_eq!(file_word(&format!("cat {word}")), Some(word.as_str()), "{word}");
        }
        assert_eq!(write("My notes").unwrap(), "My\\ notes");
        assert_eq!(write("a\nb"), None);
    }
}
