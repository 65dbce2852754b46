//! Relative links of included text, which an agent follows from the page and not from the file they stand in.

use super::Origin;

/// A relative address in a text from `origin`, as it is written in a text from `page`. None if it leads to the same
/// place from both, or is not relative to a directory at all.
pub(super) fn rebased(href: &str, origin: &Origin, page: &Origin) -> Option<String> {
    let (from, to) = (Base::of(origin), Base::of(page));
    if from == to || !is_relative(href) {
        return None;
    }
    // A name on this machine may hold a question mark.
    let ends: &[char] = if from.site.is_empty() { &['#'] } else { &['?', '#'] };
    let (path, suffix) = href.split_at(href.find(ends).unwrap_or(href.len()));
    let path = format!("{}/{path}", from.directory);
    let path = normal(&path);
    if from.site != to.site {
        return Some(format!("{}/{}{suffix}", from.site, path.join("/")));
    }
    let directory = normal(to.directory);
    let shared = path.iter().zip(&directory).take_while(|(a, b)| a == b).count();
    // The name itself is never above the page, even where it is that of a directory around it.
    let shared = shared.min(path.len().saturating_sub(1));
    let climbs = "../".repeat(directory.len() - shared);
    let start = if climbs.is_empty() { "./" } else { &climbs };
    Some(format!("{start}{}{suffix}", path[shared..].join("/")))
}

/// What relative addresses start from.
#[derive(PartialEq, Eq)]
struct Base<'a> {
    /// `https://example.com`; nothing for a file.
    site: &'a str,
    directory: &'a str,
}

impl<'a> Base<'a> {
    fn of(origin: &'a Origin) -> Self {
        let text = origin.as_str();
        let host = text.find("://").map_or(0, |at| at + 3);
        let site = if host == 0 { 0 } else { text[host..].find('/').map_or(text.len(), |at| host + at) };
        let (site, path) = text.split_at(site);
        let path = if site.is_empty() { path } else { path.split(['?', '#']).next().unwrap_or(path) };
        Self { site, directory: path.rsplit_once('/').map_or("", |(directory, _)| directory) }
    }
}

/// The parts of a path, with `.` and `..` resolved by the letters alone. One that ends with a slash has an empty last
/// part.
fn normal(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    if ["/", "/.", "/.."].iter().any(|end| path.ends_with(end)) {
        parts.push("");
    }
    parts
}

/// Whether an address starts from the directory of its text: not from a root, a home, a scheme or the text itself.
fn is_relative(href: &str) -> bool {
    let first = href.split(['/', '#', '?']).next().unwrap_or_default();
    !href.is_empty() && !href.starts_with(['/', '#', '?', '~']) && !first.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_written_as_the_page_would_write_them() {
        let page = "/home/u/s/whole.md";
        let table = [
            (page, "/home/u/s/sub/parts.md", "./near.md", Some("./sub/near.md")),
            (page, "/home/u/s/sub/parts.md", "near.md#part", Some("./sub/near.md#part")),
            (page, "/home/u/s/sub/parts.md", "../near.md", Some("./near.md")),
            (page, "/home/u/s/sub/parts.md", "../../near.md", Some("../near.md")),
            (page, "/home/u/s/sub/parts.md", "deep/", Some("./sub/deep/")),
            (page, "/home/u/s/sub/parts.md", "..", Some("./")),
            (page, "/home/u/other/parts.md", "a b.md", Some("../other/a b.md")),
            (page, "/home/u/other/parts.md", "../s", Some("../s")),
            (page, "/data/parts.md", "x?.md", Some("../../../data/x?.md")),
            (page, "/home/u/s/parts.md", "./near.md", None),
            (page, "/home/u/s/sub/parts.md", "#part", None),
            (page, "/home/u/s/sub/parts.md", "/near.md", None),
            (page, "/home/u/s/sub/parts.md", "~/near.md", None),
            (page, "/home/u/s/sub/parts.md", "mailto:a@x.org", None),
            (page, "/home/u/s/sub/parts.md", "bash:dev", None),
            (page, "/home/u/s/sub/parts.md", "", None),
            ("https://x.org/a/p.md?q=/z", "https://x.org/a/b/i.md", "n?k=a/b", Some("./b/n?k=a/b")),
            ("https://x.org/a/p.md", "https://x.org/a/i.md", "n.md", None),
            ("https://x.org", "https://x.org/a/i.md", "../../n.md", Some("./n.md")),
            ("https://x.org/a/p.md", "https://y.org/b/i.md", "n.md", Some("https://y.org/b/n.md")),
        ];
        for (page, origin, href, expected) in table {
            let found = rebased(href, &Origin::new(origin), &Origin::new(page));
            assert_eq!(found.as_deref(), expected, "{href} in {origin}");
        }
    }
}
