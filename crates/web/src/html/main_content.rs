//! Where the content of a page is.

use std::rc::Rc;

use dom_smoothie::{Config, Readability};
use markup5ever_rcdom::Node;

use super::boilerplate::is_boilerplate;
use super::element::{Descend, attribute, attributes, find, tag, walk};
use super::hidden::Sheet;
use super::parse::{Parsed, parse};
use super::weigh::{Weights, is_never_shown};

/// Ids and classes under which content management systems put their text.
const CONTENT_IDS: [&str; 9] = [
    "content",
    "main",
    "main-content",
    "maincontent",
    "page-content",
    "article",
    "bodyContent",
    "mw-content-text",
    "primary",
];
const CONTENT_CLASSES: [&str; 15] = [
    "markdown-body",
    "post-content",
    "entry-content",
    "article-content",
    "article-body",
    "article__body",
    "post-body",
    "story-body",
    "page-content",
    "main-content",
    "content-body",
    "rst-content",
    "theme-doc-markdown",
    "documentation",
    "docs-content",
];
/// Above these, guessing by score takes too long for what it gains; the whole body is shown instead.
const MAX_SCORED_ELEMENTS: usize = 30_000;
const MAX_SCORED_BREAKS: usize = 3_000;

/// The element that holds the content of `page`, and the weights of the tree it is in.
pub(super) struct MainContent {
    pub(super) root: Rc<Node>,
    pub(super) weights: Weights,
    /// A tree loses its branches when its document is dropped.
    _document: Rc<Node>,
}

impl MainContent {
    /// All of the page.
    pub(super) fn body(page: &Parsed) -> MainContent {
        let root = find(&page.document, &["body"]).unwrap_or_else(|| page.document.clone());
        MainContent { weights: Weights::of(&root), root, _document: page.document.clone() }
    }
}

/// The element the author marked; else the one that scores best, if it keeps most of the text; else the body.
pub(super) fn main_content(page: &Parsed, html: &str, sheet: &Sheet) -> MainContent {
    let all = MainContent::body(page);
    if let Some(root) = marked(&all.root, &all.weights, sheet) {
        return MainContent { root, ..all };
    }
    let (plain, links) = without_surroundings(&all.root, &all.weights, sheet);
    // Few links are left once the labelled navigation is gone: this is a page of text.
    let is_text = links * 5 < plain;
    if !is_text && page.stopped.is_none() && page.elements <= MAX_SCORED_ELEMENTS {
        let article =
            scored(html).filter(|article| article.weights.get(&article.root).plain() * 10 >= plain * 6);
        if let Some(article) = article {
            return article;
        }
    }
    all
}

fn marked(body: &Rc<Node>, weights: &Weights, sheet: &Sheet) -> Option<Rc<Node>> {
    let whole = weights.get(body).plain();
    let mut mains = Vec::new();
    let mut articles = Vec::new();
    let mut named = Vec::new();
    walk(body, &mut |node| {
        let name = tag(node);
        if is_never_shown(name) || (name != "body" && sheet.hides(node)) {
            return Descend::No;
        }
        if name == "main" || attribute(node, "role").as_deref() == Some("main") {
            mains.push(node.clone());
        } else if name == "article" {
            articles.push(node.clone());
            return Descend::No;
        } else if is_named_content(node) {
            named.push(node.clone());
        }
        Descend::Yes
    });
    let heaviest = |nodes: &[Rc<Node>]| nodes.iter().max_by_key(|node| weights.get(node).plain()).cloned();
    let holds =
        |node: &Rc<Node>, tenths: usize| weights.get(node).plain() * 10 >= whole * tenths && whole > 0;
    heaviest(&mains)
        .filter(|main| holds(main, 3))
        .or_else(|| {
            match articles.as_slice() {
                [one] => Some(one.clone()),
                // A list of posts or answers: what they have in common.
                [first, ..] => {
                    parent(first).filter(|parent| articles.iter().all(|other| is_child(parent, other)))
                }
                [] => None,
            }
            .filter(|article| holds(article, 5))
        })
        .or_else(|| heaviest(&named).filter(|named| holds(named, 5)))
}

fn is_named_content(node: &Rc<Node>) -> bool {
    let is_box = matches!(tag(node), "div" | "section" | "td");
    is_box
        && attributes(node).is_some_and(|attributes| {
            attributes.iter().any(|attribute| {
                let value = &*attribute.value;
                match &*attribute.name.local {
                    "id" => CONTENT_IDS.contains(&value),
                    "class" => value.split_ascii_whitespace().any(|class| CONTENT_CLASSES.contains(&class)),
                    "itemprop" => value == "articleBody",
                    _ => false,
                }
            })
        })
}

fn parent(node: &Rc<Node>) -> Option<Rc<Node>> {
    let weak = node.parent.take()?;
    let parent = weak.upgrade();
    node.parent.set(Some(weak));
    parent
}

fn is_child(of: &Rc<Node>, node: &Rc<Node>) -> bool {
    parent(node).is_some_and(|parent| Rc::ptr_eq(&parent, of))
}

/// Plain and linked text of the body without what is labelled as surroundings.
fn without_surroundings(body: &Rc<Node>, weights: &Weights, sheet: &Sheet) -> (usize, usize) {
    let whole = weights.get(body);
    let (mut plain, mut links) = (whole.plain(), whole.links);
    walk(body, &mut |node| {
        let name = tag(node);
        if name == "body" || !(sheet.hides(node) || is_boilerplate(node, weights, whole.plain())) {
            return if is_never_shown(name) { Descend::No } else { Descend::Yes };
        }
        let weight = weights.get(node);
        plain = plain.saturating_sub(weight.plain());
        links = links.saturating_sub(weight.links);
        Descend::No
    });
    (plain, links)
}

fn scored(html: &str) -> Option<MainContent> {
    if memchr::memmem::find_iter(html.as_bytes(), "<br").take(MAX_SCORED_BREAKS).count() == MAX_SCORED_BREAKS
    {
        return None;
    }
    // Classes carry the languages of code.
    let config = Config { keep_classes: true, disable_json_ld: true, ..Config::default() };
    let mut readability = Readability::new(html, None, Some(config)).ok()?;
    // It would resolve links by this; they are resolved once, later.
    readability.doc.select("base").remove();
    let article = readability.parse().ok()?;
    let document = parse(&article.content).document;
    let root = find(&document, &["body"])?;
    Some(MainContent { weights: Weights::of(&root), root, _document: document })
}
