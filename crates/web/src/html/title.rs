//! What the head of a page says about it: its title, and where its links start from.

use std::rc::Rc;

use markup5ever_rcdom::Node;
use url::Url;

use super::element::{Descend, attribute, element, find, squeezed, tag, text, text_of, walk};
use super::invisible::without_invisible;

/// Titles longer than this are keyword lists.
const MAX_TITLE: usize = 300;

/// The address that relative links start from: `<base href>` on an http page, else the page's own.
pub(super) fn base(document: &Rc<Node>, url: &Url) -> Url {
    find(document, &["base"])
        .and_then(|base| attribute(&base, "href"))
        .and_then(|href| url.join(&href).ok())
        .filter(|base| matches!(base.scheme(), "http" | "https"))
        .unwrap_or_else(|| url.clone())
}

pub(super) fn title(document: &Rc<Node>) -> Option<String> {
    let head = find(document, &["head"]);
    let written = head.as_ref().and_then(|head| find(head, &["title"])).map(|title| text_of(&title));
    let line = |text: String| squeezed(&without_invisible(&text)).chars().take(MAX_TITLE).collect::<String>();
    [written, head.and_then(|head| meta(&head, "og:title")), find(document, &["h1"]).map(|h1| text_of(&h1))]
        .into_iter()
        .flatten()
        .map(line)
        .find(|title| !title.is_empty())
}

/// The content of `<meta name|property="…">`.
pub(super) fn meta(head: &Rc<Node>, name: &str) -> Option<String> {
    let mut found = None;
    walk(head, &mut |node| {
        let is_it = tag(node) == "meta"
            && ["name", "property"]
                .iter()
                .any(|key| attribute(node, key).is_some_and(|value| value.eq_ignore_ascii_case(name)));
        if is_it && found.is_none() {
            found = attribute(node, "content").filter(|content| !content.trim().is_empty());
        }
        Descend::Yes
    });
    found
}

/// Puts a heading over content that begins with none: the page's own `h1` if it goes with the title, else the title.
pub(super) fn put_heading(tree: &Rc<Node>, document: &Rc<Node>, title: Option<&str>) {
    let first = find(tree, &["h1", "h2", "h3"]).map(|heading| squeezed(&text_of(&heading)));
    let is_titled = find(tree, &["h1"]).is_some()
        || first.is_some_and(|first| !first.is_empty() && title.is_some_and(|title| title.contains(&first)));
    if is_titled || tree.children.borrow().is_empty() {
        return;
    }
    let mut own = None;
    walk(document, &mut |node| {
        if tag(node) == "h1" && own.is_none() {
            let line = squeezed(&without_invisible(&text_of(node)));
            own = Some(line)
                .filter(|line| !line.is_empty() && title.is_none_or(|title| title.contains(line.as_str())));
        }
        Descend::Yes
    });
    if let Some(line) = own.or_else(|| title.map(str::to_owned)) {
        let heading = element("h1", vec![text(&line.replace('<', &super::write::LESS_THAN.to_string()))]);
        heading.parent.set(Some(Rc::downgrade(tree)));
        tree.children.borrow_mut().insert(0, heading);
    }
}
