//! Conditional requests: what the caller has or expects, against what is there.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use runtime::agent::workspace::{Expected, Stamp};

/// What a tag begins with that two states of a file may share.
const WEAK: &str = "W/";

/// When the file was changed, as far as HTTP can say it: to the second.
pub fn modified(stamp: &Stamp) -> SystemTime {
    let since = Duration::from_secs(stamp.modified.0.unsigned_abs());
    let moment =
        if stamp.modified.0 < 0 { UNIX_EPOCH.checked_sub(since) } else { UNIX_EPOCH.checked_add(since) };
    moment.unwrap_or(UNIX_EPOCH)
}

/// The conditions of a request.
#[derive(Debug)]
pub struct Conditions {
    /// When the request was looked at, which is before the file is.
    now: SystemTime,
    range: Option<HeaderValue>,
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
        Self::at(SystemTime::now(), headers)
    }

    fn at(now: SystemTime, headers: &HeaderMap) -> Self {
        Self {
            now,
            range: headers.get(header::IF_RANGE).cloned(),
            matching: tags(headers, &header::IF_MATCH),
            none_matching: tags(headers, &header::IF_NONE_MATCH),
            modified_since: date(headers, &header::IF_MODIFIED_SINCE),
            unmodified_since: date(headers, &header::IF_UNMODIFIED_SINCE),
        }
    }

    /// Names one state of a file. A weak one, which no strong one resembles, as long as the file may change without
    /// its times showing it.
    pub fn etag(&self, stamp: &Stamp) -> String {
        let Stamp { inode, size, modified, changed, .. } = stamp;
        let state =
            format!("{inode:x}-{size:x}-{:x}.{:x}-{:x}.{:x}", modified.0, modified.1, changed.0, changed.1);
        if stamp.settled(self.now) { format!("\"{state}\"") } else { format!("{WEAK}\"{state}-unsettled\"") }
    }

    /// In the order that HTTP lays down: tags come before dates.
    pub fn for_read(&self, stamp: &Stamp) -> Read {
        if !self.holds(Some(stamp)) {
            return Read::Failed;
        }
        let unchanged = match (&self.none_matching, self.modified_since) {
            (Some(tags), _) => self.names(tags, stamp, Comparison::Weak),
            (None, Some(since)) => modified(stamp) <= since,
            (None, None) => false,
        };
        if unchanged { Read::NotModified } else { Read::Send }
    }

    /// What must be there at the moment of the write; none if a condition fails already.
    pub fn for_write(&self, present: Option<&Stamp>) -> Option<Expected> {
        let absent =
            |tags: &Vec<String>| !present.is_some_and(|stamp| self.names(tags, stamp, Comparison::Weak));
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
            (Some(tags), _, Some(stamp)) => self.names(tags, stamp, Comparison::Strong),
            (None, Some(since), Some(stamp)) => modified(stamp) <= since,
        }
    }

    /// Whether a range may be sent: `If-Range` says for which state of the file it was asked.
    pub fn range_counts(&self, stamp: &Stamp) -> bool {
        let Some(value) = &self.range else { return true };
        let Ok(text) = value.to_str() else { return false };
        let same_date = || httpdate::parse_http_date(text).is_ok_and(|date| date == modified(stamp));
        self.is_named(text, stamp, Comparison::Strong) || (!text.contains('"') && same_date())
    }

    fn names(&self, tags: &[String], stamp: &Stamp, comparison: Comparison) -> bool {
        tags.iter().any(|tag| tag == "*" || self.is_named(tag, stamp, comparison))
    }

    fn is_named(&self, tag: &str, stamp: &Stamp, comparison: Comparison) -> bool {
        let own = self.etag(stamp);
        match comparison {
            Comparison::Strong => tag == own && !tag.starts_with(WEAK),
            Comparison::Weak => tag.trim_start_matches(WEAK) == own.trim_start_matches(WEAK),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Strong,
    /// Weak tags count too.
    Weak,
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

#[cfg(test)]
mod tests {
    use super::*;

    use axum::http::HeaderMap;

    /// Changed at this second.
    const STAMP: Stamp = Stamp { device: 1, inode: 2, size: 3, modified: (100, 0), changed: (100, 0) };

    fn at(millis: u64, header: Option<(HeaderName, &str)>) -> Conditions {
        let headers: HeaderMap =
            header.into_iter().map(|(name, value)| (name, value.parse().unwrap())).collect();
        Conditions::at(UNIX_EPOCH + Duration::from_millis(millis), &headers)
    }

    #[test]
    fn a_tag_that_a_later_state_may_share_is_weak_and_names_nothing_later() {
        let weak = at(100_010, None).etag(&STAMP);
        let strong = at(100_500, None).etag(&STAMP);
        assert!(weak.starts_with(WEAK) && !strong.starts_with(WEAK), "{weak} {strong}");
        let is_expected = |now, tag| at(now, Some((header::IF_MATCH, tag))).for_write(Some(&STAMP)).is_some();
        let is_sent = |now, tag| at(now, Some((header::IF_NONE_MATCH, tag))).for_read(&STAMP) == Read::Send;
        let is_part = |now, tag| at(now, Some((header::IF_RANGE, tag))).range_counts(&STAMP);
        for (now, tag, expected, sent) in [
            (100_010, &weak, false, false),
            (100_010, &strong, false, true),
            (100_500, &weak, false, true),
            (100_500, &strong, true, false),
        ] {
            assert_eq!(is_expected(now, tag), expected, "{now} {tag}");
            assert_eq!(is_part(now, tag), expected, "{now} {tag}");
            assert_eq!(is_sent(now, tag), sent, "{now} {tag}");
        }
    }
}
