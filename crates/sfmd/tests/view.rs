//! What an agent sees: whole documents in, whole views out.

use sfmd::{Inclusion, Origin, Page, Source, parse};

fn page(source: &str) -> Page {
    Page::compose(Source::new(Origin::new("~/page.md"), parse(source)))
}

#[track_caller]
fn check(source: &str, expected: &str) {
    assert_eq!(page(source).view().text(), expected);
}

#[track_caller]
fn check_section(source: &str, id: &str, expected: Option<&str>) {
    let page = page(source);
    let view = page.section(id).map(|section| page.view_section(&section));
    assert_eq!(view.as_ref().map(|view| view.text()), expected);
}

const REPORT: &str = "---\ntitle: Quarterly Report\n---\n# Quarterly Report\n\nIntro text.\n\n<!-- #summary -->\n## Summary\nRevenue grew 15%.\n<!-- /summary -->\n";

#[test]
fn frontmatter_and_markers_are_left_out() {
    check(REPORT, "# Quarterly Report\n\nIntro text.\n\n## Summary\nRevenue grew 15%.");
    assert_eq!(parse(REPORT).title(), Some("Quarterly Report"));
    assert_eq!(page(REPORT).block_ids(), ["summary"]);
}

#[test]
fn a_block_shows_what_stands_between_its_markers() {
    check_section(REPORT, "summary", Some("## Summary\nRevenue grew 15%."));
    check_section(
        REPORT,
        "quarterly-report",
        Some("# Quarterly Report\n\nIntro text.\n\n## Summary\nRevenue grew 15%."),
    );
    check_section(REPORT, "nope", None);
}

#[test]
fn short_relative_links_stay() {
    check("# Guide\n\nSee the [appendix](./appendix.md).\n", "# Guide\n\nSee the [appendix](./appendix.md).");
}

#[test]
fn links_become_shortcuts() {
    let source =
        "# Remote Guide\n\nSee [@next Next page](./next.md) and [Docs](https://docs.example.com/a).\n";
    check(source, "# Remote Guide\n\nSee [Next page][@next] and [Docs][@docs].");
    let page = page(source);
    let ids: Vec<_> = page.shortcuts().iter().map(|s| (s.id.as_str(), s.href.as_str())).collect();
    assert_eq!(ids, [("next", "./next.md"), ("docs", "https://docs.example.com/a")]);
}

#[test]
fn actions_are_left_out_without_leaving_a_hole() {
    check(
        "# Weather\n\nSearch: `/act.search`\n\n```act.search\nGET x\n```\n\n```act.search.response\n{a} = {b}\n```\n\nEnd.\n",
        "# Weather\n\nSearch: `/act.search`\n\nEnd.",
    );
}

#[test]
fn an_included_file_stands_in_the_place_of_its_directive() {
    let root = parse(
        "[!nav:main](./nav/main.md)\n# Home\n\n[!include:footer](./parts/footer.md)\n\n[!include:gone](./x.md)\n",
    );
    let mut source = Source::new(Origin::new("~/site/index.md"), root);
    let footer = Source::new(
        Origin::new("~/site/parts/footer.md"),
        parse("---\ntitle: F\n---\nMade with [care](https://x.org).\n"),
    );
    source.inclusions.insert(4, Inclusion::Loaded(Box::new(footer)));
    source.inclusions.insert(6, Inclusion::Failed("no file ./x.md".to_owned()));
    let page = Page::compose(source);
    assert_eq!(page.view().text(), "# Home\n\nMade with [care][@care].\n\n[include gone: no file ./x.md]");
    assert_eq!(page.shortcut("care").unwrap().origin.as_str(), "~/site/parts/footer.md");
    let footer = page.section("footer").unwrap();
    assert_eq!(page.view_section(&footer).text(), "Made with [care][@care].");
}

#[test]
fn what_is_left_out_leaves_no_double_blank_lines() {
    let action = "```act.a\nGET x\n```\n";
    check(
        &format!("A.\n\n{action}\n<!-- #b -->\n\nB.\n\n<!-- /b -->\n\n\n{action}\n\nC.\n"),
        "A.\n\nB.\n\nC.",
    );
    check(&format!("{action}\nA.\n\n\nB.\n\n{action}"), "A.\n\n\nB.");
    check("```\nx\n\n\ny\n```\n", "```\nx\n\n\ny\n```");
    check("---\ntitle: x\n---\n\n\n", "");
}

#[test]
fn texts_that_were_apart_stay_apart() {
    check("one\n<!-- #a -->\ntwo\n<!-- /a -->\nthree\n", "one\n\ntwo\n\nthree");
    check("- item\n```act.a\nGET x\n```\ntext\n", "- item\n\ntext");
    check("# Title\n<!-- #a -->\ntext\n<!-- /a -->\n## Next\n", "# Title\ntext\n## Next");
    check("one\n[!nav:m](x.md)\ntwo\n", "one\ntwo");
}

