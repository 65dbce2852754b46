//! Conditional requests: what the caller has or expects, against what is there.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, HeaderName, header};
use runtime::agent::workspace::{Expected, Stamp};

/// Names one state of a file. It is a strong one: files that String writes never share an inode, others not a time.
pub fn etag(stamp: &Stamp) -> String {
    let Stamp { inode, size, seconds, nanoseconds } = stamp;
    format!("\"{inode:x}-{size:x}-{seconds:x}.{nanoseconds:x}\"")
}

/// When the file was changed, as far as HTTP can say it: to the second.
pub fn modified(stamp: &Stamp) -> SystemTime {
    let seconds = Duration::from_secs(stamp.seconds.unsigned_abs());
    let moment =
        if stamp.seconds < 0 { UNIX_EPOCH.checked_sub(seconds) } else { UNIX_EPOCH.checked_add(seconds) };
    moment.unwrap_or(UNIX_EPOCH)
}

/// The conditions of a request.
#[derive(Debug, Default)]
pub struct Conditions {
    matching: Option<Vec<String>>,
    none_matching: Option<Vec<String>>,
    modified_since: Option<SystemTime>,
    unmodified_since: Option<SystemTime>,
}

/// What becomes of a request to read.
#[derive(Debug, PartialEq, Eq)]
pub enum Read {
    Send,
    NotModified,
    Failed,
}

impl Conditions {
    pub fn of(headers: &HeaderMap) -> Self {
        Self {
            matching: tags(headers, &header::IF_MATCH),
            none_matching: tags(headers, &header::IF_NONE_MATCH),
            modified_since: date(headers, &header::IF_MODIFIED_SINCE),
            unmodified_since: date(headers, &header::IF_UNMODIFIED_SINCE),
        }
    }

    /// In the order that HTTP lays down: tags come before dates.
    pub fn for_read(&self, stamp: &Stamp) -> Read {
        if !self.holds(Some(stamp)) {
            return Read::Failed;
        }
        let unchanged = match (&self.none_matching, self.modified_since) {
            (Some(tags), _) => names(tags, stamp, Comparison::Weak),
            (None, Some(since)) => modified(stamp) <= since,
            (None, None) => false,
        };
        if unchanged { Read::NotModified } else { Read::Send }
    }

    /// What must be there at the moment of the write; none if a condition fails already.
    pub fn for_write(&self, present: Option<&Stamp>) -> Option<Expected> {
        let absent = |tags: &Vec<String>| !present.is_some_and(|stamp| names(tags, stamp, Comparison::Weak));
        if !self.holds(present) || !self.none_matching.as_ref().is_none_or(absent) {
            return None;
        }
        let conditional =
            self.matching.is_some() || self.none_matching.is_some() || self.unmodified_since.is_some();
        Some(match present {
            _ if !conditional => Expected::Anything,
            Some(stamp) => Expected::Stamped(*stamp),
            None => Expected::Nothing,
        })
    }

    fn holds(&self, present: Option<&Stamp>) -> bool {
        match (&self.matching, self.unmodified_since, present) {
            (None, None, _) => true,
            (_, _, None) => false,
            (Some(tags), _, Some(stamp)) => names(tags, stamp, Comparison::Strong),
            (None, Some(since), Some(stamp)) => modified(stamp) <= since,
        }
    }
}

/// Whether a range may be sent: `If-Range` says for which state of the file it was asked.
pub fn range_counts(headers: &HeaderMap, stamp: &Stamp) -> bool {
    let Some(value) = headers.get(header::IF_RANGE) else { return true };
    let Ok(text) = value.to_str() else { return false };
    let same_date = || httpdate::parse_http_date(text).is_ok_and(|date| date == modified(stamp));
    text == etag(stamp) || (!text.contains('"') && same_date())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Strong,
    /// A tag that its holder calls weak counts too.
    Weak,
}

fn names(tags: &[String], stamp: &Stamp, comparison: Comparison) -> bool {
    let own = etag(stamp);
    tags.iter().any(|tag| match (tag.as_str(), comparison) {
        ("*", _) => true,
        (tag, Comparison::Strong) => tag == own,
        (tag, Comparison::Weak) => tag.strip_prefix("W/").unwrap_or(tag) == own,
    })
}

/// The tags of a header; none if it is not there. Ours hold no commas, so others may fall apart at theirs.
fn tags(headers: &HeaderMap, name: &HeaderName) -> Option<Vec<String>> {
    let values = headers.get_all(name);
    headers.contains_key(name).then(|| {
        let texts = values.iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        texts.flat_map(|text| text.split(',').map(|tag| tag.trim().to_owned()).collect::<Vec<_>>()).collect()
    })
}

/// A date that cannot be read is as if it were not there, as HTTP says.
fn date(headers: &HeaderMap, name: &HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok()
}
