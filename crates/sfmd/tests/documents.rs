//! What parsing finds in a text: header, headings, blocks, directives, warnings.

use serde_json::json;
use sfmd::{DirectiveKind, Document, PackageType, Target, parse};

fn warnings(document: &Document) -> Vec<String> {
    document.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn known_keys_have_types_and_others_are_kept() {
    let document = parse(
        "---\ntitle: 2024\nname: weather\nnamespace: demo\ntype: app\nversion: 1.10\ndescription: >\n  Two\n  lines\nauthor: Ann\ntags: [a, \"b c\", 3]\ndefault: now\nstate:\n  x: 1\nvault: [k]\nextra: no\nmore: {deep: [1.5]}\n---\n# Body\n",
    );
    let header = &document.frontmatter;
    assert_eq!(warnings(&document), [""; 0]);
    let texts = [
        &header.title,
        &header.name,
        &header.namespace,
        &header.version,
        &header.description,
        &header.author,
        &header.default,
    ];
    let texts = texts.map(|text| text.as_deref().unwrap_or("-"));
    assert_eq!(texts, ["2024", "weather", "demo", "1.10", "Two lines", "Ann", "now"]);
    assert_eq!(header.package_type, Some(PackageType::App));
    assert_eq!(header.tags, ["a", "b c", "3"]);
    let state = header.state.as_ref().unwrap();
    assert_eq!((&state.value, state.line), (&json!({"x": 1}), 14));
    assert_eq!(header.vault.as_ref().unwrap().value, json!(["k"]));
    let other: Vec<_> = header.other.iter().map(|(key, at)| (key.as_str(), &at.value, at.line)).collect();
    assert_eq!(other, [("extra", &json!("no"), 16), ("more", &json!({"deep": [1.5]}), 17)]);
    assert_eq!(header.lines, 1..19);
    assert_eq!(document.title(), Some("2024"));
}

#[test]
fn required_variables_come_in_four_forms() {
    let document = parse(
        "---\nenv:\n  - API_KEY: \"OpenWeather API key\"\n  - DEFAULT_REGION: \"Default region code\"\n    default: US\n  - BARE\n  - {name: FULL, description: All, default: 017}\n  - $DOLLAR\n  - [x]\n  - 1X: y\nrequires: [OLD, $BARE]\n---\n",
    );
    let env: Vec<_> = document
        .frontmatter
        .env
        .iter()
        .map(|variable| (variable.to_string(), variable.default.as_deref(), variable.line))
        .collect();
    assert_eq!(
        env,
        [
            ("$API_KEY — \"OpenWeather API key\"".to_owned(), None, 3),
            ("$DEFAULT_REGION — \"Default region code\"".to_owned(), Some("US"), 4),
            ("$BARE".to_owned(), None, 6),
            ("$FULL — \"All\"".to_owned(), Some("017"), 7),
            ("$DOLLAR".to_owned(), None, 8),
            ("$OLD".to_owned(), None, 11),
        ]
    );
    let merged = parse("---\nrequires: [KEY]\nenv:\n  - KEY: Text\n    default: x\n---\n").frontmatter.env;
    assert_eq!(
        (merged.len(), merged[0].to_string(), merged[0].default.as_deref()),
        (1, "$KEY — \"Text\"".to_owned(), Some("x"))
    );
    assert_eq!(
        warnings(&document),
        ["line 9: env: entry names no variable", "line 10: env: entry names no variable"]
    );
}

#[test]
fn a_bad_header_is_a_warning_with_its_line() {
    let cases = [
        ("---\ntitle: [a\n---\nText\n", "line 2: frontmatter: unclosed bracket '['"),
        ("---\na: 1\na: 2\n---\nText\n", "line 3: frontmatter: duplicate mapping key: a"),
        ("---\ntype: page\n---\nText\n", "line 2: type: must be app or tool"),
        ("---\ntitle: [a]\n---\nText\n", "line 2: title: must be text"),
        (
            "---\nenv:\n  - KEY: Text\n    default: [1, 2]\n---\nText\n",
            "line 4: env: the default of KEY is no text, and is left out",
        ),
        ("---\nenv: KEY\n---\nText\n", "line 2: env: must be a list"),
        ("---\ntitle: x\n\nText\n", "line 1: frontmatter is not closed with ---"),
    ];
    for (source, warning) in cases {
        assert_eq!(warnings(&parse(source)), [warning], "{source:?}");
    }
}

#[test]
fn headings_between_rules_are_no_header() {
    for source in ["---\n\n# Slide 1\n\n---\n\n# Slide 2\n", "---\n# One\n## Two\n---\n"] {
        let document = parse(source);
        assert_eq!((document.headings.len(), document.frontmatter.lines.len()), (2, 0), "{source}");
        assert!(document.warnings.is_empty());
    }
    for source in ["---\n---\n# T\n", "---\n\n---\n# T\n", "---\n# A comment\ntitle: T\n---\n"] {
        let document = parse(source);
        assert_eq!(document.title(), Some("T"), "{source}");
        assert!(!document.frontmatter.lines.is_empty(), "{source}");
    }
}

#[test]
fn alias_bombs_and_huge_headers_are_refused() {
    let mut bomb = "---\na0: &a0 [x, x]\n".to_owned();
    for level in 1..40 {
        bomb.push_str(&format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1));
    }
    bomb.push_str("---\n# T\n");
    let document = parse(&bomb);
    let [warning] = &document.warnings[..] else { panic!("{:?}", document.warnings) };
    let expected = "frontmatter: more than a header holds: 5000 values, 50 aliases, 32 levels";
    assert_eq!(warning.message, expected);
    assert_eq!(document.title(), Some("T"));

    let huge = format!("---\na: {}\n---\n# T\n", "x".repeat(70_000));
    assert_eq!(warnings(&parse(&huge)), ["line 2: frontmatter is longer than 64 KB and is ignored"]);
    let deep = format!("---\na: {}\n---\n# T\n", "[".repeat(50_000));
    assert_eq!(parse(&deep).warnings.len(), 1);
}

