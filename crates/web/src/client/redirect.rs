//! Where an answer sends us next, and what may travel there. Pure.

use http::{HeaderMap, Method, StatusCode, header};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::Error;
use crate::error::{Shown, host_and_port};
use crate::limits::MAX_URL;
use crate::request::{Redirects, Request, check_scheme};

/// How often a value may be encoded and is still recognised.
const ENCODED_MOST: usize = 4;
/// Values of as many characters are recognised inside a longer text.
const SHORTEST_WITHIN: usize = 4;

/// The request to send next, or `None` if the answer is the last.
pub(super) fn next(
    request: &Request,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<Option<Request>, Error> {
    let is_followed = is_redirect(status) && request.redirects == Redirects::Followed;
    let Some(location) = headers.get(header::LOCATION).filter(|_| is_followed) else { return Ok(None) };
    let from = || Shown::from(&request.url);
    // Servers send raw UTF-8 here; the URL parser encodes it.
    let location =
        std::str::from_utf8(location.as_bytes()).map_err(|_| Error::BadRedirect { from: from() })?;
    let mut url = request.url.join(location).map_err(|_| Error::BadRedirect { from: from() })?;
    // Whoever asked has named a good address: what is wrong is the answer.
    check_scheme(&url).map_err(|error| match error {
        Error::BadScheme { scheme } => Error::RedirectScheme { from: from(), scheme },
        other => other,
    })?;
    if url.as_str().len() > MAX_URL {
        return Err(Error::BadRedirect { from: from() });
    }
    if url.fragment().is_none() {
        url.set_fragment(request.url.fragment());
    }
    forget_credentials(&mut url);

    let mut next = Request { url, ..request.clone() };
    let becomes_get = match status.as_u16() {
        303 => request.method != Method::HEAD,
        301 | 302 => request.method == Method::POST,
        _ => false,
    };
    if becomes_get {
        next.method = Method::GET;
        next.body = None;
        for name in [header::CONTENT_TYPE, header::CONTENT_ENCODING, header::CONTENT_LANGUAGE] {
            next.declared.remove(name);
        }
    }
    if !may_carry(&request.url, &next.url) {
        next.declared.clear();
        if next.body.is_some() {
            return Err(Error::BodyToOtherHost { from: from(), to: host_and_port(&next.url) });
        }
        if is_in_address(&next.url, &next.confined) {
            return Err(Error::ValueToOtherHost { from: from(), to: host_and_port(&next.url) });
        }
    }
    Ok(Some(next))
}

pub(crate) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Whether what was declared for `from` may go to `to`: the same host, and no less safe a way to it.
fn may_carry(from: &Url, to: &Url) -> bool {
    let same_origin = from.origin() == to.origin();
    let upgraded = from.host() == to.host()
        && (from.scheme(), to.scheme()) == ("http", "https")
        && from.port().is_none()
        && to.port().is_none();
    same_origin || upgraded
}

/// Whether an address holds one of the values, as it is or encoded, also more than once: an address within an
/// address is.
fn is_in_address(url: &Url, values: &[String]) -> bool {
    let mut text = url.as_str().to_owned();
    for _ in 0..ENCODED_MOST {
        // A space may be a plus sign.
        if values.iter().any(|value| holds(&text, value) || holds(&text.replace('+', " "), value)) {
            return true;
        }
        text = percent_decode_str(&text).decode_utf8_lossy().into_owned();
    }
    false
}

/// A short value is in many an address by chance: it must stand alone.
fn holds(text: &str, value: &str) -> bool {
    match value.chars().nth(SHORTEST_WITHIN - 1) {
        Some(_) => text.contains(value),
        None => {
            !value.is_empty() && text.split(['/', '?', '&', '=', ';', ',', '#']).any(|part| part == value)
        }
    }
}

/// Credentials in an address never appear in what is shown, kept or sent on.
pub(super) fn forget_credentials(url: &mut Url) {
    // Both fail only for addresses without a host, which http ones have.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::parse_url;

    fn follow(method: &str, url: &str, status: u16, location: &str) -> Result<Option<Request>, Error> {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request =
            Request::call(method.clone(), parse_url(url).unwrap()).header("X-Key", "secret").unwrap();
        if method != Method::GET && method != Method::HEAD {
            request = request.body("{}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(header::LOCATION, http::HeaderValue::from_bytes(location.as_bytes()).unwrap());
        next(&request, StatusCode::from_u16(status).unwrap(), &headers)
    }

    #[test]
    fn methods_change_as_in_browsers() {
        let cases = [
            ("GET", 301, "GET", false),
            ("POST", 301, "GET", false),
            ("POST", 302, "GET", false),
            ("PUT", 302, "PUT", true),
            ("PUT", 303, "GET", false),
            ("HEAD", 303, "HEAD", false),
            ("DELETE", 301, "DELETE", true),
            ("POST", 307, "POST", true),
            ("PATCH", 308, "PATCH", true),
        ];
        for (method, status, expected, has_body) in cases {
            let next = follow(method, "http://a.example/x", status, "/y").unwrap().unwrap();
            assert_eq!(next.method.as_str(), expected, "{method} {status}");
            assert_eq!(next.body.is_some(), has_body, "{method} {status}");
            assert_eq!(next.url.as_str(), "http://a.example/y");
        }
    }

    #[test]
    fn declared_headers_stay_with_their_host() {
        let cases = [
            ("http://a.example/", "/y", true),
            ("http://a.example/", "https://a.example/y", true),
            ("http://a.example/", "http://a.example:80/y", true),
            ("https://a.example/", "http://a.example/y", false),
            ("http://a.example/", "http://b.example/", false),
            ("http://a.example/", "http://sub.a.example/", false),
            ("http://a.example/", "//b.example/", false),
            ("http://a.example/", "http://a.example:8080/", false),
            ("http://a.example:81/", "https://a.example/", false),
            ("http://a.example/", "http://a.example@b.example/", false),
            ("http://a.example/", "http://a.example./", false),
        ];
        for (from, location, expected) in cases {
            let next = follow("GET", from, 302, location).unwrap().unwrap();
            assert_eq!(next.declared.contains_key("x-key"), expected, "{from} → {location}");
        }
    }

    #[test]
    fn bodies_do_not_go_to_another_host() {
        let result = follow("POST", "http://a.example/?key=1", 307, "http://b.example/?key=1");
        let text = result.unwrap_err().to_string();
        assert!(text.contains("http://a.example/ redirects") && text.contains("b.example"), "{text}");
        assert!(!text.contains("key"), "{text}");
        assert!(
            follow("POST", "http://a.example/", 303, "http://b.example/").unwrap().unwrap().body.is_none()
        );
    }

    #[test]
    fn confined_values_are_in_no_address_of_another_host() {
        let request = Request::call(Method::GET, parse_url("http://a.example/?k=1").unwrap())
            .confining(vec!["hunter/2 x".to_owned(), "KR".to_owned(), String::new()]);
        let cases = [
            ("http://b.example/?k=hunter%2F2%20x", false),
            ("http://b.example/hunter%2f2+x/y", false),
            ("http://b.example/?next=http%3A%2F%2Fa%2F%3Fk%3Dhunter%252F2%2520x", false),
            ("http://b.example/?r=KR", false),
            ("http://b.example/KRAFT?r=hunter", true),
            ("http://b.example/", true),
            ("/?k=hunter%2F2%20x&r=KR", true),
        ];
        for (location, follows) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(header::LOCATION, http::HeaderValue::from_static(location));
            let found = next(&request, StatusCode::FOUND, &headers);
            assert_eq!(found.is_ok(), follows, "{location}: {found:?}");
        }
    }

    #[test]
    fn odd_schemes_and_addresses_are_refused() {
        for location in ["file:///etc/passwd", "data:text/html,x", "javascript:alert(1)", "ftp://a/"] {
            assert!(
                matches!(follow("GET", "http://a/", 302, location), Err(Error::RedirectScheme { .. })),
                "{location}"
            );
        }
        let long = format!("/{}", "x".repeat(MAX_URL));
        for location in ["http://", "http://[::1", &long] {
            assert!(matches!(follow("GET", "http://a/", 302, location), Err(Error::BadRedirect { .. })));
        }
    }

    #[test]
    fn the_fragment_is_inherited_and_credentials_are_not() {
        let next = |url, location| follow("GET", url, 302, location).unwrap().unwrap().url.to_string();
        assert_eq!(next("http://a/x#part", "/y"), "http://a/y#part");
        assert_eq!(next("http://a/x#part", "/y#other"), "http://a/y#other");
        assert_eq!(next("http://a/x", "http://u:p@b/y"), "http://b/y");
    }

    #[test]
    fn other_answers_are_the_last() {
        for status in [200, 300, 304, 305, 404] {
            assert!(follow("GET", "http://a/", status, "/y").unwrap().is_none(), "{status}");
        }
        let request = Request::page(parse_url("http://a/").unwrap());
        assert!(next(&request, StatusCode::FOUND, &HeaderMap::new()).unwrap().is_none());
    }
}
