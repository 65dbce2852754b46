//! Cutting a text into pieces, in one pass.

use super::{Dialect, Filter, Path, Piece, Placeholder, Template, UnknownFilter};
use crate::id::Id;

pub(super) fn template(text: &str, dialect: Dialect, unknown_filters: &mut Vec<UnknownFilter>) -> Template {
    let mut pieces = Pieces::default();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '$']) {
        pieces.text(&rest[..at]);
        let is_escaped = ends_with_escape(&rest[..at]);
        rest = &rest[at..];
        let (piece, length) = match rest.as_bytes()[0] {
            b'{' => brace(rest, dialect, unknown_filters),
            _ if dialect == Dialect::Output => (None, 1),
            _ => dollar(rest, dialect, is_escaped),
        };
        match piece {
            Some(_) if is_escaped && rest.starts_with('{') => pieces.braces(&rest[..length]),
            Some(piece) => pieces.piece(piece),
            None => pieces.text(&rest[..length]),
        }
        rest = &rest[length..];
    }
    pieces.text(rest);
    pieces.finish()
}

pub(super) fn whole_placeholder(text: &str) -> Option<Placeholder> {
    leading_placeholder(text).filter(|(_, rest)| rest.is_empty()).map(|(placeholder, _)| placeholder)
}

pub(super) fn leading_placeholder(text: &str) -> Option<(Placeholder, &str)> {
    match placeholder(text.strip_prefix('{')?) {
        Read::Placeholder(placeholder, rest) => Some((placeholder, rest)),
        Read::UnknownFilter(_) | Read::Text => None,
    }
}

/// A piece and how long it is; without a piece, how much is text for certain.
fn brace(text: &str, dialect: Dialect, unknown_filters: &mut Vec<UnknownFilter>) -> (Option<Piece>, usize) {
    if let Some(name) = text.strip_prefix("{@").filter(|_| dialect == Dialect::Output) {
        let end =
            name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(name.len());
        return match Id::parse(&name[..end]).filter(|_| name[end..].starts_with('}')) {
            Some(id) => (Some(Piece::Shortcut(id)), end + 3),
            None => (None, 2),
        };
    }
    match placeholder(&text[1..]) {
        Read::Placeholder(placeholder, rest) => (Some(Piece::Value(placeholder)), text.len() - rest.len()),
        Read::UnknownFilter(name) => {
            unknown_filters.push(name);
            (None, 1)
        }
        Read::Text => (None, 1),
    }
}

/// Whether a backslash stands there that is not itself escaped.
fn ends_with_escape(text: &str) -> bool {
    (text.len() - text.trim_end_matches('\\').len()) % 2 == 1
}

fn dollar(text: &str, dialect: Dialect, is_escaped: bool) -> (Option<Piece>, usize) {
    let after = &text[1..];
    if dialect == Dialect::Shell && after.starts_with('{') {
        return (None, 2);
    }
    // To a shell this is a dollar sign, backslash and all.
    if dialect == Dialect::Shell && is_escaped {
        return (None, 1);
    }
    if after.starts_with('$') {
        return (Some(Piece::Dollar), 2);
    }
    let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
    if end == 0 || after.as_bytes()[0].is_ascii_digit() {
        return (None, 1);
    }
    (Some(Piece::Env(after[..end].to_owned())), 1 + end)
}

enum Read<'a> {
    /// With what follows its closing brace.
    Placeholder(Placeholder, &'a str),
    UnknownFilter(UnknownFilter),
    Text,
}

/// Reads what follows an opening brace.
fn placeholder(text: &str) -> Read<'_> {
    let Some((path, mut rest)) = Path::parse_start(text) else { return Read::Text };
    let mut filters = Vec::new();
    let mut unknown = None;
    while let Some(after) = rest.strip_prefix('|') {
        let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        match Filter::parse(name) {
            Some(filter) => filters.push(filter),
            None => unknown = unknown.or(Some(name)),
        }
        rest = after;
    }
    match (rest.strip_prefix('}'), unknown) {
        (Some(_), Some(filter)) => {
            Read::UnknownFilter(UnknownFilter { root: path.root, filter: filter.to_owned() })
        }
        (Some(rest), None) => Read::Placeholder(Placeholder { path, filters }, rest),
        (None, _) => Read::Text,
    }
}

#[derive(Default)]
struct Pieces {
    done: Vec<Piece>,
    text: String,
}

impl Pieces {
    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Braces that a backslash makes text: it goes.
    fn braces(&mut self, text: &str) {
        self.text.pop();
        self.piece(Piece::Braces(text.to_owned()));
    }