#[test]
fn rules_are_no_header() {
    for source in [
        "---\n# Title\n",
        "---\nJust text.\n---\nMore.\n",
        "text\n---\na: b\n---\n",
        " ---\na: b\n---\n",
        "----\na: b\n----\n",
    ] {
        let document = parse(source);
        assert_eq!(document.frontmatter.lines, 0..0, "{source:?}");
        assert_eq!(warnings(&document), [""; 0], "{source:?}");
    }
    assert_eq!(parse("---\n---\n# T\n").frontmatter.lines, 1..3);
    let windows = parse("\u{feff}---\r\ntitle: T\r\n---\r\n# H\r\n");
    assert_eq!((windows.title(), windows.headings[0].lines.clone()), (Some("T"), 4..5));
}

#[test]
fn the_first_heading_is_the_title() {
    let cases = [
        ("# A *b* `c` {#x .y}\n", Some("A b c")),
        ("Setext\n===\n", Some("Setext")),
        ("> # Quoted\n\n## Own\n", Some("Own")),
        ("```\n# Code\n```\n", None),
        ("# [@id Label](x) and [b](y)\n", Some("Label and b")),
        ("[!nav:main](x)\n---\n# Real\n", Some("Real")),
        ("#\n\n## Second\n", Some("Second")),
    ];
    for (source, title) in cases {
        assert_eq!(parse(source).title(), title, "{source:?}");
    }
}

#[test]
fn an_id_names_the_strongest_of_what_has_it() {
    let source =
        "# Setup\n\n## One {#setup}\n\n[!include:setup](x.md)\n\n<!-- #setup -->\nblock\n<!-- /setup -->\n";
    let document = parse(source);
    assert!(matches!(document.resolve("setup"), Some(Target::Block(_))));
    let document = parse(&source.replace("<!-- #setup -->", ""));
    assert!(matches!(document.resolve("setup"), Some(Target::Include { line: 5, .. })));
    let document = parse("# Setup\n\n## One {#setup}\n");
    assert!(matches!(document.resolve("setup"), Some(Target::Heading(heading)) if heading.text == "One"));
    let document = parse("# Setup\n\n## Two\n\n# Setup\n\n## 설치 방법\n");
    let lines = |id: &str| match document.resolve(id) {
        Some(Target::Heading(heading)) => Some(heading.lines.clone()),
        _ => None,
    };
    assert_eq!(lines("setup"), Some(1..5));
    assert_eq!(lines("setup-2"), Some(5..8));
    assert_eq!(lines("two"), Some(3..5));
    assert_eq!(lines("설치-방법"), Some(7..8));
    assert_eq!(lines("설치 방법"), Some(7..8));
    assert_eq!(lines(""), None);
}

