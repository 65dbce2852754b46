//! What surrounds the content of a page: navigation, banners, sharing, advertisements.

use std::sync::LazyLock;

use super::tree::{Descend, Node};
use super::weigh::{Weight, Weights};

/// A labelled box with more text than this is probably content that carries an unlucky name.
const SHORT: usize = 250;
/// Consent texts are long-winded.
const CONSENT: usize = 1500;

/// What a class or an id says about its element.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Labels {
    surroundings: bool,
    consent: bool,
    comments: bool,
}

/// Words of classes and ids that mark surroundings.
const WORDS: [&str; 51] = [
    "nav",
    "navbar",
    "navigation",
    "menu",
    "submenu",
    "breadcrumb",
    "breadcrumbs",
    "sidebar",
    "sidenav",
    "footer",
    "masthead",
    "pagehead",
    "topbar",
    "share",
    "sharing",
    "sharebar",
    "social",
    "newsletter",
    "subscribe",
    "signup",
    "related",
    "recommended",
    "recommendations",
    "recirculation",
    "trending",
    "popular",
    "pagination",
    "pager",
    "advert",
    "advertisement",
    "ads",
    "ad",
    "adslot",
    "sponsor",
    "sponsored",
    "promo",
    "promotion",
    "banner",
    "popup",
    "modal",
    "toolbar",
    "skip",
    "toc",
    "outbrain",
    "taboola",
    "upsell",
    "editsection",
    "catlinks",
    "dropdown",
    "jump",
    "noprint",
];
/// What makes a form something to operate. Some pages are forms as a whole.
const CONTROLS: [&str; 4] = ["input", "textarea", "select", "button"];
const CONSENT_WORDS: [&str; 6] = ["cookie", "cookies", "consent", "gdpr", "ccpa", "onetrust"];
const COMMENT_WORDS: [&str; 5] = ["comments", "commentlist", "disqus", "respond", "comment"];

/// Readers' comments belong to a discussion but not to an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comments {
    Content,
    Surroundings,
}

/// Whether `node` is surroundings. `whole` is the plain text of what is being converted.
pub(super) fn is_boilerplate(node: Node<'_>, weights: &Weights, whole: usize, comments: Comments) -> bool {
    let weight = weights.get(node);
    // Whatever holds much of the text is not around it.
    let is_large = weight.plain() * 5 > whole * 2;
    let name = node.tag();
    if matches!(name, "nav" | "aside" | "footer" | "dialog") && !is_large {
        return true;
    }
    if name == "form" && !is_large && weight.text < SHORT && node.find(&CONTROLS).is_some() {
        return true;
    }
    if is_contents(node, weight) && weight.links < whole {
        return true;
    }
    let mut is_labelled = false;
    for (attribute, value) in node.attributes() {
        let is_label = match attribute {
            "role" if is_landmark(value) && !is_large => return true,
            // Generators name sections after their headings.
            "id" => matches!(name, "div" | "ul" | "ol" | "form" | "header"),
            "class" => is_labelled_box(name),
            _ => continue,
        };
        let may_hold_comments = comments == Comments::Surroundings && holds_comments(name);
        if !is_label && !may_hold_comments {
            continue;
        }
        let labels = Labels::of(value);
        is_labelled |= is_label && labels.surroundings;
        if may_hold_comments && labels.comments {
            return true;
        }
        if is_label && labels.consent && !is_large && weight.text < CONSENT {
            return true;
        }
    }
    is_labelled && !is_large && (weight.text < SHORT || weight.is_mostly_links())
}

/// Whether `node` is a list of the page's own parts: nearly all links, and all of them within the page.
fn is_contents(node: Node<'_>, weight: Weight) -> bool {
    if weight.links == 0 || weight.links * 10 < weight.text * 7 || !is_labelled_box(node.tag()) {
        return false;
    }
    let mut links = 0;
    let mut leads_away = false;
    node.walk(|node| {
        if let ("a", Some(href)) = (node.tag(), node.attribute("href")) {
            links += 1;
            leads_away |= !href.starts_with('#');
        }
        if leads_away { Descend::No } else { Descend::Yes }
    });
    links >= 2 && !leads_away
}

