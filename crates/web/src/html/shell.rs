//! Pages with nothing to read in them, and why.

use url::Url;

use super::address::{Schemes, absolute};
use super::invisible::without_invisible;
use super::title::meta;
use super::tree::{Descend, Node, squeezed};
use super::write::escape;
use crate::page::blocked::{self, Besides};

/// Content shorter than this may be what stands in front of a page.
const SHORT: usize = 600;
/// And this is as good as nothing.
const NEXT_TO_NOTHING: usize = 120;

/// The page that is explained.
pub(super) struct Page<'a> {
    pub(super) document: Node<'a>,
    pub(super) html: &'a str,
    pub(super) base: &'a Url,
}

/// Adds to `notes` why there is little in `markdown`, and to `markdown` what the page says about itself.
pub(super) fn explain(page: &Page<'_>, markdown: &mut String, notes: &mut Vec<String>) {
    let Page { document, html, base } = *page;
    let length = markdown.len();
    if length > SHORT {
        return;
    }
    let besides = if length < NEXT_TO_NOTHING { Besides::Nothing } else { Besides::Something };
    if let Some(what) = blocked::by(html.as_bytes(), besides) {
        notes.push(format!("blocked: {what}"));
    } else if asks_for_consent(document) {
        notes.push("blocked: the page asks for consent to cookies first".to_owned());
    } else if length < NEXT_TO_NOTHING && needs_scripts(document) {
        notes.push("this page needs JavaScript".to_owned());
        add_own_words(document, markdown);
    }
    if let Some(target) = refresh(document).and_then(|target| absolute(base, &target, Schemes::Web)) {
        notes.push(format!("this page sends its readers on to {target}"));
    }
    if markdown.trim().is_empty() && notes.is_empty() {
        notes.push("empty page".to_owned());
    }
}

fn needs_scripts(document: Node<'_>) -> bool {
    let mut has_script = false;
    let mut has_mount = false;
    document.walk(|node| {
        has_script |= node.tag() == "script";
        has_mount |= node.attribute("id").is_some_and(|id| {
            matches!(id, "root" | "app" | "__next" | "__nuxt" | "svelte" | "main-app" | "react-root")
        });
        Descend::Yes
    });
    has_script && (has_mount || noscript(document).is_some())
}

fn noscript(document: Node<'_>) -> Option<String> {
    let body = document.find(&["body"])?;
    let text = squeezed(&without_invisible(&body.find(&["noscript"])?.all_text()));
    (!text.is_empty()).then_some(text)
}

/// An app's shell still says what it is.
fn add_own_words(document: Node<'_>, markdown: &mut String) {
    let Some(head) = document.find(&["head"]) else { return };
    let description = meta(head, "description").or_else(|| meta(head, "og:description"));
    for words in description.into_iter().chain(noscript(document).as_deref()) {
        if !markdown.is_empty() {
            markdown.push_str("\n\n");
        }
        markdown.push_str(&escape(&squeezed(&without_invisible(words))));
    }
}

/// A page that talks about cookies and has a button to agree.
fn asks_for_consent(document: Node<'_>) -> bool {
    let Some(body) = document.find(&["body"]) else { return false };
    let talks = body.all_text().to_lowercase().contains("cookie");
    let mut has_button = false;
    body.walk(|node| {
        if matches!(node.tag(), "button" | "a") {
            let label = node.all_text().to_lowercase();
            has_button |= ["accept", "agree", "consent", "reject"].iter().any(|word| label.contains(word));
        }
        Descend::Yes
    });
    talks && has_button
}

/// Where `<meta http-equiv="refresh">` leads.
fn refresh(document: Node<'_>) -> Option<String> {
    let mut target = None;
    document.walk(|node| {
        let is_refresh = node.tag() == "meta"
            && node.attribute("http-equiv").is_some_and(|value| value.eq_ignore_ascii_case("refresh"));
        if is_refresh && target.is_none() {
            let content = node.attribute("content").unwrap_or_default();
            let lower = content.to_ascii_lowercase();
            target = lower.find("url=").map(|at| content[at + 4..].trim_matches(['\'', '"', ' ']).to_owned());
        }
        Descend::Yes
    });
    target
}