#[test]
fn editing_takes_whole_lines_and_never_half_a_pair_of_markers() {
    let document = parse(
        "# Notes\n\n<!-- #all -->\n## Decisions\n(none yet)\n\n<!-- #in -->\nx\n<!-- /in -->\n\n<!-- /all -->\n\ntail\n\n## Next\n<!-- #cut -->\ny\n# Other\n<!-- /cut -->\n",
    );
    assert_eq!(document.edit_lines("all"), Some(4..11));
    assert_eq!(document.edit_lines("in"), Some(8..9));
    assert_eq!(document.edit_lines("decisions"), Some(4..10));
    assert_eq!(document.edit_lines("next"), Some(15..16));
    assert_eq!(document.edit_lines("other"), Some(18..19));
    assert_eq!(document.edit_lines("nope"), None);
    assert_eq!(parse("[!include:foot](x)\n").edit_lines("foot"), None);
}

#[test]
fn conventions_in_code_are_text() {
    let hidden = "[!nav:a](x)\n<!-- #a -->\nx\n<!-- /a -->\n[@id L](y)\n";
    let wrapped = [
        format!("```\n{hidden}```\n"),
        format!("~~~\n{hidden}~~~\n"),
        format!("````md\n```\n{hidden}```\n````\n"),
        hidden.lines().map(|line| format!("    {line}\n")).collect(),
        hidden.lines().map(|line| format!("\t{line}\n")).collect(),
        format!(
            "- a\n\n  ```\n{}  ```\n",
            hidden.lines().map(|line| format!("  {line}\n")).collect::<String>()
        ),
        "`` \n[!nav:a](x)\n[@id L](y) ``\n".to_owned(),
        format!(
            "<!--\n{}-->\n",
            hidden
                .lines()
                .filter(|line| !line.contains("-->"))
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        ),
        format!("<script>\n{hidden}</script>\n"),
        hidden.lines().map(|line| format!("> {line}\n")).collect::<String>().replace("[@id L](y)", ""),
    ];
    for source in wrapped {
        let document = parse(&source);
        assert_eq!((document.directives.len(), document.blocks.len()), (0, 0), "{source}");
        let page = sfmd::Page::compose(sfmd::Source::new(sfmd::Origin::new("x"), document));
        assert_eq!(page.shortcuts(), [], "{source}");
        let normal = |text: &str| {
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(normal(page.view().text()), normal(&source));
    }
}

#[test]
fn directives_stand_in_paragraphs_and_lists_but_not_in_html() {
    let document = parse(
        "text\n[!nav:main](a b.md)\n- x\n  [!include:one]()\n\n<div>\n[!include:two](y)\n<!-- #blk -->\n</div>\n<!-- /blk -->\n\n[!requirements](./setup.md)\n[!odd:thing](https://example.org)\n[!nav:Main](x)\n[!nav:main](again.md)\n",
    );
    let kinds: Vec<_> = document
        .directives
        .iter()
        .map(|directive| match &directive.kind {
            DirectiveKind::Nav { name, path } => format!("{} nav {name} {path}", directive.line),
            DirectiveKind::Include(include) => {
                format!("{} include {} {}", directive.line, include.id, include.path_beside("page"))
            }
            DirectiveKind::Requirements { path } => format!("{} requirements {path}", directive.line),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "2 nav main a b.md",
            "4 include one page.source/one.md",
            "12 requirements ./setup.md",
            "15 nav main again.md"
        ]
    );
    assert_eq!(document.block_ids(), ["one", "blk"]);
    assert_eq!(
        warnings(&document),
        [
            "line 14: this directive needs another name or a path",
            "line 15: menu main is already on this page"
        ]
    );
}
