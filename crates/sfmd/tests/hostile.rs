//! The same few characters, over and over: work must stay in proportion to the length. A quadratic step
//! would keep any of these from ever finishing.

use sfmd::{Dialect, Document, Inclusion, Origin, Page, Source, Template, parse};

const MEGABYTE: usize = 1024 * 1024;
/// For the many variants: still far too much for anything quadratic, but quick without optimisation.
const PLENTY: usize = 128 * 1024;

fn filled(unit: &str) -> String {
    unit.repeat(PLENTY / unit.len())
}

#[test]
fn a_megabyte_of_each_convention() {
    for unit in
        ["[", "[@a] ", "<!-- #a -->\n", "```\n", "{@", "```act.a.response\n{@\n```\n", "[!include:a](b)\n"]
    {
        exercise(&unit.repeat(MEGABYTE / unit.len()));
    }
}

/// Parses and uses everything a page offers.
fn exercise(source: &str) -> Document {
    let document = parse(source);
    let page = Page::compose(Source::new(Origin::new("x"), document.clone()));
    let view = page.view();
    for budget in [1, 1000, 64 * 1024] {
        assert!(view.window(None, budget).expect("a window from the start").text.len() <= budget);
    }
    page.outline();
    page.block_ids();
    if let Some(section) = page.section("a") {
        page.view_section(&section);
    }
    document.edit_lines("a");
    document
}

#[test]
fn brackets() {
    for unit in
        ["[", "]", "[a](", "![", "[![a](b)](c)", "[a][", "[@a b](c) ", "[!", "[a]: b\n", "[a]: b 'c\n"]
    {
        exercise(&filled(unit));
    }
    let count = 20_000;
    exercise(&format!("{}{}", "![".repeat(count), "](https://x)".repeat(count)));
    exercise(&format!("{}{}", "[".repeat(count), "](https://x)".repeat(count)));
}

#[test]
fn markers() {
    for unit in ["<!-- #a -->\n", "<!-- /a -->\n", "<!-- #a -->\n<!-- /b -->\n", "<!--", "<!-- #a -->\n# a\n"]
    {
        exercise(&filled(unit));
    }
    let count = 30_000;
    let opening: String = (0..count).map(|at| format!("<!-- #a{at} -->\n")).collect();
    let closing: String = (0..count).rev().map(|at| format!("<!-- /a{at} -->\n")).collect();
    assert_eq!(exercise(&format!("{opening}text\n{closing}")).blocks.len(), count);
    let crossed: String = (0..count).map(|at| format!("<!-- /a{at} -->\n")).collect();
    exercise(&format!("{opening}{crossed}"));
}

#[test]
fn fences() {
    for unit in [
        "```",
        "```\n",
        "~~~\n",
        "```act.a\n```\n",
        "```act.a\n",
        "    x\n\n",
        "`",
        "```act.a\nGET x\n  a: string\n```\n",
    ] {
        exercise(&filled(unit));
    }
}

#[test]
fn placeholders_and_templates() {
    for unit in ["{@", "{", "{a", "{a[\"", "{a.", "{a|", "$", "${", "{a}", "{a[\"\\", "{@a}"] {
        let text = filled(unit);
        for dialect in [Dialect::Definition, Dialect::Shell, Dialect::Output] {
            assert_eq!(Template::parse(&text, dialect).to_string(), text);
        }
        exercise(&format!("```act.a.response\n{text}\n```\n"));
        exercise(&format!("```act.a\nCLI {text}\n```\n"));
        exercise(&format!("```act.a\nPOST {text}\n```\n"));
    }
    for unit in [
        "if: a\n",
        "for: x in y\n",
        "end:\n",
        "else:\n",
        "save: a\n",
        "{@a} = (",
        "{a} = \"",
        "if: not ",
        "{x} = 1\n",
    ] {
        exercise(&format!("```act.a.response\n{}\n```\n", filled(unit)));
    }
    for unit in [
        "  a: string\n",
        "  a: string (",
        "  a: string \"",
        "  body:\n",
        "  \\\n",
        " -H \"",
        "  a: json = [",
        "  a: string (a|b)",
    ] {
        exercise(&format!("```act.a\nGET x\n{}\n```\n", filled(unit)));
    }
}

#[test]
fn fields_with_a_name_each() {
    let fields: String = (0..100_000).map(|at| format!("  g{at}: string (a|b) \"d\" = \"a\"\n")).collect();
    let document = exercise(&format!("```act.a\nGET x\n{fields}```\n"));
    assert_eq!(document.actions[0].fields.len(), 256);
    let warnings: Vec<_> = document.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["line 259: more than 256 fields: the others are left out"]);
}

#[test]
fn required_variables_of_many_files() {
    let file = |at: usize| -> String {
        let names: String = (0..2_000).map(|name| format!("- A{at}_{name}\n")).collect();
        format!("---\nenv:\n{names}---\n")
    };
    let count = 50;
    let mut source = Source::new(Origin::new("root"), parse(&"[!include:a](b)\n".repeat(count)));
    for line in 1..=count {
        let part = Source::new(Origin::new("part"), parse(&file(line)));
        source.inclusions.insert(line, Inclusion::Loaded(Box::new(part)));
    }
    assert_eq!(Page::compose(source).requirements().len(), 2_000 * count);
}

#[test]
fn headings_quotes_lists_and_headers() {
    for unit in [
        "# a\n",
        "#",
        "> ",
        "- ",
        "- a\n",
        "1. a\n\n",
        "|",
        "a|b\n-|-\n",
        "<div>\n",
        "<",
        "---\n",
        "---\na: b\n",
        "\r",
        "\r\n",
        "\u{feff}",
        "\0",
        "*",
        "_a",
        "&amp;",
        "\\",
    ] {
        exercise(&filled(unit));
    }
    exercise(&format!("---\n{}", filled("a: b\n")));
    exercise(&format!("---\n{}---\n", filled("a: b\n")));
}

#[test]
fn directives() {
    for unit in [
        "[!include:a](b)\n",
        "[!nav:a](b)\n",
        "[!x:y](z)\n",
        "# h\n[!include:a](b)\n[@n]: c\n```act.a\nGET x\n```\n",
    ] {
        exercise(&filled(unit));
    }
}

#[test]
fn many_included_files() {
    let count = 5_000;
    let mut source = Source::new(Origin::new("root"), parse(&"[!include:a](b)\n".repeat(count)));
    for line in 1..=count {
        let part = Source::new(Origin::new("part"), parse("# Part\n\n[Docs](https://x.org)\n"));
        source.inclusions.insert(line, Inclusion::Loaded(Box::new(part)));
    }
    let page = Page::compose(source);
    assert_eq!(page.shortcuts().len(), 1);
    assert_eq!(page.view().text().matches("[Docs][@docs]").count(), count);
}
