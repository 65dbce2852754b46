//! Pages of further kinds, each as the generator or hand that makes such pages writes them.

#[path = "support/page.rs"]
mod page;

use page::{convert, shown};
use web::html::Extent;

fn check(name: &str, present: &[&str], absent: &[&str]) {
    insta::assert_snapshot!(name, shown(name, present, absent));
    assert_eq!(convert(name, Extent::Main).notes, [""; 0], "{name}");
}

#[test]
fn a_repository_with_its_readme() {
    check(
        "readme",
        &[
            "# tidelock\n",
            "[ ![build](https://ci.example/tidelock.svg)](https://ci.example/tidelock)",
            "![A lock between two basins](https://www.example.org/harbour/tidelock/raw/main/docs/light.png)",
            "[the design](https://www.example.org/guide/docs/DESIGN.md)",
            "```shell\ncargo add tidelock # or --git\n```",
            "```rust\nuse tidelock::Lock;\n\nfn main() {\n    let lock = Lock::new(4); // four gates\n    if lock.level() < 2 && !lock.is_open() { lock.fill(); }\n}\n```",
            "`*.tide`; `snake_case`",
            "| `a \\| b` | ✅ | ✅ |",
            "- ☑ Pumps\n- ☐ Gates with **sensors**",
            "**Why not a dam?**\n\nBecause ships must pass.\n\n```json\n{\"ships\": true}\n```",
            "> **Note**  \n> Works at spring tide only.",
            "Never open both gates.",
            "1. Or Apache, at your option.",
        ],
        &["Sign in", "Pull requests", "Fork", "Releases", "Privacy", "Permalink", "↩", "Footnotes"],
    );
}

#[test]
fn a_question_and_its_answers() {
    check(
        "answers",
        &[
            "# [How do I read a file line by line without loading it?](https://www.example.org/questions/77/how-do-i-read-a-file)",
            "a log of 40 GB",
            "```rust\nlet text = std::fs::read_to_string(\"app.log\")?;\nfor line",
            "*one line*",
            "[Mara]",
            "## 2 Answers",
            "[`BufReader`](https://doc.example/std/io/struct.BufReader.html)",
            "```rust\nuse std::io::{BufRead, BufReader};\n\nlet file",
            "2. `read_line` keeps one:\n\n   ```\n   let mut buf",
            "> Lines may be of any length.",
            "Ferris",
            "`mmap`, if nobody truncates",
            "- but **unsafe**.",
        ],
        &["Log in", "Products", "Related", "Highest score", "Sorted by", "Legal", "you agree", "watchmen"],
    );
}

#[test]
fn a_layout_of_tables() {
    check(
        "oldtable",
        &[
            "**How tides are computed**\n\nEvery harbour",
            "comes round twice in a lunar day.\n\nBefore computers",
            "| **Name** | **Period (h)** | **Amplitude (m)** |\n| --- | --- | --- |\n| M2 | 12.42 | 1.81 |",
            "```\nh(t) = Z0 + sum( A[i] * cos( w[i]*t - g[i] ) )\n```",
            "[here](https://www.example.org/guide/soft/tide.f)",
            "- Spring tide: sun and moon pull together\n- Neap tide",
            "(mailto:keeper@tides.example)",
        ],
        &["Moon phases", "Guest book", "Tide tables\n", "spacer", "banner"],
    );
}

#[test]
fn a_history_of_releases() {
    check(
        "changelog",
        &[
            "# Changelog\n\n## 4.2.0 2025-02-01\n",
            "7. Stop the writers.\n   1. Drain the queue: `Ctrl`+`D`\n   2. Wait until `lag = 0`:\n\n      ```sh\n      ferrite lag --follow\n      ```\n\n      then go on.\n9. Upgrade the readers.\n\n   They speak both versions.\n\n10. Start the writers.",
            "[#812](https://tracker.example/812): sums of 2^53 + 1 were off by one; CO2 columns",
            "now `\\frac{n}{k}`, not `n^2`.",
            "~~Batch mode~~ Bulk mode accepts *size* ≤ 10^6.",
            "Downgrades lose the journal.",
            "```bash\napt install ferrite\nferrite --version\n```",
            "**`pool.size`**\n\nKept connections.\n\nWas 4, is 8.",
            "**`pool.idle`**\n\n**`pool.wait`**\n\nTimes, in seconds.",
            "**All 14 smaller changes**\n\n1. Faster start\n2. Less memory",
            "[Upgrading](https://www.example.org/guide/upgrade#step-2), WAL notes & [the archive](https://mirror.example/f.tar.gz)",
        ],
        &[
            "Docs",
            "Introduction",
            "contents entry",
            "Edit this page",
            "Previous",
            "Copy",
            "Release history",
            "On this page",
        ],
    );
}

