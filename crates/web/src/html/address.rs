//! Addresses as they may stand in a Markdown link.

use url::Url;

/// Longer ones are data, not addresses.
const MAX_ADDRESS: usize = 4096;

/// What a link may lead to. Scripts, data and files are never linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schemes {
    Web,
    WebAndContact,
}

/// `href` seen from `base`, with everything encoded that means something to Markdown.
pub(crate) fn absolute(base: &Url, href: &str, schemes: Schemes) -> Option<String> {
    let href = href.trim();
    if href.len() > MAX_ADDRESS || (schemes == Schemes::Web && href.is_empty()) {
        return None;
    }
    let url = base.join(href).ok()?;
    let is_shown = match url.scheme() {
        "http" | "https" => true,
        "mailto" | "tel" => schemes == Schemes::WebAndContact,
        _ => false,
    };
    is_shown.then(|| encoded(url.as_str()))
}

fn encoded(url: &str) -> String {
    let mut address = String::with_capacity(url.len());
    for c in url.chars() {
        match c {
            '(' => address.push_str("%28"),
            ')' => address.push_str("%29"),
            '\\' => address.push_str("%5C"),
            '<' => address.push_str("%3C"),
            '>' => address.push_str("%3E"),
            '`' => address.push_str("%60"),
            '|' => address.push_str("%7C"),
            '*' => address.push_str("%2A"),
            c if c.is_whitespace() || c.is_control() => {}
            c => address.push(c),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_become_absolute_and_harmless() {
        let base = Url::parse("https://a.example/dir/page.html?q=1").unwrap();
        let cases = [
            ("x.html", Some("https://a.example/dir/x.html")),
            ("/x", Some("https://a.example/x")),
            ("../x", Some("https://a.example/x")),
            ("//b.example/x", Some("https://b.example/x")),
            ("#part", Some("https://a.example/dir/page.html?q=1#part")),
            ("", Some("https://a.example/dir/page.html?q=1")),
            (" x y ", Some("https://a.example/dir/x%20y")),
            ("Foo_(bar)", Some("https://a.example/dir/Foo_%28bar%29")),
            ("a\nb", Some("https://a.example/dir/ab")),
            ("?a=<b>&c=`|*", Some("https://a.example/dir/page.html?a=%3Cb%3E&c=%60%7C%2A")),
            ("mailto:me@a.example", Some("mailto:me@a.example")),
            ("javascript:alert(1)", None),
            ("java\tscript:alert(1)", None),
            ("data:text/html,x", None),
            ("file:///etc/passwd", None),
            ("http://[bad", None),
        ];
        for (href, expected) in cases {
            assert_eq!(absolute(&base, href, Schemes::WebAndContact).as_deref(), expected, "{href}");
        }
        assert_eq!(absolute(&base, "mailto:x", Schemes::Web), None);
    }
}
