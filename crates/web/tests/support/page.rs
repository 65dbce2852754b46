//! Pages in files, converted and looked through.

use web::html::{Converted, Extent, to_markdown};
use web::parse_url;

/// The page `tests/pages/NAME.html`, as if it came from a site.
pub fn convert(name: &str, extent: Extent) -> Converted {
    let html = std::fs::read_to_string(format!("{}/tests/pages/{name}.html", env!("CARGO_MANIFEST_DIR")))
        .expect("a page");
    let url = parse_url(&format!("https://www.example.org/guide/{name}.html")).expect("an address");
    to_markdown(&html, &url, extent)
}

/// What is shown of a page. Fails unless everything in `present` is, in this order, and nothing in `absent`.
pub fn shown(name: &str, present: &[&str], absent: &[&str]) -> String {
    let Converted { markdown, title, notes, .. } = convert(name, Extent::Main);
    let mut from = 0;
    for text in present {
        let Some(at) = markdown[from..].find(text) else {
            panic!("{name}: {text:?} is missing or out of order in\n{markdown}");
        };
        from += at;
    }
    for text in absent {
        assert!(!markdown.contains(text), "{name}: {text:?} is in\n{markdown}");
    }
    format!("title: {title:?}\nnotes: {notes:?}\n\n{markdown}")
}
