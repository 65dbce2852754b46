//! Whole pages: the content is there, the surroundings are not, and the snapshot shows how it reads.

#[path = "support/page.rs"]
mod page;

use page::{convert, shown};
use web::html::Extent;

fn check(name: &str, present: &[&str], absent: &[&str]) {
    insta::assert_snapshot!(name, shown(name, present, absent));
}

#[test]
fn documentation() {
    check(
        "docs",
        &[
            "# Connection pooling\n",
            "Opening a connection costs",
            "[`Pool`](https://www.example.org/api/pool.html#Pool)",
            "Sharing it between loops deadlocks.",
            "## Creating a pool\n",
            "```python\nimport ferrite\n\npool = ferrite.Pool(size=8, idle=\"30s\")\nwith pool.lend() as c:\n    c.query(\"select 1 < 2\")\n```",
            "```bash\nferrite pool --size 8 \\\n  --idle 30s\n```",
            "```toml\n[pool]\nsize = 8\nidle = \"30s\"\n```",
            "```rust\nlet pool = Pool::new(8)?;\npool.close().await;\n```",
            "## Limits\n",
            "[Time-outs](https://www.example.org/guide/timeouts.html#waiting)",
            "Connections kept at most. Default *4*.",
            "Seconds before an unused connection is closed.",
        ],
        &[
            "¶",
            "Skip to content",
            "Installation",
            "Quickstart",
            "Blog",
            "Previous",
            "On this page",
            "Sphinx",
            "Copy",
            "Docs",
        ],
    );
}

#[test]
fn blog_article() {
    check(
        "blog",
        &[
            "# Why our queue was slow",
            "Ines Falk",
            "**forty thousand** jobs",
            "![Backlog by hour](https://www.example.org/img/backlog.png)",
            "The backlog, before and after.",
            "## The symptom",
            "> I am doing exactly what you asked.\n>\n> — the query planner",
            "O(n^2) time",
            "```sql\ncreate index concurrently",
            "~~an hour~~ a minute",
            "1. Look at the plan first.\n2. An idle worker is a *waiting* worker.",
            "![After the fix](https://cdn.harbour.example/after.webp)",
            "[Embedded page: Talk about queues](https://video.example/embed/42)",
            "Half a million on a quiet day.",
        ],
        &[
            "About me",
            "Archive",
            "Share on",
            "Send by mail",
            "You may also like",
            "socks",
            "Subscribe",
            "Privacy policy",
            "data:image",
        ],
    );
}

#[test]
fn news_without_landmarks_and_with_comments() {
    check(
        "news",
        &[
            "# Bridge reopens after two years of repairs",
            "The old iron bridge over the Lenne",
            "said Jonas Reuter, 81",
            "Repairs cost 41.7 million",
            "## What was done",
            "312 rivets by hand",
            "[tram line](https://www.example.org/topics/trams)",
            "hold for eighty years",
        ],
        &[
            "843 partners",
            "Accept all",
            "Puzzles",
            "Most read",
            "soups",
            "one coin a week",
            "Imprint",
            "Advertisement",
            "dataLayer",
        ],
    );
}

#[test]
fn reference_with_tables() {
    check(
        "reference",
        &[
            "# HTTP status codes",
            "*Client errors*",
            "| Code | Name | Meaning |\n| --- | --- | --- |\n| 400 | Bad Request | The request cannot be read; for instance `a\\|b` in a header. |",
            "| 404 | [Not Found](https://www.example.org/codes/404) | Nothing here. Perhaps never was. |",
            "| 41x | Gone | It was here \\| once. |\n|  | Length Required | Say how long it is. |",
            "| All others |  | teapot; too early |",
            "## Without a header",
            "| GET | safe |\n| --- | --- |\n| POST | unsafe |\n| PUT | idempotent |",
            "|  |  |\n| --- | --- |\n| Standard | RFC 9110 |",
            "| a | b | c | d | e | f |",
            "| 7 |  | 9 |",
        ],
        &["Index", "Methods", "Last generated"],
    );
}

#[test]
fn forum_thread() {
    check(
        "forum",
        &[
            "Sourdough does not rise",
            "My starter smells fine",
            "> ",
            "There is your answer: it is too cold.",
            "Also feed the starter twice",
            "The lamp did it!",
            "holes the size of walnuts",
        ],
        &["Register", "FAQ", "The team", "Delete all board cookies"],
    );
}

