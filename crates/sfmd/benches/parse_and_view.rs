//! Parsing and viewing a document of 100 KB, against what the Markdown parser alone takes for it.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use pulldown_cmark::{Options, Parser};
use sfmd::{Origin, Page, Source, parse};

const SIZE: usize = 100 * 1024;
const ROUNDS: usize = 200;
/// About one action per two kilobytes of text.
const SECTIONS_PER_ACTION: usize = 4;

fn main() {
    let document = document();
    let alone = fastest(|| {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_HEADING_ATTRIBUTES;
        black_box(Parser::new_ext(black_box(&document), options).into_offset_iter().count());
    });
    let parsed = fastest(|| {
        black_box(parse(black_box(&document)));
    });
    let whole = fastest(|| {
        let page = Page::compose(Source::new(Origin::new("~/page.md"), parse(black_box(&document))));
        black_box(page.view());
    });
    println!("document            {} bytes", document.len());
    println!("pulldown-cmark      {alone:?}");
    println!("parse               {parsed:?}");
    println!("parse + view        {whole:?}");
    println!("ratio               {:.2} (at most 3)", whole.as_secs_f64() / alone.as_secs_f64());
}

/// The fastest of many rounds: the one that was disturbed least.
fn fastest(mut work: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..ROUNDS).map(time).min().unwrap_or_default()
}

fn document() -> String {
    let mut text =
        "---\ntitle: Benchmark\nversion: 1.10\nenv:\n  - API_KEY: \"Key\"\n---\n# Benchmark\n\n".to_owned();
    let mut section = 0;
    while text.len() < SIZE {
        section += 1;
        text.push_str(&format!(
            "<!-- #part-{section} -->\n## Section {section}\n\n\
             Some *emphasised* text with `code`, a [relative link](./page-{section}.md), a [web link](https://example.com/{section}) \
             and a [@go-{section} Named one](../go/{section}.md). It goes on for another line or two,\nas text in documents does, \
             without saying much. See [Docs][docs] or {{var}} and $NAME.\n\n\
             - first item with **strong** words\n- second item\n  - nested `item`\n- [x] done\n\n\
             | a | b |\n|---|---|\n| 1 | [x](https://x.org/{section}) |\n\n\
             ```rust\nfn main() {{\n    println!(\"hello\");\n}}\n```\n\n\
             <!-- /part-{section} -->\n\n> A quote, over\n> two lines.\n\n"
        ));
        if section % SECTIONS_PER_ACTION == 0 {
            text.push_str(&format!(
                "```act.call-{section}\nGET https://api.example.com/{section}?key=$API_KEY -H \"A: {{b}}\"\n  \
                 name, -n: string (required) \"Name\"\n  unit: string (a|b) = \"a\"\n```\n\n\
                 ```act.call-{section}.response\n{{x}} = {{Response.body.x}}\nfor: item in x\n\
                 - {{item.name}}\nend:\n```\n\n"
            ));
        }
    }
    text.push_str("[docs]: https://docs.example.com/start\n");
    text
}
