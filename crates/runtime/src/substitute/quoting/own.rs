//! Which names a command line sets itself: they belong to the shell.

use std::collections::BTreeSet;

use sfmd::{Piece, Template, is_variable_name};

/// Names that the line gives a value itself: `NAME=…`, `for NAME in`, `read NAME`. They belong to the shell.
pub(in super::super) fn assigned_names(template: &Template) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut before = Before::Command;
    for word in words(&literal(template)) {
        let name = word.split(['=', '+', '[']).next().unwrap_or_default();
        let assigns = is_variable_name(name) && word[name.len()..].contains('=');
        let names_it = matches!(before, Before::Loop | Before::Read) && is_variable_name(&word);
        if assigns || names_it {
            names.insert(name.to_owned());
        }
        before = match (word.as_str(), before) {
            ("for" | "select", _) => Before::Loop,
            ("read" | "mapfile" | "readarray", _) => Before::Read,
            (SEPARATOR, _) => Before::Command,
            (_, Before::Read) => Before::Read,
            _ => Before::Command,
        };
    }
    names
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Command,
    Loop,
    Read,
}

/// Between commands of a line.
const SEPARATOR: &str = ";";

/// The author's text, with a mark that is part of no name where a value stands.
fn literal(template: &Template) -> String {
    let part = |piece: &Piece| match piece {
        Piece::Text(text) | Piece::Braces(text) => text.clone(),
        _ => "\u{1}".to_owned(),
    };
    template.pieces.iter().map(part).collect()
}

fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars() {
        match c {
            ';' | '|' | '&' | '\n' | '(' | ')' | '`' => {
                words.extend([SEPARATOR.to_owned(), String::new()]);
            }
            c if c.is_whitespace() => words.push(String::new()),
            c => words.last_mut().expect("never empty").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use sfmd::Dialect;

    use super::*;

    #[test]
    fn names_that_the_line_sets_belong_to_the_shell() {
        let names = |text: &str| {
            let names = assigned_names(&Template::parse(text, Dialect::Shell));
            names.into_iter().collect::<Vec<_>>().join(" ")
        };
        let table = [
            ("for f in *; do echo $f; done", "f"),
            ("A=1 B+=2; export C=$A; echo $C", "A B C"),
            ("read -r x y; echo $x", "x y"),
            ("x=$(date); echo $API_KEY", "x"),
            ("echo a=b {name} $API_KEY", "a"),
            ("cat | while read line; do echo $line; done", "line"),
            ("echo $HOME", ""),
        ];
        for (text, expected) in table {
            assert_eq!(names(text), expected, "{text}");
        }
    }
}
