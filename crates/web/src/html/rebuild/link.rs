//! Links, images and embedded media, all with absolute addresses.

use std::rc::Rc;

use markup5ever_rcdom::Node;

use super::siblings::{Siblings, is_blank};
use super::{Flow, Place, Rebuild};
use crate::html::address::{Schemes, absolute};
use crate::html::element::{attribute, element_with, find, squeezed, tag};
use crate::html::invisible::without_invisible;

pub(super) fn anchor(href: &str, children: Vec<Rc<Node>>) -> Rc<Node> {
    element_with("a", &[("href", href)], children)
}

impl Rebuild<'_> {
    pub(super) fn link(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        let Some(href) =
            attribute(node, "href").and_then(|href| absolute(self.base, &href, Schemes::WebAndContact))
        else {
            self.convert_children(node, place, out);
            return;
        };
        let heading = find(node, &["h1", "h2", "h3", "h4", "h5", "h6"]);
        if place.flow == Flow::Blocks && heading.is_some() {
            self.waiting_link = Some(href);
            out.section(self.children(node, place));
            self.waiting_link = None;
            return;
        }
        let label = self.children(node, place.line());
        self.link_over(node, label, place, out);
    }

    /// The link `node` with another label.
    pub(super) fn link_over(&mut self, node: &Rc<Node>, label: Vec<Rc<Node>>, _: Place, out: &mut Siblings) {
        let href =
            attribute(node, "href").and_then(|href| absolute(self.base, &href, Schemes::WebAndContact));
        match href {
            Some(href) if !is_blank(&label) => out.push(anchor(&href, label)),
            _ => out.extend(label),
        }
    }

    pub(super) fn image(&mut self, node: &Rc<Node>, out: &mut Siblings) {
        const SOURCES: [&str; 4] = ["src", "data-src", "data-original", "data-lazy-src"];
        let alt = attribute(node, "alt").map(|alt| squeezed(&without_invisible(&alt)));
        let first_of_set =
            |set: String| set.split([',', ' ']).find(|part| !part.is_empty()).map(str::to_owned);
        let source = SOURCES
            .iter()
            .filter_map(|name| attribute(node, name))
            .chain(attribute(node, "srcset").and_then(first_of_set))
            .find_map(|source| absolute(self.base, &source, Schemes::Web));
        let is_pixel = ["width", "height"].iter().any(|side| {
            attribute(node, side)
                .and_then(|length| length.trim_end_matches("px").parse().ok())
                .is_some_and(|n: u32| n <= 2)
        });
        let is_decoration = alt.as_deref() == Some("")
            && source.as_ref().is_some_and(|source| source.ends_with(".svg") || source.ends_with(".gif"));
        match source {
            _ if is_pixel || is_decoration => {}
            Some(source) => {
                let alt = alt.unwrap_or_default();
                out.push(element_with("img", &[("src", &source), ("alt", &alt)], Vec::new()));
            }
            None => out.text(&alt.unwrap_or_default()),
        }
    }

    /// A video or frame is a link to it.
    pub(super) fn media(&mut self, node: &Rc<Node>, place: Place, out: &mut Siblings) {
        let source = attribute(node, "src")
            .or_else(|| find(node, &["source"]).and_then(|source| attribute(&source, "src")));
        let Some(href) = source.and_then(|source| absolute(self.base, &source, Schemes::Web)) else { return };
        let kind = match tag(node) {
            "video" => "Video",
            "audio" => "Audio",
            _ => "Embedded page",
        };
        let mut label = Siblings::default();
        let title =
            attribute(node, "title").or_else(|| attribute(node, "aria-label")).map(|title| squeezed(&title));
        label.text(
            &title
                .filter(|title| !title.is_empty())
                .map_or(kind.to_owned(), |title| format!("{kind}: {title}")),
        );
        let link = anchor(&href, label.finish());
        match place.flow {
            Flow::Blocks => out.block("p", vec![link]),
            Flow::Line => out.push(link),
        }
    }
}