#[test]
fn lists_html_and_line_ends_are_no_obstacle() {
    check(
        "\u{feff}# T\r\n\r\n- a\r\n  <!-- #x -->\r\n  b\r\n  <!-- /x -->\r\n\r\n<div>\r\n<!-- #y -->\r\nhtml\r\n<!-- /y -->\r\n</div>\r\n",
        "# T\n\n- a\n\n  b\n\n<div>\nhtml\n</div>",
    );
    check_section("- a\n  <!-- #x -->\n  b\n  <!-- /x -->\n", "x", Some("  b"));
    check("a\rb\r<!-- #x -->\rc\r<!-- /x -->\r", "a\nb\n\nc");
    check("1. ~~~act.go\n   GET x\n   ~~~\n2. two\n", "2. two");
}

#[test]
fn unknown_fences_and_comments_are_content() {
    let text = "<!-- a comment -->\n\n```act\nx\n```\n\n```action.x\ny\n```\n\n> ```act.q\n> GET z\n> ```";
    check(text, text);
}

#[test]
fn sections_hold_what_is_included_in_them() {
    let source = "# Top\n\n<!-- #all -->\n[!include:one](1.md)\n\nmiddle\n\n[!include:two](2.md)\n<!-- /all -->\n\n## Last\n\nend\n";
    let mut root = Source::new(Origin::new("r.md"), parse(source));
    let mut one = Source::new(
        Origin::new("1.md"),
        parse("## One\n\n[!include:deep](d.md)\n\n<!-- #inner -->\ninside\n<!-- /inner -->\n"),
    );
    let deep = parse(
        "skipped\n\n<!-- #part -->\ndeep text\n\n```act.deep\nCLI ./run.sh\n```\n<!-- /part -->\n\n```act.other\nGET x\n```\n",
    );
    let lines = deep.edit_lines("part");
    let deep = Source { lines, ..Source::new(Origin::new("d.md"), deep) };
    one.inclusions.insert(3, Inclusion::Loaded(Box::new(deep)));
    root.inclusions.insert(4, Inclusion::Loaded(Box::new(one)));
    root.inclusions.insert(8, Inclusion::Failed("2.md includes itself\n[!nav:x](y)".to_owned()));
    let page = Page::compose(root);
    let section = |id: &str| page.section(id).map(|section| page.view_section(&section).text().to_owned());

    let all = "## One\n\ndeep text\n\ninside\n\nmiddle\n\n[include two: 2.md includes itself [!nav:x](y)]";
    assert_eq!(section("all").as_deref(), Some(all));
    assert_eq!(page.view().text(), format!("# Top\n\n{all}\n\n## Last\n\nend"));
    assert_eq!(section("one").as_deref(), Some("## One\n\ndeep text\n\ninside"));
    assert_eq!(section("deep").as_deref(), Some("deep text"));
    assert_eq!(section("inner").as_deref(), Some("inside"));
    assert_eq!(section("two").as_deref(), Some("[include two: 2.md includes itself [!nav:x](y)]"));
    assert_eq!(section("last").as_deref(), Some("## Last\n\nend"));
    assert_eq!(section("part"), None, "only what stands in the included lines has a name");
    assert_eq!(page.block_ids(), ["all", "one", "deep", "inner", "two"]);
    let actions: Vec<_> =
        page.actions().map(|found| (found.action.id.to_string(), found.origin.as_str())).collect();
    assert_eq!(actions, [("deep".to_owned(), "d.md")]);
}

#[test]
fn actions_find_their_responses_and_the_rest_is_a_warning() {
    let mut root = Source::new(
        Origin::new("r.md"),
        parse(
            "---\ndefault: nope\n---\n```act.a\nGET one\n```\n[!include:x](x.md)\n```act.b.response\nB\n```\n```act.c.response\nC\n```\n",
        ),
    );
    let part = parse("```act.a\nGET two\n```\n```act.b\nGET b\n```\n```act.a.response\nA\n```\n");
    root.inclusions.insert(7, Inclusion::Loaded(Box::new(Source::new(Origin::new("x.md"), part))));
    let page = Page::compose(root);
    let found: Vec<_> = page
        .actions()
        .map(|found| {
            (found.action.id.to_string(), found.origin.as_str(), found.response.map(|response| response.line))
        })
        .collect();
    assert_eq!(found, [("a".to_owned(), "r.md", Some(7)), ("b".to_owned(), "x.md", Some(8))]);
    assert!(page.action("b").is_some() && page.action("c").is_none());
    let warnings: Vec<_> = page.warnings().map(|(origin, warning)| format!("{origin} {warning}")).collect();
    assert_eq!(
        warnings,
        [
            "r.md line 2: default: there is no action nope",
            "r.md line 11: act.c.response belongs to no action",
            "x.md line 1: act.a is already on this page: the first one counts",
        ]
    );
}
