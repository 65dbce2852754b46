//! What becomes of a text: a body put in place of a part of it, or at its end.

use super::Part;
use super::lines::{LineEnd, Lines, ended, without_mark};
use crate::error::Result;

/// Where a body goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    InPlaceOf(Part),
    AtTheEnd,
}

/// A new file: the body as it is, with its last line ended.
pub fn create(body: &str) -> String {
    let end = LineEnd::of(body).unwrap_or(LineEnd::Lf);
    if body.ends_with('\n') { body.to_owned() } else { format!("{body}{}", end.as_str()) }
}

/// The text with the body in it, which takes on the line ends of the text. All else stays, byte for byte.
pub fn apply(before: &str, spot: &Spot, body: &str, shown: &str) -> Result<String> {
    let (mark, text) = without_mark(before);
    let (_, body) = without_mark(body);
    let body = match LineEnd::of(text) {
        Some(end) => ended(body, end),
        None => create(body),
    };
    let after = match spot {
        Spot::InPlaceOf(Part::Whole) => body,
        Spot::InPlaceOf(part) => {
            let range = Lines::of(text).bytes(&part.lines(text, shown)?);
            format!("{}{body}{}", &text[..range.start], &text[range.end..])
        }
        Spot::AtTheEnd => {
            let open = !text.is_empty() && !text.ends_with(['\n', '\r']);
            let between = if open { LineEnd::of(text).unwrap_or(LineEnd::Lf).as_str() } else { "" };
            format!("{text}{between}{body}")
        }
    };
    Ok(format!("{mark}{after}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::edit::{LineRange, Undo};

    const BLOCKS: &str = "---\nt: 1\n---\n# A\n<!-- #b -->\nold\n<!-- /b -->\n<!-- #e -->\n<!-- /e -->\nend";

    fn block(id: &str) -> Spot {
        Spot::InPlaceOf(Part::Block(id.to_owned()))
    }

    fn lines(first: usize, last: usize) -> Spot {
        Spot::InPlaceOf(Part::Lines(LineRange { first, last }))
    }

    #[test]
    fn a_body_takes_its_place() {
        let whole = || Spot::InPlaceOf(Part::Whole);
        let table: &[(&str, Spot, &str, &str)] = &[
            (BLOCKS, block("b"), "new", &BLOCKS.replace("old", "new")),
            (BLOCKS, block("b"), "new\n", &BLOCKS.replace("old", "new")),
            (BLOCKS, block("e"), "$& \\1", &BLOCKS.replace("<!-- /e", "$& \\1\n<!-- /e")),
            (BLOCKS, lines(10, 10), "x", &BLOCKS.replace("\nend", "\nx\n")),
            ("a\nb\nc\n", lines(2, 2), "1\n2", "a\n1\n2\nc\n"),
            ("a\nb\nc\n", lines(1, 3), "\n", "\n"),
            ("a\r\nb\r\n", lines(1, 1), "x\ny", "x\r\ny\r\nb\r\n"),
            ("a\r\nb\r\n", Spot::AtTheEnd, "c\nd", "a\r\nb\r\nc\r\nd\r\n"),
            ("a\r\nb\r\n", whole(), "x\n", "x\r\n"),
            ("a\nb\n", whole(), "x\r\ny\r\n", "x\ny\n"),
            ("a", Spot::AtTheEnd, "b", "a\nb\n"),
            ("a\r\nb", Spot::AtTheEnd, "c", "a\r\nb\r\nc\r\n"),
            ("a\n", Spot::AtTheEnd, "b\n\n", "a\nb\n\n"),
            ("", Spot::AtTheEnd, "b", "b\n"),
            ("", whole(), "b\r\nc", "b\r\nc\r\n"),
            ("\u{feff}a\nb\n", lines(1, 1), "x", "\u{feff}x\nb\n"),
            ("\u{feff}a\n", whole(), "\u{feff}x", "\u{feff}x\n"),
            ("\u{feff}", Spot::AtTheEnd, "x", "\u{feff}x\n"),
            ("a\rb\rc", lines(2, 2), "x", "a\rx\nc"),
        ];
        for (before, spot, body, expected) in table {
            let after = apply(before, spot, body, "~/x").unwrap();
            assert_eq!(&after, expected, "{before:?} {spot:?} {body:?}");
        }
    }

    #[test]
    fn a_new_file_is_the_body() {
        for (body, expected) in [("a", "a\n"), ("a\r\nb", "a\r\nb\r\n"), ("\u{feff}a\n", "\u{feff}a\n")] {
            assert_eq!(create(body), expected);
        }
    }

    proptest! {
        #[test]
        fn replacing_lines_touches_nothing_else(
            before in "\u{feff}?([a-c<# ]{0,3}(\n|\r\n|\r)){1,8}[ab]{0,2}",
            body in "([a-z$&\\\\]{1,4}\r?\n{0,2}){1,5}",
            place in any::<(usize, usize)>(),
        ) {
            let (mark, text) = without_mark(&before);
            let spans = Lines::of(text);
            let first = place.0 % spans.count() + 1;
            let last = first + place.1 % (spans.count() + 1 - first);
            let after = apply(&before, &lines(first, last), &body, "~/x").unwrap();
            let range = spans.bytes(&(first..last + 1));
            let start = format!("{mark}{}", &text[..range.start]);
            prop_assert!(after.starts_with(&start));
            prop_assert!(after[start.len()..].ends_with(&text[range.end..]));
            let middle = &after[start.len()..after.len() - (text.len() - range.end)];
            prop_assert!(middle.ends_with('\n'));
            let plain = |text: &str| text.replace("\r\n", "\n").trim_end_matches(['\n', '\r']).to_owned();
            prop_assert_eq!(plain(middle), plain(&body));
        }

        #[test]
        fn a_text_with_carriage_returns_keeps_them(
            before in "([a-c]{0,3}\r\n){1,8}",
            body in "([a-z]{0,4}\r?\n?){1,5}",
            which in 0..3_usize,
        ) {
            let spot = [Spot::InPlaceOf(Part::Whole), Spot::AtTheEnd, lines(1, 1)][which].clone();
            let after = apply(&before, &spot, &body, "~/x").unwrap();
            prop_assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
        }

        #[test]
        fn what_was_applied_can_be_undone(
            before in "\u{feff}?([a-cé]{0,3}(\n|\r\n)?){0,8}",
            body in "([a-cé]{0,3}\n?){1,5}",
            which in 0..3_usize,
        ) {
            let spot = [Spot::InPlaceOf(Part::Whole), Spot::AtTheEnd, lines(1, 1)][which].clone();
            let Ok(after) = apply(&before, &spot, &body, "~/x") else { return Ok(()) };
            let undo = Undo::of("/x".into(), Some(before.as_bytes()), after.as_bytes());
            prop_assert_eq!(undo.revert(after.as_bytes()), Some(Some(before.into_bytes())));
        }
    }
}
