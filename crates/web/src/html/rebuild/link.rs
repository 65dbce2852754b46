//! Links, images and embedded media, all with absolute addresses.

use super::siblings::Siblings;
use super::{Flow, Place, Rebuild};
use crate::html::address::{Schemes, absolute};
use crate::html::invisible::without_invisible;
use crate::html::piece::{Piece, is_blank};
use crate::html::tree::{Node, squeezed};

impl Rebuild<'_> {
    pub(super) fn link(&mut self, node: Node<'_>, place: Place, out: &mut Siblings) {
        let Some(href) = self.href(node) else {
            self.convert_children(node, place, out);
            return;
        };
        let has_heading = || node.find(&["h1", "h2", "h3", "h4", "h5", "h6"]).is_some();
        if place.flow == Flow::Blocks && has_heading() {
            self.waiting_link = Some(href);
            out.section(self.children(node, place));
            self.waiting_link = None;
            return;
        }
        let label = self.children(node, place.line());
        link_to(Some(href), label, out);
    }

    /// The link `node` with another label.
    pub(super) fn link_over(&mut self, node: Node<'_>, label: Vec<Piece>, out: &mut Siblings) {
        link_to(self.href(node), label, out);
    }

    fn href(&self, node: Node<'_>) -> Option<String> {
        absolute(self.base, node.attribute("href")?, Schemes::WebAndContact)
    }

    pub(super) fn image(&mut self, node: Node<'_>, out: &mut Siblings) {
        // Where a script puts the image later, something else stands in `src` until then.
        const SOURCES: [&str; 6] =
            ["data-src", "data-original", "data-lazy-src", "data-srcset", "src", "srcset"];
        let alt = node.attribute("alt").map(|alt| squeezed(&without_invisible(alt)));
        let source = SOURCES
            .iter()
            .filter_map(|name| Some((*name, node.attribute(name)?)))
            .filter_map(|(name, source)| match name.ends_with("set") {
                true => source.split([',', ' ']).find(|part| !part.is_empty()),
                false => Some(source),
            })
            .find_map(|source| absolute(self.base, source, Schemes::Web));
        let is_pixel = ["width", "height"].iter().any(|side| {
            node.attribute(side)
                .and_then(|length| length.trim_end_matches("px").parse().ok())
                .is_some_and(|n: u32| n <= 2)
        });
        let is_decoration = alt.as_deref() == Some("")
            && source.as_ref().is_some_and(|source| source.ends_with(".svg") || source.ends_with(".gif"));
        match source {
            _ if is_pixel || is_decoration => {}
            Some(source) => {
                out.push(Piece::Image { source, alt: alt.unwrap_or_default() });
            }
            None => out.text(&alt.unwrap_or_default()),
        }
    }

    /// A video or frame is a link to it.
    pub(super) fn media(&mut self, node: Node<'_>, place: Place, out: &mut Siblings) {
        let source = node
            .attribute("src")
            .or_else(|| node.find(&["source"]).and_then(|source| source.attribute("src")));
        let Some(href) = source.and_then(|source| absolute(self.base, source, Schemes::Web)) else { return };
        let kind = match node.tag() {
            "video" => "Video",
            "audio" => "Audio",
            _ => "Embedded page",
        };
        let mut label = Siblings::default();
        let title = node.attribute("title").or_else(|| node.attribute("aria-label")).map(squeezed);
        label.text(
            &title
                .filter(|title| !title.is_empty())
                .map_or(kind.to_owned(), |title| format!("{kind}: {title}")),
        );
        let link = Piece::Link { href, label: label.finish() };
        match place.flow {
            Flow::Blocks => out.block(vec![link], Piece::Paragraph),
            Flow::Line => out.push(link),
        }
    }
}

/// A link, unless it has no label or leads nowhere.
fn link_to(href: Option<String>, label: Vec<Piece>, out: &mut Siblings) {
    match href {
        Some(href) if !is_blank(&label) => out.push(Piece::Link { href, label }),
        _ => out.extend(label),
    }
}
