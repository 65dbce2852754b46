//! Where the content of a page is.

use dom_smoothie::{Config, Readability};

use super::boilerplate::{Comments, is_boilerplate};
use super::hidden::Sheet;
use super::parse::{Parsed, parse};
use super::tree::{Descend, Node, Tree};
use super::weigh::{Weight, Weights, is_never_shown};

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

/// Marks what was a heading of the first level while a page is scored.
const WAS_H1: &str = "data-was-h1";

/// Where the content of a page is.
pub(super) enum Place<'a> {
    /// In this element, which the author marked as the content.
    Marked(Node<'a>),
    /// In this element, by what it holds.
    In(Node<'a>),
    /// In a document of its own.
    Apart(Tree),
}

/// All of what a page shows.
pub(super) fn body(tree: &Tree) -> Node<'_> {
    tree.document().find(&["body"]).unwrap_or_else(|| tree.document())
}

/// The element the author marked; else the one that holds the text, if few links are among it; else what scores
/// best, if it keeps most of the text; else the body.
pub(super) fn main_content<'a>(page: &'a Parsed, html: &str, weights: &Weights, sheet: &Sheet) -> Place<'a> {
    let body = body(&page.tree);
    if let Some(place) = marked(body, weights, sheet) {
        return place;
    }
    let surroundings = Surroundings { weights, sheet, whole: weights.get(body).plain() };
    let own = surroundings.weight_without(body);
    // Few links are left once the labelled navigation is gone: this is a page of text.
    if is_text(own) {
        return Place::In(body);
    }
    let holder = surroundings.holder(body, own.plain());
    if holder != body && is_text(surroundings.weight_without(holder)) {
        return Place::In(holder);
    }
    if page.stopped.is_none() && page.elements <= MAX_SCORED_ELEMENTS {
        let article = scored(html).filter(|article| {
            let root = self::body(article);
            Weights::of(root).get(root).plain() * 10 >= own.plain() * 6
        });
        if let Some(article) = article {
            return Place::Apart(article);
        }
    }
    Place::In(body)
}

fn is_text(weight: Weight) -> bool {
    weight.links * 5 < weight.plain()
}

fn marked<'a>(body: Node<'a>, weights: &Weights, sheet: &Sheet) -> Option<Place<'a>> {
    let whole = weights.get(body).plain();
    let mut mains = Vec::new();
    let mut articles = Vec::new();
    let mut named = Vec::new();
    body.walk(|node| {
        let name = node.tag();
        if name.is_empty() || is_never_shown(name) || (name != "body" && sheet.hides(node)) {
            return if name.is_empty() { Descend::Yes } else { Descend::No };
        }
        if name == "main" || node.attribute("role") == Some("main") {
            mains.push(node);
        } else if name == "article" {
            articles.push(node);
            return Descend::No;
        } else if is_named_content(node) {
            named.push(node);
        }
        Descend::Yes
    });
    let heaviest = |nodes: &[Node<'a>]| nodes.iter().max_by_key(|node| weights.get(**node).plain()).copied();
    let holds = |node: Node<'_>, tenths: usize| weights.get(node).plain() * 10 >= whole * tenths && whole > 0;
    if let Some(main) = heaviest(&mains).filter(|main| holds(*main, 3)) {
        return Some(Place::Marked(main));
    }
    let article = match articles.as_slice() {
        [one] => Some(Place::Marked(*one)),
        // A list of posts or answers: what they have in common.
        [first, ..] => {
            let is_common = |parent: &Node<'_>| articles.iter().all(|other| other.parent() == Some(*parent));
            first.parent().filter(is_common).map(Place::In)
        }
        [] => None,
    };
    let article =
        article.filter(|place| matches!(place, Place::Marked(node) | Place::In(node) if holds(*node, 5)));
    article.or_else(|| heaviest(&named).filter(|named| holds(*named, 5)).map(Place::In))
}

fn is_named_content(node: Node<'_>) -> bool {
    let is_box = matches!(node.tag(), "div" | "section" | "td");
    is_box
        && node.attributes().any(|(name, value)| match name {
            "id" => CONTENT_IDS.contains(&value),
            "class" => value.split_ascii_whitespace().any(|class| CONTENT_CLASSES.contains(&class)),
            "itemprop" => value == "articleBody",
            _ => false,
        })
}

/// What is hidden or labelled as surroundings, in a body with so much plain text.
struct Surroundings<'a> {
    weights: &'a Weights,
    sheet: &'a Sheet,
    whole: usize,
}

impl Surroundings<'_> {
    fn has(&self, node: Node<'_>) -> bool {
        let name = node.tag();
        !name.is_empty()
            && name != "body"
            && (self.sheet.hides(node) || is_boilerplate(node, self.weights, self.whole, Comments::Content))
    }

    fn weight_without(&self, root: Node<'_>) -> Weight {
        let mut left = self.weights.get(root);
        root.walk(|node| {
            if node == root || !self.has(node) {
                return if is_never_shown(node.tag()) { Descend::No } else { Descend::Yes };
            }
            let weight = self.weights.get(node);
            left.text = left.text.saturating_sub(weight.text);
            left.links = left.links.saturating_sub(weight.links).min(left.text);
            Descend::No
        });
        left
    }

    /// The smallest box that holds nearly all of the `plain` text.
    fn holder<'a>(&self, root: Node<'a>, plain: usize) -> Node<'a> {
        let mut holder = root;
        loop {
            let within = holder.children().find(|child| {
                is_box(child.tag()) && self.weights.get(*child).plain() * 10 >= plain * 9 && !self.has(*child)
            });
            match within {
                Some(within) => holder = within,
                None => return holder,
            }
        }
    }
}

/// Elements that can hold an article.
fn is_box(name: &str) -> bool {
    matches!(
        name,
        "div" | "section" | "article" | "main" | "center" | "form" | "table" | "tbody" | "tr" | "td"
    )
}

fn scored(html: &str) -> Option<Tree> {
    if memchr::memmem::find_iter(html.as_bytes(), "<br").take(MAX_SCORED_BREAKS).count() == MAX_SCORED_BREAKS
    {
        return None;
    }
    // Classes carry the languages of code.
    let config = Config { keep_classes: true, disable_json_ld: true, ..Config::default() };
    let mut readability = Readability::new(html, None, Some(config)).ok()?;
    // It would resolve links by this; they are resolved once, later.
    readability.doc.select("base").remove();
    // It lowers the headings of the first level, and theirs is the title of the page.
    readability.doc.select(&format!("[{WAS_H1}]")).remove_attr(WAS_H1);
    readability.doc.select("h1").set_attr(WAS_H1, "");
    let article = readability.parse().ok()?;
    let mut tree = parse(&article.content).tree;
    tree.rename(WAS_H1, "h1");
    Some(tree)
}
