//! What must hold for every text.

use proptest::prelude::*;
use sfmd::{Dialect, Inclusion, Origin, Page, Source, Template, parse};

fn compose(source: &str) -> Page {
    Page::compose(Source::new(Origin::new("x"), parse(source)))
}

/// Pieces that conventions are made of, in any order: far more likely to meet a corner than random bytes.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "---",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "title: x",
        "# ",
        "## A {#a}",
        "text",
        " ",
        "    ",
        "\t",
        "> ",
        "- ",
        "1. ",
        "```",
        "~~~",
        "````",
        "act.a",
        "act.a.response",
        "GET https://x/{a}",
        "CLI echo $A",
        "  a: string (",
        "  body:",
        "<!-- #a -->",
        "<!-- /a -->",
        "<!-- #b -->",
        "<!-- /b -->",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<script>",
        "[",
        "]",
        "(",
        ")",
        "![",
        "[@a L](x)",
        "[L][@a]",
        "[@a]: y",
        "[D](https://d)",
        "[!nav:m](n)",
        "[!include:i](p)",
        "[!include:i]()",
        "[!x:y](z)",
        "`",
        "``",
        "{",
        "}",
        "{a}",
        "{@a}",
        "{a} = ",
        "for: x in y",
        "if: ",
        "else:",
        "end:",
        "save: a",
        "to: b",
        "\"",
        "'",
        "\\",
        "|",
        "a|b",
        "-|-",
        "===",
        "<https://u>",
        "é",
        "문",
        "\u{feff}",
        "\0",
        "\u{200b}",
        "[^1]",
        "[^1]: ",
        "&amp;",
        "*",
        "_",
        "$A",
        "$$",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn exercise(source: &str) -> String {
    let page = compose(source);
    let view = page.view();
    for id in page.block_ids().iter().map(String::as_str).chain(["a", "i", "text"]) {
        if let Some(section) = page.section(id) {
            let _ = page.view_section(&section);
        }
        let document = page.document();
        if let Some(lines) = document.edit_lines(id) {
            assert!(1 <= lines.start && lines.start <= lines.end && lines.end <= document.line_count() + 1);
        }
    }
    for entry in page.outline() {
        assert!(entry.line >= 1 && entry.line <= page.document().line_count());
        assert!(
            view.window(Some(sfmd::Position::line(entry.line)), 7)
                .is_none_or(|window| window.text.len() <= 7)
        );
    }
    for (_, warning) in page.warnings() {
        assert!(warning.line >= 1 && warning.line <= page.document().line_count().max(1), "{warning}");
    }
    for found in page.actions() {
        sfmd::action_help(found.action);
    }
    view.text().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn conventions_in_any_order_never_panic(source in soup()) {
        let once = exercise(&source);
        prop_assert_eq!(&once, &exercise(&source));
        let has_blank_edge = once.starts_with('\n') || once.ends_with('\n');
        prop_assert!(!has_blank_edge);
        exercise(&once);
    }

    #[test]
    fn any_text_never_panics(source in "\\PC{0,200}|[\\x00-\\x7f\u{80}-\u{10ffff}]{0,200}") {
        exercise(&source);
    }

    #[test]
    fn included_text_never_panics(root in soup(), part in soup()) {
        let mut source = Source::new(Origin::new("root"), parse(&root));
        let lines: Vec<usize> = source.document.includes().map(|(line, _)| line).collect();
        for line in lines {
            let part = Source::new(Origin::new("part"), parse(&part));
            source.inclusions.insert(line, Inclusion::Loaded(Box::new(part)));
        }
        let page = Page::compose(source);
        page.view();
        page.outline();
        for id in page.block_ids() {
            let section = page.section(&id).expect("what is listed can be opened");
            page.view_section(&section);
        }
    }

    #[test]
    fn templates_are_written_as_they_were_read(text in "(\\{|\\}|@|\\$|a|\\.|\\[|\\]|\"|0|-|\\||json|é| ){0,40}") {
        for dialect in [Dialect::Definition, Dialect::Shell, Dialect::Output] {
            let template = Template::parse(&text, dialect);
            // An escaped key may be written in a simpler way, but reads the same.
            let again = Template::parse(&template.to_string(), dialect);
            prop_assert_eq!(&again, &template);
        }
    }

    #[test]
    fn windows_join_to_the_whole_view(source in soup(), budget in 1usize..40) {
        let page = compose(&source);
        let view = page.view();
        let window = view.window(None, budget).expect("a window from the start");
        prop_assert!(view.text().starts_with(window.text));
        let left = window.rest.map_or(0, |rest| rest.bytes);
        let between = view.text().len() - window.text.len() - left;
        prop_assert!(view.text()[window.text.len()..].bytes().take(between).all(|b| b == b'\n'));
    }
}

/// Plain content, without what a view takes away or could make anew.
fn content() -> impl Strategy<Value = String> {
    let block = prop::sample::select(vec![
        "# Heading\n",
        "Some *text* here.\n",
        "- a\n- b\n",
        "> quote\n",
        "```rust\n# not a heading\n\n\n[D](https://d)\n```\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "[rel](./x.md) and `code`\n",
        "Label [D][@d] shown.\n",
        "<!-- note -->\n",
        "[!odd:x](y)\n",
    ]);
    prop::collection::vec(block, 0..12).prop_map(|blocks| blocks.join("\n"))
}

proptest! {
    #[test]
    fn plain_content_is_shown_as_it_is(source in content()) {
        let page = compose(&source);
        let view = page.view();
        prop_assert_eq!(view.text(), source.trim_end());
    }

    #[test]
    fn the_view_of_a_view_is_the_view(parts in prop::collection::vec(content(), 1..4)) {
        let machinery = [
            "\n```act.a\nGET x\n```\n\n", "\n<!-- #b -->\n\n", "\n[Docs](https://d.org) [@n N](x)\n\n", "\n<!-- /b -->\n\n", "\n[!nav:m](x)\n\n",
        ];
        let source: String = parts.iter().zip(machinery.iter().cycle()).map(|(part, extra)| format!("{part}{extra}")).collect();
        let once = compose(&source).view().text().to_owned();
        let page = compose(&once);
        let again = page.view();
        prop_assert_eq!(again.text(), once);
        let made_before = page.clone().with_view();
        prop_assert_eq!(made_before.view(), again);
    }
}
