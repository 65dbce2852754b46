//! What the head of a page says about it: its title, and where its links start from.

use url::Url;

use super::invisible::without_invisible;
use super::piece::{Piece, visit, words};
use super::tree::{Descend, Node, squeezed};
use super::write::marked;

/// Titles longer than this are keyword lists.
const MAX_TITLE: usize = 300;

/// The address that relative links start from: `<base href>` on an http page, else the page's own.
pub(super) fn base(document: Node<'_>, url: &Url) -> Url {
    document
        .find(&["base"])
        .and_then(|base| base.attribute("href"))
        .and_then(|href| url.join(href).ok())
        .filter(|base| matches!(base.scheme(), "http" | "https"))
        .unwrap_or_else(|| url.clone())
}

pub(super) fn title(document: Node<'_>) -> Option<String> {
    let head = document.find(&["head"]);
    let written = head.and_then(|head| head.find(&["title"])).map(Node::all_text);
    let named = head.and_then(|head| meta(head, "og:title")).map(str::to_owned);
    let heading = || document.find(&["h1"]).map(Node::all_text);
    let line = |text: String| squeezed(&without_invisible(&text)).chars().take(MAX_TITLE).collect::<String>();
    let titles = [written, named].into_iter().flatten().chain(std::iter::once_with(heading).flatten());
    titles.map(line).find(|title| !title.is_empty())
}

/// The content of `<meta name|property="…">`.
pub(super) fn meta<'a>(head: Node<'a>, name: &str) -> Option<&'a str> {
    let mut found = None;
    head.walk(|node| {
        let is_it = node.tag() == "meta"
            && ["name", "property"]
                .iter()
                .any(|key| node.attribute(key).is_some_and(|value| value.eq_ignore_ascii_case(name)));
        if is_it && found.is_none() {
            found = node.attribute("content").filter(|content| !content.trim().is_empty());
        }
        Descend::Yes
    });
    found
}

/// Puts a heading over content that begins with none: the page's own `h1` if it goes with the title, else the title.
pub(super) fn put_heading(content: &mut Vec<Piece>, document: Node<'_>, title: Option<&str>) {
    let mut first = None;
    let mut has_h1 = false;
    visit(content, &mut |piece| {
        if let Piece::Heading { level, line, .. } = piece {
            has_h1 |= *level == 1;
            if *level <= 3 && first.is_none() {
                first = Some(squeezed(&words(line)));
            }
        }
    });
    let is_titled = has_h1
        || first.is_some_and(|first| !first.is_empty() && title.is_some_and(|title| title.contains(&first)));
    if is_titled || content.is_empty() {
        return;
    }
    let mut own = None;
    document.walk(|node| {
        if node.tag() == "h1" && own.is_none() {
            let line = squeezed(&without_invisible(&node.all_text()));
            own = Some(line)
                .filter(|line| !line.is_empty() && title.is_none_or(|title| title.contains(line.as_str())));
        }
        Descend::Yes
    });
    if let Some(line) = own.or_else(|| title.map(str::to_owned)) {
        let line = vec![Piece::Text(marked(&line).into_owned())];
        content.insert(0, Piece::Heading { level: 1, line, ids: Vec::new() });
    }
}
