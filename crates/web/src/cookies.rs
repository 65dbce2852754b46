//! Cookies of one topic: in memory, and nothing at all until a server sets the first.

use std::sync::{Mutex, PoisonError};

use cookie_store::{Cookie, CookieDomain, CookieStore};
use http::{HeaderMap, HeaderValue, header};
use url::Url;

use crate::limits::{MAX_COOKIE, MAX_COOKIES};

/// Shared by the requests of a topic. An empty one is a lock and a null pointer.
#[derive(Debug, Default)]
pub struct CookieJar(Mutex<Option<Box<CookieStore>>>);

impl CookieJar {
    pub fn new() -> CookieJar {
        CookieJar::default()
    }

    pub fn is_empty(&self) -> bool {
        self.with(|jar| jar.as_ref().is_none_or(|store| store.iter_unexpired().next().is_none()))
    }

    /// Keeps what `headers`, an answer from `url`, set.
    pub(crate) fn store(&self, url: &Url, headers: &HeaderMap) {
        for value in headers.get_all(header::SET_COOKIE) {
            let Some(text) = value.to_str().ok().filter(|text| text.len() <= MAX_COOKIE) else { continue };
            let Ok(cookie) = Cookie::parse(text.to_owned(), url) else { continue };
            if is_for_a_whole_registry(&cookie.domain, url) {
                continue;
            }
            self.with(|jar| {
                let store = jar.get_or_insert_default();
                if store.iter_any().count() >= MAX_COOKIES {
                    make_room(store);
                }
                // The store refuses what the rules refuse: another domain, a secure name over http.
                let _ = store.insert(cookie, url);
            });
        }
    }

    /// The `Cookie` header for `url`.
    pub(crate) fn header(&self, url: &Url) -> Option<HeaderValue> {
        let pairs: Vec<String> = self.with(|jar| {
            let values = jar.as_ref()?.get_request_values(url);
            Some(values.map(|(name, value)| format!("{name}={value}")).collect())
        })?;
        HeaderValue::try_from(pairs.join("; ")).ok().filter(|value| !value.is_empty())
    }

    fn with<T>(&self, f: impl FnOnce(&mut Option<Box<CookieStore>>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A cookie for `.com` or `.co.uk` would reach strangers. The full list of such suffixes is megabytes long; the
/// two shapes that make nearly all of it are a single label, and a short label before a country's.
fn is_for_a_whole_registry(domain: &CookieDomain, url: &Url) -> bool {
    let CookieDomain::Suffix(suffix) = domain else { return false };
    if url.host_str().is_some_and(|host| host.eq_ignore_ascii_case(suffix)) {
        return false;
    }
    match suffix.rsplit_once('.') {
        None => true,
        Some((label, country)) => country.len() == 2 && label.len() <= 3 && !label.contains('.'),
    }
}

/// Room for one more: the expired first, else any.
fn make_room(store: &mut CookieStore) {
    let victim = store.iter_any().find(|cookie| cookie.is_expired()).or_else(|| store.iter_any().next());
    let key = victim.and_then(|cookie| {
        Some((cookie.domain.as_cow()?.into_owned(), cookie.path.to_string(), cookie.name().to_owned()))
    });
    if let Some((domain, path, name)) = key {
        store.remove(&domain, &path, &name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(jar: &CookieJar, url: &str, cookie: &str) {
        let mut headers = HeaderMap::new();
        headers.append(header::SET_COOKIE, cookie.parse().unwrap());
        jar.store(&Url::parse(url).unwrap(), &headers);
    }

    fn sent(jar: &CookieJar, url: &str) -> Option<String> {
        let value = jar.header(&Url::parse(url).unwrap())?;
        Some(value.to_str().unwrap().to_owned())
    }

    #[test]
    fn cookies_go_only_where_they_belong() {
        let cases = [
            ("https://a.example/x", "k=v", "https://a.example/y", true),
            ("https://a.example/x", "k=v", "https://b.example/", false),
            ("https://a.example/x", "k=v", "https://sub.a.example/", false),
            ("https://a.example/x", "k=v; Domain=a.example", "https://sub.a.example/", true),
            ("https://sub.a.example/", "k=v; Domain=a.example", "https://a.example/", true),
            ("https://a.example/", "k=v; Domain=b.example", "https://b.example/", false),
            ("https://a.example/", "k=v; Secure", "http://a.example/", false),
            ("https://a.example/", "k=v; Path=/in", "https://a.example/out", false),
            ("https://a.example/", "k=v; Path=/in", "https://a.example/in/x", true),
            ("https://a.example/", "k=v; Max-Age=0", "https://a.example/", false),
            ("https://a.co.uk/", "k=v; Domain=co.uk", "https://b.co.uk/", false),
            ("https://a.com/", "k=v; Domain=com", "https://b.com/", false),
            ("https://t.co/", "k=v; Domain=t.co", "https://t.co/", true),
            ("http://127.0.0.1:1/", "k=v", "http://127.0.0.1:2/", true),
        ];
        for (from, cookie, to, expected) in cases {
            let jar = CookieJar::new();
            set(&jar, from, cookie);
            assert_eq!(sent(&jar, to).is_some(), expected, "{cookie} from {from} to {to}");
        }
    }

    #[test]
    fn a_jar_is_bounded_and_small_when_empty() {
        let jar = CookieJar::new();
        assert!(jar.is_empty());
        assert!(size_of::<CookieJar>() <= 24);
        for index in 0..MAX_COOKIES + 50 {
            set(&jar, "https://a.example/", &format!("k{index}=v"));
        }
        let count = jar.with(|jar| jar.as_ref().unwrap().iter_any().count());
        assert_eq!(count, MAX_COOKIES);
        assert!(sent(&jar, "https://a.example/").unwrap().contains(&format!("k{}=v", MAX_COOKIES + 49)));
        let huge = CookieJar::new();
        set(&huge, "https://a.example/", &format!("k={}", "v".repeat(MAX_COOKIE)));
        assert!(huge.is_empty());
    }
}
