//! Long views: cutting to a budget, going on from a line, the outline.

use sfmd::{Inclusion, Origin, Page, Position, Source, parse, size_label};

fn page(source: &str) -> Page {
    Page::compose(Source::new(Origin::new("~/page.md"), parse(source)))
}

/// The text, and `bytes@position` of what is left.
fn window(page: &Page, from: Option<usize>, budget: usize) -> Option<(String, String)> {
    let view = page.view();
    let window = view.window(from.map(Position::line), budget)?;
    let rest = window.rest.map_or(String::new(), |rest| format!("{}@{}", rest.bytes, rest.next));
    Some((window.text.to_owned(), rest))
}

#[track_caller]
fn check(page: &Page, from: Option<usize>, budget: usize, text: &str, rest: &str) {
    assert_eq!(window(page, from, budget), Some((text.to_owned(), rest.to_owned())));
}

#[test]
fn a_cut_falls_between_blocks() {
    let page = page(
        "---\ntitle: x\n---\n# One\n\nfirst paragraph\nof two lines\n\n```\ncode\n\ncode\n```\n\nlast\n",
    );
    check(&page, None, 1000, page.view().text(), "");
    check(&page, None, 50, "# One\n\nfirst paragraph\nof two lines", "24@L9");
    check(&page, Some(9), 1000, "```\ncode\n\ncode\n```\n\nlast", "");
    check(&page, Some(10), 1000, "code\n\ncode\n```\n\nlast", "");
    check(&page, None, 37, "# One\n\nfirst paragraph\nof two lines", "24@L9");
    check(&page, None, 30, "# One\n\nfirst paragraph", "38@L7");
    check(&page, Some(6), 20, "first paragraph", "38@L7");
    check(&page, Some(6), 5, "first", "49@L6+5");
    check(&page, Some(15), 100, "last", "");
    check(&page, Some(15), 2, "la", "2@L15+2");
    assert_eq!(window(&page, Some(16), 100), None);
    assert_eq!(window(&page, Some(0), 1000).map(|(text, _)| text).as_deref(), Some(page.view().text()));
}

#[test]
fn long_lists_are_cut_between_items() {
    let list: String = (1..=9).map(|at| format!("- item {at}\n")).collect();
    let page = page(&format!("# L\n\n{list}"));
    check(&page, None, 50, "# L\n\n- item 1\n- item 2\n- item 3\n- item 4\n- item 5", "35@L8");
}

#[test]
fn a_heading_goes_with_what_is_below_it() {
    let text = "Enough of a paragraph to be shown.";
    for headings in ["## Two", "## Two\n\n### Three", "Two\n===", "> ## Two\n>\n> ### Three"] {
        let page = page(&format!("# One\n\n{text}\n\n{headings}\n\n{text}\n"));
        let rest = format!("{headings}\n\n{text}");
        // All the headings fit, and what is below them does not.
        let budget = 43 + headings.len() + 5;
        check(&page, None, budget, &format!("# One\n\n{text}"), &format!("{}@L5", rest.len()));
        check(&page, Some(5), 1000, &rest, "");
    }
    // Nothing but headings fits.
    check(&page("# One\n\n## Two\n\nthree\n"), None, 15, "# One\n\n## Two", "5@L5");
}

/// All windows of a page, one after the other.
fn windows(page: &Page, budget: usize) -> Vec<String> {
    let view = page.view();
    let (mut from, mut all) = (None, Vec::new());
    loop {
        let window = view.window(from, budget).expect("something to show");
        assert!(window.text.len() <= budget && !window.text.is_empty());
        all.push(window.text.to_owned());
        let Some(rest) = window.rest else { return all };
        // What an agent reads is what it sends back.
        assert_eq!(Position::parse(&rest.next.to_string()), Some(rest.next));
        from = Some(rest.next);
    }
}

#[test]
fn every_window_goes_on_where_the_last_one_ended() {
    let text: String =
        (1..=200).map(|at| format!("Paragraph {at} über etwas.\n\n{}", "> q\n\n".repeat(at % 3))).collect();
    let page = page(&text);
    assert_eq!(windows(&page, 300).join("\n\n"), page.view().text());
}

#[test]
fn a_long_line_is_shown_to_its_end_and_what_is_below_it() {
    let page = page(&format!("{}\n\nafter\n", "é".repeat(500)));
    assert_eq!(windows(&page, 300).concat(), page.view().text());
}

#[test]
fn included_text_goes_on_in_the_page_that_includes_it() {
    let mut source = Source::new(Origin::new("r.md"), parse("top\n\n[!include:x](x.md)\n\nbottom\n"));
    let part = Source::new(Origin::new("x.md"), parse("---\ntitle: y\n---\nalpha\n\nbeta\n"));
    source.inclusions.insert(3, Inclusion::Loaded(Box::new(part)));
    let page = Page::compose(source);
    check(&page, None, 12, "top\n\nalpha", "12@L3+7");
    assert_eq!(windows(&page, 12), ["top\n\nalpha", "beta\n\nbottom"]);
    check(&page, Some(2), 100, "alpha\n\nbeta\n\nbottom", "");
    check(&page, Some(4), 100, "bottom", "");
}

#[test]
fn positions_are_read_as_they_are_written() {
    for (text, expected) in [
        ("L480", Some(Position::line(480))),
        ("7", Some(Position::line(7))),
        ("L3+65000", Some(Position { line: 3, bytes: 65000 })),
        ("L0", None),
        ("L3+", None),
        ("L3+x", None),
        ("-1", None),
        ("", None),
    ] {
        assert_eq!(Position::parse(text), expected, "{text}");
    }
}

#[test]
fn an_empty_page_has_an_empty_window() {
    check(&page(""), None, 10, "", "");
    assert_eq!(window(&page(""), Some(1), 10), None);
}

#[test]
fn the_outline_names_what_can_be_opened() {
    let mut source = Source::new(
        Origin::new("r.md"),
        parse(
            "# Report\n\nIntro.\n\n<!-- #summary -->\n## Summary {#sum}\nText.\n<!-- /summary -->\n[!include:x](x.md)\n## §\n",
        ),
    );
    let mut inner = Source::new(Origin::new("x.md"), parse("\n# Inner\n[!include:y](y.md)\nEnd.\n"));
    let last = Source::new(Origin::new("y.md"), parse("Deep inside.\n"));
    inner.inclusions.insert(3, Inclusion::Loaded(Box::new(last)));
    source.inclusions.insert(9, Inclusion::Loaded(Box::new(inner)));
    let outline: Vec<_> = Page::compose(source).outline().iter().map(ToString::to_string).collect();
    assert_eq!(
        outline,
        [
            "L1 · # Report · #report · 103 B",
            "L5 · block · #summary · 24 B",
            "L6 · ## Summary · #sum · 61 B",
            "L9 · include · #x · 27 B",
            "L9 · # Inner · #inner · 32 B",
            "L9 · include · #y · 13 B",
            "L10 · ## § · 6 B",
        ]
    );
    assert_eq!(
        [0, 1023, 1024, 421_888, 1_572_864].map(size_label),
        ["0 B", "1023 B", "1 KB", "412 KB", "1.5 MB"]
    );
}

#[test]
fn a_page_that_is_only_frontmatter_shows_nothing() {
    for source in ["---\ntitle: X\n---\n", "---\ntitle: X\n---", "---\n---\n"] {
        assert_eq!(page(source).view().text(), "", "{source:?}");
    }
    assert_eq!(page("---\ntitle: X\n---\ntext").view().text(), "text");
}