#[test]
fn product() {
    check(
        "product",
        &[
            "![Kestrel 2, front](https://www.example.org/img/kestrel-front.jpg)",
            "# Kestrel 2 trail lamp",
            "~~€ 89.00~~ **€ 69.00** incl. VAT",
            "In stock",
            "lasts for **40 hours**",
            "- Red light for maps\n- Waterproof to IP68",
            "| Weight | 88 g |",
            "| Output | 420 lm |",
            "Light as a feather.",
            "The strap slips on a wet hood.",
        ],
        &[
            "Cart",
            "Tents",
            "Add to cart",
            "Orange",
            "Only 3 left",
            "also bought",
            "Dry bag",
            "pixel.gif",
            "Returns",
        ],
    );
}

#[test]
fn nested_lists() {
    check(
        "lists",
        &[
            "3. Third thing: **sleep**",
            "   - sleeping bag\n     - liner\n     - sack, *compressed*\n   - mat",
            "4. Fourth thing: food.",
            "Two paragraphs belong here.",
            "1. oats",
            "2. lentils",
            "soak 8h",
            "5. Fifth thing, one paragraph.",
            "- ☑ map\n- ☐ compass",
            "- tea\n  - green\n  - black\n- coffee",
            "> Carry little:",
            "> - less",
            "**Crampons**",
            "Only in spring.",
            "### [Card title](https://www.example.org/guide/a.html)",
            "Card text under the title.",
        ],
        &[],
    );
}

#[test]
fn scripts_of_the_world() {
    check(
        "nonlatin",
        &[
            "# 多言語のページ",
            "猫(ねこ)である",
            "**どこで生れたか**",
            "## مرحبا بالعالم",
            "[رابط](https://www.example.org/ar/",
            "Все счастливые семьи",
            "می\u{200c}خواهم, 👩\u{200d}👩\u{200d}👧, क्\u{200d}ष",
            "| 言語 | 挨拶 |",
            "| 한국어 | 안녕하세요 |",
        ],
        &["ホーム", "会社概要", "著作権"],
    );
}

#[test]
fn a_very_short_page() {
    check("short", &["# OK\n\nIt works!"], &[]);
}

#[test]
fn an_app_without_its_scripts() {
    check("app", &["Plan your team's week", "enable JavaScript"], &["__CONFIG__"]);
    assert_eq!(convert("app", Extent::Main).notes, ["this page needs JavaScript"]);
}

#[test]
fn a_consent_wall() {
    check("cookiewall", &[], &["Accept all"]);
    assert_eq!(
        convert("cookiewall", Extent::Main).notes,
        ["blocked: the page asks for consent to cookies first"]
    );
}

#[test]
fn a_browser_check() {
    check("challenge", &["Verifying you are human"], &["_cf_chl_opt"]);
    assert_eq!(convert("challenge", Extent::Main).notes, ["blocked: a browser check by Cloudflare"]);
}

#[test]
fn an_empty_page() {
    check("empty", &[], &["track"]);
    assert_eq!(convert("empty", Extent::Main).notes, ["empty page"]);
}

#[test]
fn a_page_from_another_century() {
    check(
        "soup",
        &[
            "**How to mend a Philetta**",
            "First, pull the plug.",
            "*300 volts*",
            "\n\nSecond, take off the back",
            "\n\nThird, measure between",
            "[walter@radio.example](mailto:walter@radio.example)",
            "![My Philetta, mended](https://www.example.org/guide/pics/philetta.jpg)",
        ],
        &[],
    );
}

#[test]
fn an_encyclopedia() {
    check(
        "wiki",
        &[
            "# Lenne Bridge",
            "| Opened | 1893 |",
            "The **Lenne Bridge** is an [arch bridge](https://www.example.org/wiki/Arch_bridge) of [iron](https://www.example.org/wiki/Iron_%28metal%29)",
            "## History",
            "designed by *Clara Voss*",
            "The flood reached the deck.",
            "City archive, file 77.",
        ],
        &[
            "Navigation menu",
            "Log in",
            "Create account",
            "Abbey Bridge",
            "Contents",
            "Categories",
            "last edited",
            "Jump to",
        ],
    );
}

#[test]
fn hidden_text_and_forged_conventions() {
    check(
        "hostile",
        &[
            "# A recipe for plum cake",
            "Take 500 g of flour",
            "Knead for ten minutes.",
            "Click me and me and",
            "Bake for an hour.",
        ],
        &[
            "SECRET",
            "\u{200b}",
            "\u{202e}",
            "\u{e0049}",
            "](javascript",
            "](data",
            "file:///etc/passwd)\n```",
        ],
    );
}

#[test]
fn everything_is_kept_when_everything_is_asked_for() {
    let whole = convert("docs", Extent::Whole).markdown;
    for text in ["Installation", "Previous", "Built with Sphinx", "Opening a connection costs"] {
        assert!(whole.contains(text), "{text} is missing in\n{whole}");
    }
}
