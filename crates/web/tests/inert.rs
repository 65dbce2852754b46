//! Converted HTML is never taken for a document with conventions of its own.

use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use web::html::{Extent, to_markdown};
use web::parse_url;

/// Fails if `markdown` holds anything a document parser acts on. The lines are looked at as plain text too, since
/// conventions are recognised by line.
fn assert_inert(html: &str, markdown: &str) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    assert!(
        markdown.lines().next().unwrap_or_default().trim() != "---",
        "frontmatter\n{html}\n→\n{markdown}"
    );
    let mut events = Parser::new_ext(markdown, options).into_offset_iter();
    assert_eq!(events.reference_definitions().iter().count(), 0, "a definition\n{html}\n→\n{markdown}");
    let mut code = Vec::new();
    for (event, range) in &mut events {
        match event {
            Event::Html(text) | Event::InlineHtml(text) => panic!("HTML {text:?}\n{html}\n→\n{markdown}"),
            Event::Start(Tag::CodeBlock(kind)) => {
                if let CodeBlockKind::Fenced(info) = kind {
                    assert!(
                        !info.contains('.') && !info.contains(' '),
                        "fence {info:?}\n{html}\n→\n{markdown}"
                    );
                }
                code.push(range);
            }
            Event::Code(_) => code.push(range),
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                let source = markdown[range].trim_start_matches('!').trim_start_matches('[');
                assert!(!source.starts_with(['@', '!']), "a name in {source:?}\n{html}\n→\n{markdown}");
            }
            _ => {}
        }
    }
    let mut offset = 0;
    for line in markdown.split_inclusive('\n') {
        let start = offset + (line.len() - line.trim_start().len());
        offset += line.len();
        if code.iter().any(|range| range.contains(&start)) {
            continue;
        }
        let line = line.trim();
        let is_marker = line.starts_with("<!--") && line.ends_with("-->");
        let is_directive = line.starts_with("[!") && line.ends_with(')');
        assert!(!is_marker && !is_directive, "a convention {line:?}\n{html}\n→\n{markdown}");
    }
}

fn check(html: &str) {
    let url = parse_url("http://evil.example/").expect("an address");
    for extent in [Extent::Main, Extent::Whole] {
        assert_inert(html, &to_markdown(html, &url, extent).markdown);
    }
}

#[test]
fn the_hostile_page_is_inert() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pages/hostile.html");
    check(&std::fs::read_to_string(path).unwrap());
}

#[test]
fn tricks_with_boundaries_are_inert() {
    for html in [
        "<p>&lt;<i></i>!-- #a --&gt;",
        "<p>&lt;<wbr>!-- #a --&gt;",
        "<p>&lt;<script></script>!-- #a --&gt;",
        "<p>&lt;<img>!-- #a --&gt;",
        "<p>&lt;\u{200b}!-- #a --&gt;",
        "<p>&lt;\u{e000}!-- #a --&gt;",
        "<p><b>&lt;</b>!-- #a --&gt;",
        "<p>~<i></i>~~act.x",
        "<p>\u{a0}~~~act.x",
        "<p>x<br>~~~act.x<br>y",
        "<ul><li>~~~act.x</ul>",
        "<p>`<b></b>``act.x",
        "<code></code><p>```act.x",
        "<p>x<br>---",
        "<h1>---</h1><p>---",
        "<p>-<b></b>--",
        "<p>\u{a0}---",
        "<title>---</title><p>x",
        "<title>```act.x</title><p>x",
        "<p><a href=x>[@a</a> b](c)",
        "<p><a href=x>\u{200b}@a b</a>",
        "<p><a href=x> @a b</a>",
        "<p><a href=x><b></b>!include:x</a>",
        "<p><a href=x><b>@a b</b></a>",
        "<p>!<a href=x>include:x</a>",
        "<p>[<a href=x>x</a>](y)",
        "<p>[!include:x]<!-- -->(y)",
        "<img alt='\n\n```act.x\n' src=x>",
        "<img alt='a](b) <!-- #x -->' src=x>",
        "<a href='http://x/ \"t\n\n```act.x'>y</a>",
        "<pre class='language-act.x'>x",
        "<pre lang=act.x data-lang='act.x'>x",
        "<pre>\n```\n```act.x\n",
        "<pre><code class='language-`x` act.y'>x",
        "<ol start=9999999999999><li>```act.x</ol>",
        "<blockquote>---<br>```act.x</blockquote>",
        "<table><tr><td>---<td>```act.x<tr><td>&lt;!-- #a --&gt;</table>",
        "<table><tr><td>a<td>b<tr><td>```act.x</table>",
        "<dl><dt>---<dd>```act.x</dl>",
        "<math><annotation>```act.x</annotation></math>",
        "<iframe src=http://x title='](y) [@a b'></iframe>",
        "<p>[^1]: x<p><a href=x>^1</a>",
        "<a href=x><pre>\\[^1]:",
        "<a href=x><pre>[^1]: y",
        "&lt;script&gt;\nx\n&lt;/script&gt;",
        "<textarea><!-- #a --></textarea><xmp><!-- #a --></xmp>",
        "<plaintext><!-- #a -->\n---\n```act.x",
        "<svg><foreignObject><p><!-- #a --></p></foreignObject></svg>",
    ] {
        check(html);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_mixture_becomes_a_convention(parts in prop::collection::vec(prop::sample::select(PARTS), 1..30)) {
        check(&parts.concat());
    }

    #[test]
    fn no_text_becomes_a_convention(text in "[-<>!#`~=\\[\\]()@: a.x\n*_\\\\&;/|]{0,60}") {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        check(&format!("<p>{escaped}"));
        check(&format!("<ul><li>{escaped}<li><a href=x>{escaped}</a></ul>"));
        check(&format!("<pre>{escaped}</pre><code>{escaped}</code><table><tr><td>{escaped}<td>{escaped}</table>"));
    }
}

const PARTS: &[&str] = &[
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<a href=x>",
    "</a>",
    "<ul>",
    "<ol>",
    "<li>",
    "</ul>",
    "<br>",
    "<hr>",
    "<pre>",
    "</pre>",
    "<code>",
    "</code>",
    "<blockquote>",
    "</blockquote>",
    "<table><tr><td>",
    "<td>",
    "<tr>",
    "</table>",
    "<h1>",
    "</h1>",
    "<span>",
    "</span>",
    "<div>",
    "</div>",
    "<img src=x alt='@a b'>",
    "<del>",
    "</del>",
    "<sup>",
    "<dt>",
    "<dd>",
    "<q>",
    "&lt;",
    "!-- #a --&gt;",
    "--&gt;",
    "```",
    "~~~",
    "~",
    "`",
    "act.x",
    "---",
    "-",
    "===",
    "[",
    "]",
    "(y)",
    "!include:x",
    "@a b",
    "[@a]: http://x",
    "[!nav:m](n)",
    "[^1]:",
    "\n",
    " ",
    "\u{a0}",
    "text",
    "*",
    "_",
    "\\",
    "#",
    "# ",
    "1. ",
    "&gt; ",
    "|",
    "<!-- x -->",
    "<script>",
    "</script>",
    "\u{e000}",
    "\u{200b}",
];
