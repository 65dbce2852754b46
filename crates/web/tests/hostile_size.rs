//! Pages made to exhaust: they end, in bounded time and size, with something said.

use web::html::{Extent, to_markdown};
use web::parse_url;

/// Converts, and gives the Markdown back for a look at its size.
fn convert(html: &str) -> String {
    let url = parse_url("http://evil.example/").expect("an address");
    to_markdown(html, &url, Extent::Main).markdown
}

#[test]
fn a_million_nested_tags() {
    for tag in ["div", "b", "span", "blockquote", "ul><li", "font", "table><tr><td", "svg", "section"] {
        let html = format!("<p>Before.</p>{}", format!("<{tag}>").repeat(1_000_000));
        let markdown = convert(&html);
        assert!(markdown.contains("Before."), "{tag}");
        assert!(markdown.len() < 100_000, "{tag}: {}", markdown.len());
    }
}

#[test]
fn text_inside_deep_nesting_is_still_shown() {
    let html = format!("{}deep words{}", "<div>".repeat(200), "</div>".repeat(200));
    assert!(convert(&html).contains("deep words"));
    let html = format!("{}deep words", "<ul><li>".repeat(100));
    assert!(convert(&html).contains("deep words"));
}

#[test]
fn attributes_rows_cells_and_siblings_without_end() {
    let attributes: String = (0..100_000).map(|n| format!(" a{n}=1")).collect();
    let cells = "<td>x".repeat(5_000);
    let cases = [
        format!("<p{attributes}>text</p>"),
        format!(
            "<table><tr><td>{}</td><td>x</td></tr>{}</table>",
            "y".repeat(100_000),
            "<tr><td>1<td>2".repeat(3_000)
        ),
        format!("<table><tr>{cells}</tr>{}</table>", "<tr><td>1<td>2".repeat(3_000)),
        "<table><tr><td colspan=9999 rowspan=9999>x<td>y".repeat(2_000),
        "<b>x</b>".repeat(10_000),
        "<span>x</span>".repeat(10_000),
        "<ul><li>x".repeat(5) + &"<li>x".repeat(5_000),
        "<br>".repeat(10_000),
        "<p>".repeat(10_000),
        "<a href=x>".repeat(5_000),
        "<table>x".repeat(5_000),
        "<p>&amp;lt;".repeat(5_000),
        "&".repeat(100_000),
        "<style>.a{".repeat(5_000),
        "[".repeat(100_000),
        format!("<pre>{}</pre>", "`".repeat(100_000)),
        format!("<code>{}</code>", "` ``".repeat(3_000)),
        "<div class='nav menu sidebar'>".repeat(200) + &"<a href=x>l</a>".repeat(3_000),
    ];
    for html in cases {
        let markdown = convert(&html);
        assert!(
            markdown.len() < 40 * html.len() + 1_000,
            "{:.60}: {} → {}",
            html,
            html.len(),
            markdown.len()
        );
    }
}

/// Each of these took time by the square of its size in some way of doing it: moving what comes after, looking
/// back at what came before, or copying what is inside once more at every level.
#[test]
fn many_of_anything_are_all_shown() {
    const MANY: usize = 40_000;
    let links = "<div><a href=x>one</a> <a href=y>two</a></div>".repeat(MANY / 10);
    let text = "<p>words that count</p>".repeat(MANY / 10);
    let cases = [
        (format!("<table>{}</table>", "<tr><td>c<td>d".repeat(MANY / 2)), "c |", MANY / 2),
        (format!("<table><tr>{}</table>", "<td>cell".repeat(MANY)), "cell", MANY),
        (format!("<table>{}</table>", "x<b>y</b>".repeat(MANY / 4)), "x", MANY / 4),
        ("<b>b</b> ".repeat(MANY), "**b**", MANY),
        ("<b>b</b>".repeat(MANY), "b", MANY),
        ("a<br>".repeat(MANY), "a", MANY),
        (format!("<ul>{}</ul>", "<li>x".repeat(MANY)), "- x", MANY),
        (format!("{links}{text}{links}"), "words that count", MANY / 10),
        (format!("<pre>{}</pre>", "` x\n".repeat(MANY)), "` x", MANY),
        (format!("{}{}", "<div>".repeat(90), "<p>deep</p>".repeat(MANY / 4)), "deep", MANY / 4),
        (format!("{}{}", "<b><i>".repeat(40), "word ".repeat(MANY)), "word", MANY),
    ];
    for (html, shown, times) in cases {
        assert_eq!(convert(&html).matches(shown).count(), times, "{html:.60}");
    }
}

#[test]
fn nothing_that_is_left_open_matters() {
    let html = "<html><body><main><h1>Title<p>One <b>two <i>three<ul><li>four<li>five<table><tr><td>six";
    let markdown = convert(html);
    for word in ["Title", "One", "two", "three", "four", "five", "six"] {
        assert!(markdown.contains(word), "{word} is missing in {markdown}");
    }
}
