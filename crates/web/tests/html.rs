//! Small pieces of HTML and the Markdown they become.

use web::html::{Extent, to_markdown};
use web::{Url, parse_url};

fn base() -> Url {
    parse_url("http://site.example/dir/page.html").unwrap()
}

fn main_of(html: &str) -> String {
    to_markdown(html, &base(), Extent::Main).markdown
}

fn check(html: &str, expected: &str) {
    assert_eq!(main_of(html), expected, "{html}");
}

#[test]
fn a_plain_page_keeps_its_main_content_with_absolute_links() {
    let html = "<!doctype html><html><head><title>Plain Page</title><style>p{color:red}</style></head><body>\
        <nav><a href='/home'>Home</a></nav><main><article><h1>Plain Page</h1><p>Hello <b>bold</b> world. This \
        paragraph is long enough to be the main content of the page, so that an extractor keeps it.</p><ul><li>one\
        </li><li>two</li></ul><p>Read the <a href='/next.md'>next page</a> when you are done with this paragraph of \
        text.</p></article></main><script>alert('evil')</script></body></html>";
    check(
        html,
        "# Plain Page\n\nHello **bold** world. This paragraph is long enough to be the main content of the page, so \
         that an extractor keeps it.\n\n- one\n- two\n\nRead the [next page](http://site.example/next.md) when you are \
         done with this paragraph of text.",
    );
}
