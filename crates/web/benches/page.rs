//! How long a page of 430 KB takes to become Markdown.
//!
//! Four pages of the same size: documentation with landmarks, the same text without any, long prose, and an
//! article among hundreds of teasers that nothing labels, so that it must be found by its score. With a directory
//! as argument the pages are written there, for comparison with other converters.

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use web::html::{Extent, to_markdown};
use web::parse_url;

const SIZE: usize = 430 << 10;
const ROUNDS: usize = 40;

fn main() {
    let pages = [
        ("documentation", documentation(Landmarks::Marked)),
        ("without landmarks", documentation(Landmarks::None)),
        ("prose", prose()),
        ("portal", portal()),
    ];
    // cargo adds `--bench`.
    let directory = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let url = parse_url("https://docs.example.org/guide/page.html").expect("an address");
    for (name, html) in &pages {
        if let Some(directory) = &directory {
            let path = format!("{directory}/{}.html", name.replace(' ', "-"));
            std::fs::write(&path, html).expect("the page is written");
        }
        let mut times: Vec<Duration> = Vec::new();
        let mut length = 0;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            length = black_box(to_markdown(black_box(html), &url, Extent::Main)).markdown.len();
            times.push(start.elapsed());
        }
        times.sort();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        report(&format!(
            "{name}: {} KB → {} KB in {:.1} ms (median of {ROUNDS}; fastest {:.1}, slowest {:.1})",
            html.len() >> 10,
            length >> 10,
            ms(times[ROUNDS / 2]),
            ms(times[0]),
            ms(times[ROUNDS - 1]),
        ));
    }
}

#[allow(clippy::print_stdout, reason = "a benchmark tells")]
fn report(line: &str) {
    println!("{line}");
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Landmarks {
    Marked,
    None,
}

/// Sections with prose, links, lists, tables and highlighted code, between menus.
fn documentation(landmarks: Landmarks) -> String {
    let (open, close) = match landmarks {
        Landmarks::Marked => ("<main><article>", "</article></main>"),
        Landmarks::None => ("<div class=\"c1\"><div class=\"c2\">", "</div></div>"),
    };
    let menu: String = (0..150).fold(String::new(), |mut menu, n| {
        let _ = write!(
            menu,
            "<li class=\"toctree\"><a class=\"ref\" href=\"/guide/{n}.html\">Chapter {n}</a></li>"
        );
        menu
    });
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>The guide</title>\
         <style>.x{{color:red}} .gone{{display:none}}</style><script>var a={{}};</script></head><body>\
         <div class=\"sidebar\"><ul>{menu}</ul></div>{open}<h1>The guide</h1>"
    );
    let mut section = 0;
    while html.len() < SIZE - 400 {
        section += 1;
        let _ = write!(
            html,
            "<section id=\"s{section}\"><h2>Section {section}<a class=\"headerlink\" href=\"#s{section}\">¶</a></h2>\
             <p>The <code>open</code> call of section {section} takes a <a href=\"/api/path.html\">path</a> and gives \
             back a <strong>handle</strong>, or an <em>error</em> that says what to do next. It never blocks for \
             longer than the time that was asked for, and it leaves nothing behind when it fails.</p>\
             <p>Handles are cheap: keep as many as you like, close them when you are done, and do not share them \
             between threads unless the documentation of the method says that you may do so safely.</p>\
             <ul><li>First point about section {section}</li><li>Second point, with <a href=\"more.html\">more</a>\
             <ul><li>nested one</li><li>nested two</li></ul></li></ul>\
             <div class=\"highlight-python\"><div class=\"highlight\"><pre><span></span>\
             <span class=\"kn\">from</span> <span class=\"nn\">lib</span> <span class=\"kn\">import</span> \
             <span class=\"n\">open</span>\n<span class=\"n\">h</span> <span class=\"o\">=</span> \
             <span class=\"n\">open</span><span class=\"p\">(</span><span class=\"s2\">\"a{section}\"</span>\
             <span class=\"p\">)</span>\n</pre></div></div>\
             <table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>\
             <tr><td><code>path</code></td><td>string</td><td>What to open.</td></tr>\
             <tr><td><code>mode</code></td><td>string</td><td>How: <code>r</code> or <code>w</code>.</td></tr>\
             </tbody></table><p class=\"gone\">not shown</p></section>"
        );
    }
    html.push_str(close);
    html.push_str("<footer><p>Made by people. <a href=\"/imprint\">Imprint</a></p></footer></body></html>");
    html
}

/// A long text in paragraphs, with few links.
fn prose() -> String {
    let mut html =
        String::from("<html><head><title>A long story</title></head><body><article><h1>A long story</h1>");
    let mut paragraph = 0;
    while html.len() < SIZE - 400 {
        paragraph += 1;
        let _ = write!(
            html,
            "<p>Paragraph {paragraph} begins where the one before it ended, and goes on about the weather, the \
             harbour &amp; the price of fish. “It was never like this,” said the keeper of the light, who had said \
             the same of every year since he came; and <i>nobody</i> on the island disagreed with him.</p>"
        );
    }
    html.push_str("</article></body></html>");
    html
}

/// An article between columns of links, in boxes without meaning.
fn portal() -> String {
    let teasers = |from: usize| {
        (from..from + 450).fold(String::new(), |mut boxes, n| {
            let _ = write!(
                boxes,
                "<div class=\"b{n}\"><div class=\"i\"><a href=\"/t/{n}\"><img src=\"/i/{n}.jpg\" alt=\"Picture {n}\">\
                 </a><h4><a href=\"/t/{n}\">Teaser {n} about something that happened elsewhere today</a></h4></div></div>"
            );
            boxes
        })
    };
    let mut html =
        format!("<html><head><title>Article</title></head><body><div>{}</div><div class=\"m\">", teasers(0));
    let after = teasers(450);
    let mut paragraph = 0;
    while html.len() < SIZE - after.len() - 400 {
        paragraph += 1;
        let _ = write!(
            html,
            "<p>Paragraph {paragraph} of the article, with commas, clauses, and everything else that a score is made \
             of, such as <b>bold words</b> and a <a href=\"/x\">link</a> now and then.</p>"
        );
    }
    html + &format!("</div><div>{after}</div></body></html>")
}
