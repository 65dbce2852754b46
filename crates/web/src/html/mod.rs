//! HTML to Markdown: the main content, clean, absolute and inert.
//!
//! Parse within bounds, find the content, rebuild it as pieces of Markdown, write them. What comes out cannot be taken
//! for a document with conventions of its own: no markers, directives, names, actions or frontmatter.

pub(crate) mod address;
mod boilerplate;
mod edges;
mod hidden;
pub(crate) mod invisible;
mod main_content;
mod parse;
mod piece;
mod rebuild;
mod settle;
mod shell;
mod title;
mod tree;
mod weigh;
mod write;

use url::Url;

use hidden::Sheet;
use main_content::{Place, body, main_content};
use rebuild::{Leave, Rebuild};
use tree::squeezed;
use weigh::Weights;
pub(crate) use write::escape;

/// How much of a page is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The content, without navigation and other surroundings.
    Main,
    /// Everything a reader would see.
    Whole,
}

/// A converted page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    pub markdown: String,
    pub title: Option<String>,
    /// What a reader should know: cut, empty, blocked, in need of scripts.
    pub notes: Vec<String>,
    /// What addresses call each heading of the Markdown that stands in no list and no quote, in order.
    pub heading_ids: Vec<Vec<String>>,
}

/// Converts a page that came from `url`.
pub fn to_markdown(html: &str, url: &Url, extent: Extent) -> Converted {
    let page = parse::parse(html);
    let document = page.tree.document();
    let base = title::base(document, url);
    let sheet = Sheet::of(document);
    let weights = Weights::of(document);
    let convert = |root, weights: &Weights, leave| Rebuild::new(&base, &sheet, weights, leave).rebuild(root);
    let title = title::title(document);
    let mut content = match extent {
        Extent::Main => match main_content(&page, html, &weights, &sheet) {
            Place::Marked(root) => convert(root, &weights, Leave::Surroundings),
            Place::In(root) => edges::trimmed(convert(root, &weights, Leave::Surroundings)),
            Place::Apart(article) => {
                let root = body(&article);
                edges::trimmed(convert(root, &Weights::of(root), Leave::Surroundings))
            }
        },
        Extent::Whole => convert(body(&page.tree), &weights, Leave::Hidden),
    };
    if extent == Extent::Main {
        title::put_heading(&mut content, document, title.as_deref());
    }
    let mut notes: Vec<String> = page.stopped.iter().map(|stop| stop.note().to_owned()).collect();
    let mut markdown = write::write(&content);
    shell::explain(&shell::Page { document, html, base: &base }, &mut markdown, &mut notes);
    let heading_ids = piece::heading_ids(&content);
    Converted { markdown, title, notes, heading_ids }
}

/// The words of a piece of HTML, on one line, without any of its structure.
pub(crate) fn words(html: &str) -> String {
    squeezed(&invisible::without_invisible(&parse::parse(html).tree.document().all_text()))
}
