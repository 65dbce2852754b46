//! Links as the Markdown parser sees them, before shortcuts are given out.

use std::ops::Range;

use crate::id::Id;

/// A label is a name to choose by; longer ones are cut in listings (never in the text itself).
pub(crate) const MAX_LABEL: usize = 200;
/// Ids that String gives to links without a usable label begin like this, so no author may.
pub(crate) const NUMBERED_PREFIX: &str = "link-";

/// One link or image of the text.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// All of it, from `[` or `<` on.
    pub(crate) range: Range<usize>,
    /// What stands between the brackets, `@id` included.
    pub(crate) label: Range<usize>,
    /// The label as plain text, without `@id`.
    pub(crate) text: String,
    pub(crate) destination: String,
    pub(crate) form: LinkForm,
    pub(crate) name: Option<Name>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkForm {
    /// `[Label](href)`
    Inline,
    /// `[Label][id]`
    Reference,
    /// `[id]` or `[id][]`
    Bare,
    /// `<https://…>`
    Auto,
}

/// The author's name for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) id: Id,
    /// Bytes of the label that `@id ` takes.
    pub(crate) length: usize,
}

/// `@id Label`, or `@id` alone.
pub(crate) fn name_in_label(label: &str) -> Option<Name> {
    let rest = label.strip_prefix('@')?;
    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
    let space = rest[word.len()..].len() - rest[word.len()..].trim_start().len();
    Some(Name { id: shortcut_id(word)?, length: 1 + word.len() + space })
}

/// The id in the label of a reference definition: `@id`. References ignore case, ids do not have any.
pub(crate) fn name_in_reference(label: &str) -> Option<Id> {
    shortcut_id(&label.strip_prefix('@')?.to_ascii_lowercase())
}

fn shortcut_id(text: &str) -> Option<Id> {
    Id::parse(text).filter(|id| !id.as_str().starts_with(NUMBERED_PREFIX))
}

/// An address as it stands in an inline link.
pub(crate) fn inline_href(href: &str) -> String {
    let is_plain = !href.is_empty()
        && !href.contains(|c: char| c.is_whitespace() || c.is_control() || "()<>".contains(c));
    if is_plain { href.to_owned() } else { format!("<{}>", href.replace('<', "%3C").replace('>', "%3E")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_may_begin_with_a_name() {
        let cases = [
            ("@next Next page", Some(("next", 6))),
            ("@next  Next", Some(("next", 7))),
            ("@home", Some(("home", 5))),
            ("@Home Page", None),
            ("@link-3 Mine", None),
            ("@ a", None),
            ("next", None),
            ("@a.b c", None),
        ];
        for (label, expected) in cases {
            let name = name_in_label(label).map(|name| (name.id.to_string(), name.length));
            assert_eq!(name, expected.map(|(id, length)| (id.to_owned(), length)), "{label:?}");
        }
    }
}
