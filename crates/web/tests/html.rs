//! Small pieces of HTML and the Markdown they become.

use web::html::{Extent, to_markdown};
use web::{Url, parse_url};

fn base() -> Url {
    parse_url("http://site.example/dir/page.html").expect("an address")
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

#[test]
fn phrases() {
    for (html, expected) in [
        ("<p>a <b> b </b>c", "a **b** c"),
        ("<p><b>a</b><b>b</b> <i>c</i><em>d</em>", "**ab** *cd*"),
        ("<p>a<b></b>b", "ab"),
        ("<p>2<sup>10</sup> and H<sub>2</sub>O", "2^10 and H2O"),
        ("<p><q>said</q> <del>old</del> <mark>new</mark>", "“said” ~~old~~ new"),
        ("<p>a &lt; b &lt;c&gt; a~b ~~c~~", "a < b \\<c> a~b \\~\\~c\\~\\~"),
        ("<p>1. not a list", "1\\. not a list"),
        ("<p># not a heading", "\\# not a heading"),
        ("<p>a&nbsp;b   c\n\td", "a b c d"),
        ("<p>one<br>two<br><br>three", "one  \ntwo\n\nthree"),
        ("<b><p>block</p></b>", "block"),
        ("<p><code>a  b</code> <code>`x`</code> <tt>t</tt>", "`a b` `` `x` `` `t`"),
        ("<p><math><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></math>", "`x^2`"),
        ("<p>x<wbr>y<span> z</span>", "xy z"),
        ("<p>4<span class=sr-only>+</span>5⁄8 <b>a<i class=x>b</i></b>", "4 5⁄8 **a*b***"),
        ("<p><b><b>a</b></b> <i> </i>b", "**a** b"),
        ("<p>- a<br>+ b<br>1) c<br>2.5<br>-d", "\\- a  \n\\+ b  \n1\\) c  \n2.5  \n-d"),
        ("<h2>1. Intro</h2># a", "## 1. Intro\n\n\\# a"),
    ] {
        check(html, expected);
    }
}

#[test]
fn links_and_images() {
    for (html, expected) in [
        ("<p><a href='x'>x</a>", "[x](http://site.example/dir/x)"),
        ("<base href='/other/'><p><a href='x'>x</a>", "[x](http://site.example/other/x)"),
        ("<base href='sub/'><p><a href='x'>x</a>", "[x](http://site.example/dir/sub/x)"),
        ("<base href='javascript:1'><p><a href='x'>x</a>", "[x](http://site.example/dir/x)"),
        ("<p><a>no href</a> <a href='javascript:x'>script</a>", "no href script"),
        ("<p>a<a href='x'> b </a>c", "a [b](http://site.example/dir/x) c"),
        ("<p><a href='x'></a>empty", "empty"),
        (
            "<p><a href='x'><img src='i.png' alt='I'></a>",
            "[ ![I](http://site.example/dir/i.png)](http://site.example/dir/x)",
        ),
        ("<a href='x'><div><p>one</p><p>two</p></div></a>", "[one two](http://site.example/dir/x)"),
        ("<p>x <img src='data:image/png;base64,x' alt='Pie'>", "x Pie"),
        ("<p>x <img src='data:,' data-src='/p.png'>", "x ![](http://site.example/p.png)"),
        ("<p>x <img srcset='/a.png 1x, /b.png 2x' alt=A>", "x ![A](http://site.example/a.png)"),
        ("<p>x <img src='/wait.gif' data-lazy-src='/p.png' alt=P>", "x ![P](http://site.example/p.png)"),
        ("<p>x <img src='/wait.gif' data-srcset='/s.png 1x' alt=S>", "x ![S](http://site.example/s.png)"),
        ("<p>x <img src='/t.gif' width=1 height=1>", "x"),
        ("<p>x <a href='#ref'>↩</a> <b><a href='#ref'>^</a></b> y", "x y"),
        (
            "<picture><source srcset=a.webp><img src=a.png alt=A></picture>",
            "![A](http://site.example/dir/a.png)",
        ),
        ("<video><source src=/v.mp4></video>", "[Video](http://site.example/v.mp4)"),
        ("<h2 id=a>Part <a class=anchor href='#a'>#</a></h2><p>x", "## Part\n\nx"),
    ] {
        check(html, expected);
    }
}

#[test]
fn names_of_characters_stay_names() {
    for (html, expected) in [
        ("<p>&amp;lt; &amp;#60; &amp;#x3c; a &amp; b; AT&amp;T", "\\&lt; \\&#60; \\&#x3c; a & b; AT&T"),
        ("<p><img src=/x alt='&amp;amp;'>", "![\\&amp;](http://site.example/x)"),
        ("<p><code>&amp;lt;</code>", "`&lt;`"),
    ] {
        check(html, expected);
    }
}

#[test]
fn a_page_that_is_cut_within_a_tag_shows_none_of_it() {
    for before in ["", "x", "xx", "xxx", "xxxx"] {
        let cut = to_markdown(&format!("{before}{}", "<div>".repeat(3_000)), &base(), Extent::Main);
        assert!(cut.notes[0].starts_with("cut:"), "{:?}", cut.notes);
        assert!(!cut.markdown.contains('<'), "{}", cut.markdown);
    }
}

#[test]
fn lists() {
    for (html, expected) in [
        ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
        ("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b"),
        ("<ol start=9><li>a<p>b</p><li>c<ul><li>d</ul></ol>", "9. a\n\n   b\n\n10. c\n    - d"),
        ("<ul><li>a<br>b<li><pre>c\n\nd</pre></ul>", "- a  \n  b\n- ```\n  c\n\n  d\n  ```"),
        ("<ul><li>a<ul><li>b</ul>c<li>d</ul>", "- a\n  - b\n\n  c\n- d"),
        ("<ul><ul><li>a</ul><li>b</ul>", "- - a\n- b"),
        ("<p>a</p>b<ul><li>c</ul>d", "a\n\nb\n\n- c\n\nd"),
        ("<blockquote>a<ul><li>b</ul></blockquote>", "> a\n>\n> - b"),
    ] {
        check(html, expected);
    }
}

#[test]
fn tables() {
    let row = "| a | b |\n| --- | --- |\n";
    for (inner, expected) in [
        ("<tr><td>c<td>d", "| c | d |"),
        ("<tr><td><ul><li>c<li>d</ul><td>e<br>f", "| c; d | e f |"),
        ("<tr><td><table><tr><td>c<td>d<tr><td>e</table><td>f", "| c d; e | f |"),
        ("<tr><td>c|d<td><b> e </b>", "| c\\|d | **e** |"),
    ] {
        check(&format!("<table><tr><th>a<th>b{inner}</table>"), &format!("{row}{expected}"));
    }
    let one = "<caption>All</caption><tr><th>a<tr><td>b<tr><td>c";
    check(&format!("<table>{one}</table>"), "*All*\n\n| a |\n| --- |\n| b |\n| c |");
    check("<table><tr><td>b<tr><td>c</table>", "b\n\nc");
}

#[test]
fn code() {
    let block = |language: &str, code: &str| format!("```{language}\n{code}\n```");
    for (html, language) in [
        ("<pre>x</pre>", ""),
        ("<pre class='brush:js'>x</pre>", "js"),
        ("<pre lang=x data-lang='Rust'>x</pre>", "rust"),
        ("<pre><code class='hljs language-c++'>x</code></pre>", "c++"),
        ("<div class='highlight-source-shell'><pre>x</pre></div>", "shell"),
        ("<div class='lang-js'><div><div><pre>x</pre></div></div></div>", "js"),
        ("<pre class='language-plaintext'>x</pre>", ""),
        ("<pre class='language-act.run'>x</pre>", "actrun"),
    ] {
        check(html, &block(language, "x"));
    }
    check("<pre>a<br>  b\n\n\tc  </pre>", &block("", "a\n  b\n\n\tc"));
    check("<pre><div>a</div><div>b</div></pre>", &block("", "a\nb"));
    check("<pre><span class=ln>1</span>a\n<span class=ln>2</span>b</pre>", &block("", "a\nb"));
    check("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````");
    check(
        "<table><tr><td class=blob-num>1<td class=blob-code>a<tr><td class=blob-num>2<td class=blob-code>  b</table>",
        &block("", "a\n  b"),
    );
}

#[test]
fn surroundings_are_left_out_and_content_with_an_unlucky_name_is_not() {
    let text =
        "This is a paragraph of the text that the page is about, and it is long enough to weigh something. ";
    let page = |extra: &str| format!("<main><h1>T</h1><p>{text}{text}</p>{extra}</main>");
    for gone in [
        "<nav>GONE</nav>",
        "<div class='share-buttons'>GONE</div>",
        "<ul class=breadcrumbs><li><a href=x>GONE</a></ul>",
        "<div role=search>GONE</div>",
        "<form class=newsletter>GONE</form>",
        "<div id=cookie-banner>GONE</div>",
        "<a class=skip-link href=#x>GONE</a>",
        "<button>GONE</button>",
        "<div class='comments'>GONE</div>",
        "<form>GONE <textarea></textarea></form>",
        "<label>GONE <select><option>1</select></label>",
        "<ul><li><a href=#a>GONE</a><li><a href=#b>GONE</a></ul>",
        "<div class=dropdown>GONE</div>",
    ] {
        assert!(!main_of(&page(gone)).contains("GONE"), "{gone}");
    }
    for kept in [
        "<h2 id=menu>KEPT</h2>",
        "<section id=navigation><h2>Navigation</h2><p>KEPT</p></section>",
        "<div class=has-sidebar>KEPT</div>",
        "<div class=no-nav>KEPT</div>",
        "<p id=related>KEPT</p>",
        "<li class=x>KEPT</li>",
        "<td class=banner>KEPT</td>",
        "<form>KEPT</form>",
        "<label><input type=checkbox> KEPT</label>",
        "<ul><li><a href=#a>KEPT</a> and what it is about<li><a href=#b>KEPT</a>, which is another</ul>",
    ] {
        assert!(main_of(&page(kept)).contains("KEPT"), "{kept}");
    }
    let most = format!("<body class='nav-open'><div class='menu'><p>{text}{text}{text}</p></div></body>");
    assert!(main_of(&most).contains("the page is about"));
}

#[test]
fn rows_of_links_at_the_edges_are_menus_and_in_the_middle_are_content() {
    let text =
        "A paragraph that is long enough to be the content of this page, with some more words to weigh. ";
    let links = "<a href=a>One link</a> <a href=b>Two links</a> <a href=c>Three links</a>";
    let html = format!(
        "<div>{links}</div><h1>T</h1><p>{text}{text}</p><p>{links}</p><p>{text}{text}{text}{text}</p><div>{links}</div>"
    );
    let markdown = main_of(&html);
    assert_eq!(markdown.matches("Two links").count(), 1, "{markdown}");
    let list = "<ul><li><a href=a>One link</a><li><a href=b>Two links</a></ul>";
    for end in [list, &format!("<p>{links}</p>"), &format!("<section>{list}</section>")] {
        let index = format!("<h1>T</h1><p>{text}{text}</p>{end}");
        for html in [format!("<main>{index}</main>"), format!("<article>{index}</article>"), index] {
            assert_eq!(main_of(&html).matches("Two links").count(), 1, "{html}");
        }
    }
    let marked =
        format!("<main><div>{links}</div><p>{text}{text}</p><div>{links}</div><nav>{links}</nav></main>");
    assert_eq!(main_of(&marked).matches("Two links").count(), 2);
    let see_also = format!("<h1>T</h1><p>{text}{text}</p><h2>See also</h2><p>{links}</p>");
    assert!(main_of(&see_also).contains("Three links"));
    let index = format!("<h1>Index</h1><p>{links}</p><p>{links}</p>");
    assert_eq!(main_of(&index).matches("Two links").count(), 2);
}

#[test]
fn pages_that_lead_elsewhere_say_where() {
    let notes = |html: &str| to_markdown(html, &base(), Extent::Main).notes;
    let to_new = "<meta http-equiv=Refresh content=\"0; URL='../new?x=1'\">";
    assert_eq!(notes(to_new), ["this page sends its readers on to http://site.example/new?x=1"]);
    assert_eq!(notes("<meta http-equiv=refresh content='0; url=javascript:x'>"), ["empty page"]);
    assert_eq!(notes("<p>Text</p><script>1</script>"), [""; 0]);
}

#[test]
fn the_first_heading_keeps_its_level_however_the_content_is_found() {
    let text =
        "A paragraph that is long enough to be the content of this page, with some more words to weigh. ";
    let links =
        "<ul><li><a href=a>One link to follow</a><li><a href=b>Two links to follow</a></ul>".repeat(4);
    for html in [
        "<html><body><h1>Links</h1><ul><li><a href=x>x page</a></ul></body></html>".to_owned(),
        format!("<h1>Links</h1><p>{text}</p>{links}<h2 data-was-h1>Part</h2><p>{text}</p>{links}"),
        format!("<title>Elsewhere</title><h1>Links</h1><p>{text}</p>{links}<h2>Part</h2>{links}"),
    ] {
        let markdown = main_of(&html);
        assert!(markdown.starts_with("# Links\n"), "{markdown}");
        assert_eq!(markdown.lines().filter(|line| line.starts_with("# ")).count(), 1, "{markdown}");
    }
}