#[test]
fn a_recipe_whose_images_come_later() {
    check(
        "recipe",
        &[
            "# Plum tart with almonds\n",
            "[Nell Ward](https://www.example.org/author/nell) · 3 September 2024",
            "![A plum tart on a blue plate](https://img.larder.example/tart-800.jpg)\n\nBest on the day it is baked.",
            "Late plums are sour enough",
            "![Plums, halved](https://www.example.org/img/plums.jpg)",
            "![Pastry in its tin](https://www.example.org/img/pastry.jpg)",
            "**Oven**\n\n190 °C / 375 °F",
            "- 200 g plain flour\n- 1½ tbsp sugar (*golden*, if you have it)\n- 100 g [cold butter](https://www.example.org/glossary/butter)",
            "2. Chill for 30 minutes.\n\n   ![Dough in a bowl](https://www.example.org/img/step2.jpg)",
            "3. Bake until the juice bubbles",
            "[Video](https://www.example.org/video/tart.mp4)",
        ],
        &[
            "Shop",
            "Advertisement",
            "Pin it",
            "Jump to",
            "placeholder",
            "Hidden words",
            "Apple cake",
            "Made it twice",
            "Nell cooks",
            "20,000",
            "Privacy",
            "data:image",
        ],
    );
}

#[test]
fn an_article_from_right_to_left() {
    check(
        "arabic",
        &[
            "# عودة المنارة إلى العمل بعد ثلاثين عامًا\n",
            "كتبت **ليلى الحداد** — ١٢ آذار ٢٠٢٥",
            "![المنارة عند الغروب](https://www.example.org/%D8%B5",
            "أضاءت منارة الميناء القديم",
            "مسافة **٢٢ ميلًا** بحريًا.",
            "## كيف أُصلحت العدسة؟",
            "`lens-map 2.0`",
            "[صيدا](https://www.example.org/%D9%85",
            "2. تركيب محرك جديد بقدرة 1.5 kW؛",
            "| السنة | الحدث |\n| --- | --- |\n| ١٨٨٧ | البناء |",
            "> البحر لا ينسى من أضاء له.",
            "رصيف الصيادين المجاور لها.",
        ],
        &["البث المباشر", "اقتصاد", "الأكثر قراءة", "أسعار الخضار", "اتصل بنا"],
    );
}

#[test]
fn an_encyclopedia_with_tables_in_tables() {
    check(
        "infobox",
        &[
            "# Basking shark\n",
            "| Basking shark Temporal range: Oligocene–Present |  |",
            "(https://upload.open.example/thumb/shark/250px.jpg)",
            "| Kingdom: | [Animalia](https://www.example.org/wiki/Animalia) |",
            "| Length 7.9 m; Mass 4,650 kg |  |",
            "The **basking shark** (*Cetorhinus maximus*)",
            "(4 5⁄8 short tons)",
            "## Taxonomy\n\nMain article: [Cetorhinus](https://www.example.org/wiki/Cetorhinus)",
            "*Sightings by year*\n\n| Year | Sightings |  |\n| --- | --- | --- |\n|  | North | South |\n| 2019 | 112 | 41 |\n| 2020 | no survey |  |",
            "An egg case",
            "1. Sims, D. W. (2008). [\"Sieving a living\"](https://doi.example/10.1016/x). *Advances*. **54**: 171–220.",
        ],
        &[
            "Jump to",
            "Main page",
            "Contents",
            "languages",
            "Deutsch",
            "Talk",
            "Species of shark",
            "From the Open",
            "Goblin",
            "Categories",
            "last edited",
            "\\^",
        ],
    );
}