fn is_landmark(role: &str) -> bool {
    matches!(
        role,
        "navigation"
            | "banner"
            | "contentinfo"
            | "complementary"
            | "search"
            | "dialog"
            | "alertdialog"
            | "menu"
            | "menubar"
            | "toolbar"
            | "tablist"
    )
}

/// Elements whose class says what they are for.
fn is_labelled_box(name: &str) -> bool {
    matches!(name, "div" | "section" | "ul" | "ol" | "dl" | "form" | "header" | "p" | "a" | "span" | "figure")
}

fn holds_comments(name: &str) -> bool {
    matches!(name, "div" | "section" | "ol" | "ul" | "aside")
}

/// Whether `node` holds readers' comments.
pub(super) fn is_comments(node: Node<'_>) -> bool {
    holds_comments(node.tag())
        && node.attributes().any(|(name, value)| matches!(name, "class" | "id") && Labels::of(value).comments)
}

impl Labels {
    /// `site-navBar_main` says what `site`, `navbar`, `nav`, `bar` and `main` say. Names that tell what is around
    /// or missing (`has-sidebar`, `no-nav`) are not about their element.
    fn of(value: &str) -> Labels {
        let mut labels = Labels::default();
        for name in value.split_ascii_whitespace() {
            if parts(name).any(|part| matches!(part, "has" | "with" | "without" | "no" | "not" | "is")) {
                continue;
            }
            for part in parts(name) {
                labels.add(part);
                let mut from = 0;
                for (at, _) in part.char_indices().filter(|(at, c)| *at > 0 && c.is_ascii_uppercase()) {
                    labels.add(&part[from..at]);
                    from = at;
                }
                if from > 0 {
                    labels.add(&part[from..]);
                }
            }
        }
        labels
    }

    fn add(&mut self, word: &str) {
        let known = KNOWN.get(word.len()).map_or(&[][..], Vec::as_slice);
        for (_, label) in known.iter().filter(|(known, _)| known.eq_ignore_ascii_case(word)) {
            match label {
                Label::Surroundings => self.surroundings = true,
                Label::Consent => self.consent = true,
                Label::Comments => self.comments = true,
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Label {
    Surroundings,
    Consent,
    Comments,
}

/// All words by their length, because nearly every name is asked about and nearly none is known.
static KNOWN: LazyLock<Vec<Vec<(&str, Label)>>> = LazyLock::new(|| {
    let words = WORDS.map(|word| (word, Label::Surroundings)).into_iter();
    let words = words.chain(CONSENT_WORDS.map(|word| (word, Label::Consent)));
    let words = words.chain(COMMENT_WORDS.map(|word| (word, Label::Comments)));
    let mut known: Vec<Vec<(&str, Label)>> = Vec::new();
    for (word, label) in words {
        known.resize_with(known.len().max(word.len() + 1), Vec::new);
        known[word.len()].push((word, label));
    }
    known
});

fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(['-', '_', ':', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        let says = |value| {
            let Labels { surroundings, consent, comments } = Labels::of(value);
            (surroundings, consent, comments)
        };
        assert_eq!(says("site-nav"), (true, false, false));
        assert_eq!(says("main_Menu"), (true, false, false));
        assert_eq!(says("navBar"), (true, false, false));
        assert_eq!(says("theNav"), (true, false, false));
        assert_eq!(says("x.y:cookie"), (false, true, false));
        assert_eq!(says("post-comments"), (false, false, true));
        assert_eq!(says("has-sidebar no-nav"), (false, false, false));
        assert_eq!(says("has-sidebar menu"), (true, false, false));
        assert_eq!(says("navigate menus"), (false, false, false));
    }
}
