//! Headings: their ids, and the section each of them begins.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::id::slug;
use crate::lines::Lines;
use crate::scan::RawHeading;

/// A heading outside of lists and quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    pub level: u8,
    /// Plain text, without Markdown and attributes.
    pub text: String,
    /// From `{#id}`.
    pub explicit_id: Option<String>,
    /// Made from the text; repeated ones get `-2`, `-3`. Empty if the text has no letter or digit.
    pub slug: String,
    /// From the heading's line up to the next heading of the same or a higher level.
    pub lines: Range<usize>,
}

pub(crate) fn headings(raw: Vec<RawHeading>, lines: &Lines) -> Vec<Heading> {
    let mut slugs = Slugs::default();
    let mut headings: Vec<Heading> = Vec::with_capacity(raw.len());
    let mut open: Vec<usize> = Vec::new();
    for RawHeading { level, explicit_id, text, range } in raw {
        let line = lines.line_of(range.start);
        while let Some(above) = open.pop_if(|above| headings[*above].level >= level) {
            headings[above].lines.end = line;
        }
        open.push(headings.len());
        let slug = slugs.next(slug(&text));
        headings.push(Heading { level, text, explicit_id, slug, lines: line..lines.end() });
    }
    headings
}

#[derive(Default)]
struct Slugs {
    taken: HashSet<String>,
    repeats: HashMap<String, usize>,
}

impl Slugs {
    fn next(&mut self, base: String) -> String {
        if base.is_empty() || self.taken.insert(base.clone()) {
            return base;
        }
        let count = self.repeats.entry(base.clone()).or_insert(1);
        loop {
            *count += 1;
            let candidate = format!("{base}-{count}");
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}
