//! Links and the names they get.

use sfmd::{Inclusion, Origin, Page, ShortcutKind, Source, parse, shorten_links};

fn page(source: &str) -> Page {
    Page::compose(Source::new(Origin::new("~/page.md"), parse(source)))
}

#[track_caller]
fn check(source: &str, view: &str, shortcuts: &[(&str, &str)]) {
    let page = page(source);
    assert_eq!(page.view().text(), view);
    let found: Vec<_> = page.shortcuts().iter().map(|s| (s.id.as_str(), s.href.as_str())).collect();
    assert_eq!(found, shortcuts);
}

#[test]
fn names_are_written_in_the_link_or_in_a_definition() {
    check(
        "[@next Next *page*](./next.md) and [Docs][@docs], [@docs] or [@docs][].\n\n[@docs]: ./d.md 'Title'\n[@unused]: u.md\n",
        "[Next *page*][@next] and [Docs][@docs], [@docs] or [@docs].",
        &[("next", "./next.md"), ("docs", "./d.md"), ("unused", "u.md")],
    );
    check("[@home](x.md)\n", "[home][@home]", &[("home", "x.md")]);
    // Also directly below a line of text, where Markdown knows no definitions.
    check(
        "Read [the docs][@docs] or [@docs].\n[@docs]: https://docs.example.com/a\nMore [x][@y].\n  [@y]: <y.md>\n",
        "Read [the docs][@docs] or [@docs].\nMore [x][@y].",
        &[("docs", "https://docs.example.com/a"), ("y", "y.md")],
    );
    for text in ["[a][@a]\n\n```\n[@a]: x\n```", "[a][@a]\n[@a]: x y", "[a][@a] [@a]: x", "[a][a]\n[a]: x"] {
        check(text, text, &[]);
    }
    let labels: Vec<_> = page("[@a]\n\n[Better][@a]\n\n[@a]: x\n[@b]: y\n")
        .shortcuts()
        .iter()
        .map(|s| s.label.clone())
        .collect();
    assert_eq!(labels, ["Better", "b"]);
}

#[test]
fn long_and_web_links_get_ids_from_their_labels() {
    let long = "./a/very/long/path/that/goes/on/and/on/x.md";
    check(
        &format!("[MDN Web Docs](https://mdn.org) [Read]({long}) [short](./s.md) [HTTP](HTTP://X.org)\n"),
        "[MDN Web Docs][@mdn-web-docs] [Read][@read] [short](./s.md) [HTTP][@http]",
        &[("mdn-web-docs", "https://mdn.org"), ("read", long), ("http", "HTTP://X.org")],
    );
    let forty = format!("[a](./{})\n", "x".repeat(38));
    check(&forty, forty.trim(), &[]);
    let labels = [
        ("exactly twenty chars", "exactly-twenty-chars"),
        ("this is twenty-one ch", "link-1"),
        ("C++", "link-1"),
        ("it's", "link-1"),
        ("Link 3", "link-1"),
        ("2024 Report", "2024-report"),
        ("문서", "문서"),
        ("`code`", "code"),
        ("-", "link-1"),
        ("", "link-1"),
        ("@Someone", "link-1"),
        ("@link-9 Mine", "link-1"),
    ];
    for (label, id) in labels {
        let page = page(&format!("[{label}](https://x.org)\n"));
        assert_eq!(page.shortcuts()[0].id, id, "{label}");
        assert_eq!(page.view().text(), format!("[{label}][@{id}]"));
    }
}

#[test]
fn repeated_ids_are_numbered_and_repeated_links_are_one() {
    check(
        "[Docs](https://a) [Docs](https://b) [docs](https://c) [Docs](https://a) [Docs 2](https://d) [!](https://e) [?](https://f)\n",
        "[Docs][@docs] [Docs][@docs-2] [docs][@docs-3] [Docs][@docs] [Docs 2][@docs-2-2] [!][@link-1] [?][@link-2]",
        &[
            ("docs", "https://a"),
            ("docs-2", "https://b"),
            ("docs-3", "https://c"),
            ("docs-2-2", "https://d"),
            ("link-1", "https://e"),
            ("link-2", "https://f"),
        ],
    );
    // A name that comes later is still the author's.
    check(
        "[Docs](https://a) [@docs Mine](b)\n",
        "[Docs][@docs-2] [Mine][@docs]",
        &[("docs-2", "https://a"), ("docs", "b")],
    );
}

#[test]
fn a_name_stands_for_one_link() {
    let page = page("[@a One](x) [@a Two](y) [@a Three](https://z) [@a Again](x)\n");
    assert_eq!(page.view().text(), "[One][@a] [Two](y) [Three][@three] [Again][@a]");
    let warnings: Vec<_> = page.warnings().map(|(_, warning)| warning.to_string()).collect();
    assert_eq!(warnings, ["line 1: @a already stands for another link"; 2]);
}

#[test]
fn definitions_move_into_the_links_that_use_them() {
    check(
        "[App][app], [app], [app][] and [Web][W].\n\n[app]: <./my app.md>\n[App]: ignored.md\n[w]: https://w.org\n\nEnd.\n",
        "[App](<./my app.md>), [app](<./my app.md>), [app](<./my app.md>) and [Web][@web].\n\nEnd.",
        &[("web", "https://w.org")],
    );
    check("Text.\n\n[x]: a.md\n[x]: again.md\n", "Text.", &[]);
    check("[x]: a.md\n\n> [y]: b.md\n\n[x] [y]\n", "[x](a.md) [y](b.md)", &[]);
}

