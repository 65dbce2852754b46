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
