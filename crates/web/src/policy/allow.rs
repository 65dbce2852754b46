//! One entry of the list of private places that web documents may reach all the same.

use std::net::IpAddr;
use std::str::FromStr;

use url::{Host, Url};

use crate::Error;

/// `host`, `host:port`, `address`, `address:port`, `[v6]:port` or `network/bits`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allow {
    place: Place,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// A name as typed: whatever it resolves to.
    Name(String),
    Network {
        first: IpAddr,
        bits: u8,
    },
}

impl Allow {
    /// Whether a request to `url`, which resolved to `address`, is meant.
    pub(crate) fn covers(&self, url: &Url, address: IpAddr) -> bool {
        let here = match &self.place {
            Place::Name(name) => url.host_str().is_some_and(|host| same_name(host, name)),
            Place::Network { first, bits } => contains(*first, *bits, address.to_canonical()),
        };
        here && self.port.is_none_or(|port| url.port_or_known_default() == Some(port))
    }
}

impl FromStr for Allow {
    type Err = Error;

    fn from_str(text: &str) -> Result<Allow, Error> {
        let bad = || Error::BadUrl { reason: format!("{text:?} is no host, host:port or network") };
        let text_trimmed = text.trim();
        if let Some((address, bits)) = text_trimmed.split_once('/') {
            let first: IpAddr = address.parse().map_err(|_| bad())?;
            let longest = if first.is_ipv4() { 32 } else { 128 };
            let bits: u8 = bits.parse().ok().filter(|bits| *bits <= longest).ok_or_else(bad)?;
            return Ok(Allow { place: Place::Network { first, bits }, port: None });
        }
        if let Ok(address) = text_trimmed.parse::<IpAddr>() {
            return Ok(Allow { place: single(address), port: None });
        }
        // The URL parser knows every spelling of a host; only what an authority may hold is let through to it.
        if text_trimmed.is_empty() || text_trimmed.contains(['/', '@', '?', '#', '\\']) {
            return Err(bad());
        }
        // With a scheme whose default port nobody writes, `:80` and no port stay apart.
        let port = match text_trimmed.rsplit_once(':') {
            Some((_, port)) if !port.ends_with(']') => Some(port.parse().map_err(|_| bad())?),
            _ => None,
        };
        let url = Url::parse(&format!("http://{text_trimmed}/")).map_err(|_| bad())?;
        let place = match url.host().ok_or_else(bad)? {
            Host::Domain(name) => Place::Name(name.to_owned()),
            Host::Ipv4(address) => single(address.into()),
            Host::Ipv6(address) => single(address.into()),
        };
        Ok(Allow { place, port })
    }
}

fn single(address: IpAddr) -> Place {
    Place::Network { first: address, bits: if address.is_ipv4() { 32 } else { 128 } }
}

/// A trailing dot names the same host.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a.trim_end_matches('.').eq_ignore_ascii_case(b.trim_end_matches('.'))
}

fn contains(first: IpAddr, bits: u8, address: IpAddr) -> bool {
    match (first, address) {
        (IpAddr::V4(first), IpAddr::V4(address)) => {
            let shift = 32 - u32::from(bits);
            first.to_bits().checked_shr(shift) == address.to_bits().checked_shr(shift)
        }
        (IpAddr::V6(first), IpAddr::V6(address)) => {
            let shift = 128 - u32::from(bits);
            first.to_bits().checked_shr(shift) == address.to_bits().checked_shr(shift)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_cover_what_they_name_and_nothing_else() {
        let cases = [
            ("localhost:3000", "http://localhost:3000/x", "127.0.0.1", true),
            ("localhost:3000", "http://localhost:3001/x", "127.0.0.1", false),
            ("localhost", "http://localhost:3001/x", "127.0.0.1", true),
            ("localhost", "http://LOCALHOST./", "127.0.0.1", true),
            ("localhost", "http://127.0.0.1/", "127.0.0.1", false),
            ("127.0.0.1:80", "http://127.0.0.1/", "127.0.0.1", true),
            ("127.0.0.1:80", "https://127.0.0.1/", "127.0.0.1", false),
            ("10.0.0.0/8", "http://intranet.example/", "10.9.8.7", true),
            ("10.0.0.0/8", "http://intranet.example/", "11.9.8.7", false),
            ("0.0.0.0/0", "http://intranet.example/", "11.9.8.7", true),
            ("10.0.0.0/8", "http://intranet.example/", "::ffff:10.1.1.1", true),
            ("fd00::/8", "http://intranet.example/", "fd12::1", true),
            ("fd00::/8", "http://intranet.example/", "fe80::1", false),
            ("::1", "http://[::1]:8080/", "::1", true),
            ("[::1]:8080", "http://[::1]:8080/", "::1", true),
            ("[::1]:8080", "http://[::1]:8081/", "::1", false),
            ("192.168.1.5", "http://nas.example/", "192.168.1.5", true),
        ];
        for (entry, url, address, expected) in cases {
            let allow: Allow = entry.parse().unwrap();
            let url = Url::parse(url).unwrap();
            assert_eq!(allow.covers(&url, address.parse().unwrap()), expected, "{entry} {url} {address}");
        }
    }

    #[test]
    fn entries_that_name_nothing_are_refused() {
        for entry in ["", "a/b", "10.0.0.0/33", "http://x", "x:port", "user@host", "a b", "x:99999"] {
            assert!(entry.parse::<Allow>().is_err(), "{entry:?}");
        }
    }
}
