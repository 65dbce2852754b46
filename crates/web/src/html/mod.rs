//! HTML to Markdown: the main content, clean, absolute and inert.
//!
//! Parse within bounds, find the content, rebuild it as a small tree, let htmd write it. What comes out cannot be
//! taken for a document with conventions of its own: no markers, directives, names, actions or frontmatter.

pub(crate) mod address;
mod boilerplate;
mod edges;
mod element;
mod hidden;
pub(crate) mod invisible;
mod main_content;
mod parse;
mod rebuild;
mod shell;
mod title;
mod weigh;
mod write;

use url::Url;

use element::{squeezed, text_of};
use hidden::Sheet;
use main_content::{MainContent, main_content};
use rebuild::{Leave, Rebuild};
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
}

/// Converts a page that came from `url`.
pub fn to_markdown(html: &str, url: &Url, extent: Extent) -> Converted {
    let page = parse::parse(html);
    let base = title::base(&page.document, url);
    let sheet = Sheet::of(&page.document);
    let (content, leave) = match extent {
        Extent::Main => (main_content(&page, html, &sheet), Leave::Surroundings),
        Extent::Whole => (MainContent::body(&page), Leave::Hidden),
    };
    let tree = Rebuild::new(&base, &sheet, &content.weights, leave).rebuild(&content.root);
    let page_title = title::title(&page.document);
    if extent == Extent::Main {
        edges::trim(&tree);
        title::put_heading(&tree, &page.document, page_title.as_deref());
    }
    let mut notes: Vec<String> = page.stopped.iter().map(|stop| stop.note().to_owned()).collect();
    let mut markdown = write::write(&tree);
    let page = shell::Page { document: &page.document, html, base: &base };
    shell::explain(&page, &mut markdown, &mut notes);
    Converted { markdown, title: page_title, notes }
}

/// The words of a piece of HTML, on one line, without any of its structure.
pub(crate) fn words(html: &str) -> String {
    squeezed(&invisible::without_invisible(&text_of(&parse::parse(html).document)))
}