    fn piece(&mut self, piece: Piece) {
        self.flush();
        self.done.push(piece);
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.done.push(Piece::Text(std::mem::take(&mut self.text)));
        }
    }

    fn finish(mut self) -> Template {
        self.flush();
        Template { pieces: self.done }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Placeholders between angle quotes, text as it is.
    fn show(text: &str, dialect: Dialect) -> String {
        let pieces = Template::parse(text, dialect).pieces;
        let show = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Value(placeholder) => format!("‹{placeholder}›"),
            Piece::Env(name) => format!("‹${name}›"),
            Piece::Dollar => "‹$$›".to_owned(),
            Piece::Shortcut(name) => format!("‹@{name}›"),
            Piece::Braces(text) => format!("‹text {text}›"),
        };
        pieces.iter().map(show).collect()
    }

    #[test]
    fn each_dialect_knows_its_placeholders() {
        let cases = [
            (
                "GET /x/{user}?k=$API_KEY",
                "GET /x/‹{user}›?k=‹$API_KEY›",
                "GET /x/‹{user}›?k=‹$API_KEY›",
                "GET /x/‹{user}›?k=$API_KEY",
            ),
            (
                "{\"q\": \"{name}\"}",
                "{\"q\": \"‹{name}›\"}",
                "{\"q\": \"‹{name}›\"}",
                "{\"q\": \"‹{name}›\"}",
            ),
            (
                "${x} $1 $? $(ls) $$",
                "$‹{x}› $1 $? $(ls) ‹$$›",
                "${x} $1 $? $(ls) ‹$$›",
                "$‹{x}› $1 $? $(ls) $$",
            ),
            ("[{@item}] {@Bad} {@", "[{@item}] {@Bad} {@", "[{@item}] {@Bad} {@", "[‹@item›] {@Bad} {@"),
            (
                "{photo|base64file|urlencode}",
                "‹{photo|base64file|urlencode}›",
                "‹{photo|base64file|urlencode}›",
                "‹{photo|base64file|urlencode}›",
            ),
            (
                "{a|b} { a } {a,b} {print $1} {} {{a}}",
                "{a|b} { a } {a,b} {print $1} {} {‹{a}›}",
                "{a|b} { a } {a,b} {print $1} {} {‹{a}›}",
                "{a|b} { a } {a,b} {print $1} {} {‹{a}›}",
            ),
            ("{a[\"x}\"].b[0]}", "‹{a[\"x}\"].b[0]}›", "‹{a[\"x}\"].b[0]}›", "‹{a[\"x}\"].b[0]}›"),
        ];
        for (text, definition, shell, output) in cases {
            assert_eq!(show(text, Dialect::Definition), definition);
            assert_eq!(show(text, Dialect::Shell), shell);
            assert_eq!(show(text, Dialect::Output), output);
        }
    }

    #[test]
    fn a_backslash_makes_a_placeholder_text() {
        let cases = [
            (r"awk '\{print}'", "awk '‹text {print}›'", "awk '‹text {print}›'", "awk '‹text {print}›'"),
            (r"\{a.b[0]|json}", "‹text {a.b[0]|json}›", "‹text {a.b[0]|json}›", "‹text {a.b[0]|json}›"),
            (r"\{@e}", r"\{@e}", r"\{@e}", "‹text {@e}›"),
            (r"\\{a} \\\{a}", r"\\‹{a}› \\‹text {a}›", r"\\‹{a}› \\‹text {a}›", r"\\‹{a}› \\‹text {a}›"),
            (r"a\{3\} \{n,m} \{", r"a\{3\} \{n,m} \{", r"a\{3\} \{n,m} \{", r"a\{3\} \{n,m} \{"),
            (r"\$A \\$A \$$A", r"\‹$A› \\‹$A› \‹$$›A", r"\$A \\‹$A› \$‹$A›", r"\$A \\$A \$$A"),
            (r"\${a}", r"\$‹{a}›", r"\${a}", r"\$‹{a}›"),
        ];
        for (text, definition, shell, output) in cases {
            assert_eq!(show(text, Dialect::Definition), definition);
            assert_eq!(show(text, Dialect::Shell), shell);
            assert_eq!(show(text, Dialect::Output), output);
        }
    }

    #[test]
    fn a_template_is_shown_as_it_was_written() {
        let text = r"a {b.c[0]|json} $D $$ {@e} \{f} \\{g} {x";
        assert_eq!(Template::parse(text, Dialect::Definition).to_string(), text);
        assert_eq!(Template::parse(text, Dialect::Output).to_string(), text);
    }

    #[test]
    fn a_placeholder_may_be_the_start_of_a_text() {
        let start = |text| leading_placeholder(text).map(|(found, rest)| (found.to_string(), rest));
        assert_eq!(start("{a[\"x y\"].b|json} c"), Some(("{a[\"x y\"].b|json}".to_owned(), " c")));
        assert_eq!(start("{a}{b}"), Some(("{a}".to_owned(), "{b}")));
        for text in ["", "a {b}", "{a", "{a|rot13}", "{\"a\": 1}"] {
            assert_eq!(start(text), None, "{text}");
        }
    }

    #[test]
    fn unknown_filters_are_named() {
        let mut unknown = Vec::new();
        Template::parse_noting("{a|rot13} {b|json} {c|}", Dialect::Output, &mut unknown);
        assert_eq!(unknown.iter().map(|unknown| unknown.filter.as_str()).collect::<Vec<_>>(), ["rot13", ""]);
    }
}
