//! What surrounds the content of a page: navigation, banners, sharing, advertisements.

use std::rc::Rc;

use markup5ever_rcdom::Node;

use super::element::{attributes, tag};
use super::weigh::Weights;

/// A labelled box with more text than this is probably content that carries an unlucky name.
const SHORT: usize = 250;
/// Consent texts are long-winded.
const CONSENT: usize = 1500;

/// Words of classes and ids that mark surroundings.
const WORDS: [&str; 48] = [
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
    "byline-share",
    "outbrain",
    "taboola",
    "upsell",
    "editsection",
    "catlinks",
];
const CONSENT_WORDS: [&str; 6] = ["cookie", "cookies", "consent", "gdpr", "ccpa", "onetrust"];
const COMMENT_WORDS: [&str; 5] = ["comments", "commentlist", "disqus", "respond", "comment"];

/// Whether `node` is surroundings. `whole` is the plain text of what is being converted.
pub(super) fn is_boilerplate(node: &Rc<Node>, weights: &Weights, whole: usize) -> bool {
    let weight = weights.get(node);
    // Whatever holds much of the text is not around it.
    let is_large = weight.plain() * 5 > whole * 2;
    let name = tag(node);
    if matches!(name, "nav" | "aside" | "footer" | "dialog") {
        return !is_large;
    }
    let Some(attributes) = attributes(node) else { return false };
    let mut is_labelled = false;
    for attribute in attributes.iter() {
        let value = &*attribute.value;
        match &*attribute.name.local {
            "role" => {
                let is_landmark = matches!(
                    value,
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
                );
                if is_landmark && !is_large {
                    return true;
                }
            }
            "class" | "id" => {
                let is_label = match &*attribute.name.local {
                    // Generators name sections after their headings.
                    "id" => matches!(name, "div" | "ul" | "ol" | "form" | "header"),
                    _ => is_labelled_box(name),
                };
                is_labelled |= is_label && words(value).any(|word| WORDS.contains(&&*word));
                let is_consent = is_label && words(value).any(|word| CONSENT_WORDS.contains(&&*word));
                if is_consent && !is_large && weight.text < CONSENT {
                    return true;
                }
            }
            _ => {}
        }
    }
    is_labelled && !is_large && (weight.text < SHORT || weight.is_mostly_links())
}

/// Elements whose class says what they are for.
fn is_labelled_box(name: &str) -> bool {
    matches!(name, "div" | "section" | "ul" | "ol" | "dl" | "form" | "header" | "p" | "a" | "span" | "figure")
}

/// Whether `node` holds readers' comments, which belong to a discussion but not to an article.
pub(super) fn is_comments(node: &Rc<Node>) -> bool {
    let is_box = matches!(tag(node), "div" | "section" | "ol" | "ul" | "aside");
    is_box
        && attributes(node).is_some_and(|attributes| {
            attributes.iter().any(|attribute| {
                matches!(&*attribute.name.local, "class" | "id")
                    && words(&attribute.value).any(|word| COMMENT_WORDS.contains(&&*word))
            })
        })
}

/// `site-navBar_main` → `site`, `navbar`, `nav`, `bar`, `main`. Names that tell what is around or missing
/// (`has-sidebar`, `no-nav`) are not about their element.
fn words(value: &str) -> impl Iterator<Item = String> {
    const ABOUT_OTHERS: [&str; 6] = ["has", "with", "without", "no", "not", "is"];
    let names = value.split_ascii_whitespace();
    let own = names.filter(|name| !parts(name).any(|part| ABOUT_OTHERS.contains(&part)));
    own.flat_map(parts).flat_map(|part| {
        let mut found = vec![part.to_ascii_lowercase()];
        let humps = part.char_indices().filter(|(at, c)| *at > 0 && c.is_uppercase()).map(|(at, _)| at);
        let ends: Vec<usize> = humps.chain([part.len()]).collect();
        if ends.len() > 1 {
            let starts = std::iter::once(0).chain(ends.iter().copied());
            found.extend(starts.zip(&ends).map(|(start, end)| part[start..*end].to_ascii_lowercase()));
        }
        found
    })
}

fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(['-', '_', ':', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        let split = |value| words(value).collect::<Vec<_>>().join(" ");
        assert_eq!(split("site-nav main_menu"), "site nav main menu");
        assert_eq!(split("navBar"), "navbar nav bar");
        assert_eq!(split("x.y:z"), "x y z");
        assert_eq!(split("has-sidebar no-nav menu"), "menu");
    }
}