#[test]
fn images_and_bare_addresses_are_links_too() {
    check(
        "![Logo](https://x/l.png) [![Badge](https://x/b.svg)](https://ci) ![s](s.png) <https://bare.org/x> <me@x.org>\n",
        "![Logo][@logo] [![Badge][@badge-2]][@badge] ![s](s.png) [https://bare.org/x][@link-1] <me@x.org>",
        &[
            ("logo", "https://x/l.png"),
            ("badge", "https://ci"),
            ("badge-2", "https://x/b.svg"),
            ("link-1", "https://bare.org/x"),
        ],
    );
}

#[test]
fn links_are_found_everywhere_but_in_code() {
    check(
        "# [A](https://a)\n\n> [B](https://b)\n\n- [C](https://c)\n\n| [D](https://d) |\n|---|\n| `[E](https://e)` |\n\n[multi\nline](https://f\n\"title\") rest\n\n\\[F](https://f) `[@g G](h)`\n",
        "# [A][@a]\n\n> [B][@b]\n\n- [C][@c]\n\n| [D][@d] |\n|---|\n| `[E](https://e)` |\n\n[multi\nline][@multi-line] rest\n\n\\[F](https://f) `[@g G](h)`",
        &[
            ("a", "https://a"),
            ("b", "https://b"),
            ("c", "https://c"),
            ("d", "https://d"),
            ("multi-line", "https://f"),
        ],
    );
}

#[test]
fn links_over_several_lines_and_mail_addresses() {
    check("[a](\nhttps://f\n\"title\"\n) rest\nnext\n", "[a][@a] rest\nnext", &[("a", "https://f")]);
    let mail = "<somebody.with.a.very.long.name@department.example.org>";
    check(mail, mail, &[]);
}

#[test]
fn other_directives_and_footnotes_stay() {
    let text = "[!video:x](https://x.org/v)\n\nA note[^1].\n\n[^1]: https://not.a/definition";
    check(text, text, &[]);
}

#[test]
fn included_links_are_numbered_with_the_page_and_keep_their_file() {
    let mut source = Source::new(
        Origin::new("a.md"),
        parse("[X](https://1)\n\n[!include:p](p.md)\n\n[X](https://3) [@n N](n)\n"),
    );
    let part = Source::new(Origin::new("sub/p.md"), parse("[X](https://2) [@n N](n)\n"));
    source.inclusions.insert(3, Inclusion::Loaded(Box::new(part)));
    let page = Page::compose(source);
    assert_eq!(page.view().text(), "[X][@x]\n\n[X][@x-2] [N][@n]\n\n[X][@x-3] [N](n)");
    let found: Vec<_> =
        page.shortcuts().iter().map(|s| (s.id.as_str(), s.origin.as_str(), s.line, s.kind)).collect();
    assert_eq!(
        found,
        [
            ("x", "a.md", 1, ShortcutKind::Auto),
            ("x-2", "sub/p.md", 1, ShortcutKind::Auto),
            ("n", "sub/p.md", 1, ShortcutKind::Named),
            ("x-3", "a.md", 5, ShortcutKind::Auto),
        ]
    );
}

#[test]
fn output_is_only_looked_at_for_long_links() {
    let long = format!("https://x.org/{}", "y".repeat(40));
    let text = format!(
        "---\na: b\n---\n\n\n[!nav:x](y)\n<!-- #a -->\n[Docs]({long}) [s](https://s.org) [@n N]({long}) `[Docs]({long})`\n```act.a\nGET x\n```\n[r]\n\n[r]: {long}\n"
    );
    let (shown, shortcuts) = shorten_links(&text, &Origin::new("x"), &["docs", "n"]);
    let expected = text.replacen(&format!("[Docs]({long})"), "[Docs][@docs-2]", 1);
    let expected = expected.replacen(&format!("[@n N]({long})"), "[N][@n-2]", 1);
    assert_eq!(shown, expected);
    let ids: Vec<_> = shortcuts.iter().map(|s| (s.id.as_str(), s.href.as_str(), s.kind)).collect();
    assert_eq!(
        ids,
        [("docs-2", long.as_str(), ShortcutKind::Auto), ("n-2", long.as_str(), ShortcutKind::Auto)]
    );
}

#[test]
fn a_line_of_badges_is_a_line_of_links() {
    let badge = "[![Build](https://ci.org/b.svg)](https://ci.org/)";
    check(
        &format!("{badge} [Docs](https://docs.org/)\n\n[!important] see [z](https://z.org/)\n"),
        "[![Build][@build-2]][@build] [Docs][@docs]\n\n[!important] see [z][@z]",
        &[
            ("build", "https://ci.org/"),
            ("build-2", "https://ci.org/b.svg"),
            ("docs", "https://docs.org/"),
            ("z", "https://z.org/"),
        ],
    );
}

#[test]
fn relative_links_of_included_text_are_relative_to_the_page() {
    let part = parse(
        "[near](./near.md \"Title\") [@named x](n.md) [up](../up.md) [spaced](<a b.md>) <me@x.org> [ref]\n\n[ref]: r.md\n",
    );
    let mut source =
        Source::new(Origin::new("/s/whole.md"), parse("[own](./own.md)\n\n[!include:p](sub/p.md)\n"));
    let part = Source::new(Origin::new("/s/sub/p.md"), part);
    source.inclusions.insert(3, Inclusion::Loaded(Box::new(part)));
    let page = Page::compose(source);
    let expected = "[own](./own.md)\n\n[near](./sub/near.md) [x][@named] [up](./up.md) [spaced](<./sub/a b.md>) <me@x.org> [ref](./sub/r.md)";
    assert_eq!(page.view().text(), expected);
    // A shortcut is looked up from where it stands.
    assert_eq!(page.shortcut("named").unwrap().href, "n.md");
}
