//! What kind of network an address belongs to. Pure: the table below is the whole of it.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where packets to an address end up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    /// Anywhere on the internet.
    Public,
    Loopback,
    /// `0.0.0.0`, `::` and all of `0.0.0.0/8`: the kernel takes them for this machine.
    Unspecified,
    LinkLocal,
    Private,
    /// Behind a provider's address translation (`100.64.0.0/10`).
    Shared,
    Multicast,
    /// Set aside for documentation, benchmarks, protocols or the future; nothing public answers there.
    Reserved,
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Network::Public => "public",
            Network::Loopback => "loopback",
            Network::Unspecified => "unspecified",
            Network::LinkLocal => "link-local",
            Network::Private => "private",
            Network::Shared => "shared (carrier-grade NAT)",
            Network::Multicast => "multicast",
            Network::Reserved => "reserved",
        })
    }
}

/// The network of `address`. IPv6 forms that carry an IPv4 address count as what they carry.
pub fn network(address: IpAddr) -> Network {
    match address {
        IpAddr::V4(v4) => network_v4(v4),
        IpAddr::V6(v6) => network_v6(v6),
    }
}

fn network_v4(address: Ipv4Addr) -> Network {
    match address.octets() {
        [0, ..] => Network::Unspecified,
        [127, ..] => Network::Loopback,
        [169, 254, ..] => Network::LinkLocal,
        [10, ..] | [192, 168, ..] | [172, 16..=31, ..] => Network::Private,
        [100, 64..=127, ..] => Network::Shared,
        [224..=239, ..] => Network::Multicast,
        // Protocol assignments, documentation, the 6to4 relay, benchmarks, and class E with the broadcast address.
        [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Network::Reserved,
        [192, 88, 99, _] | [198, 18 | 19, ..] | [240..=255, ..] => Network::Reserved,
        _ => Network::Public,
    }
}

fn network_v6(address: Ipv6Addr) -> Network {
    if let Some(carried) = carried_v4(address) {
        return network_v4(carried);
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Network::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => Network::Loopback,
        [0xfe80..=0xfebf, ..] => Network::LinkLocal,
        // Unique local, and the site-local form that it replaced.
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Network::Private,
        [0xff00..=0xffff, ..] => Network::Multicast,
        // Protocol assignments (Teredo and ORCHID among them) and documentation.
        [0x2001, 0..=0x01ff, ..] | [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => Network::Reserved,
        [0x2000..=0x3fff, ..] => Network::Public,
        _ => Network::Reserved,
    }
}

/// The IPv4 address inside an IPv6 one, for every form a router or the kernel translates.
fn carried_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let joined = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        // IPv4-compatible, IPv4-mapped, IPv4-translated.
        [0, 0, 0, 0, 0, 0, high, low] => Some(joined(high, low)),
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some(joined(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(joined(high, low)),
        // NAT64, well-known and local-use prefixes.
        [0x0064, 0xff9b, 0, 0, 0, 0, high, low] => Some(joined(high, low)),
        [0x0064, 0xff9b, 1, _, _, _, high, low] => Some(joined(high, low)),
        // 6to4.
        [0x2002, high, low, ..] => Some(joined(high, low)),
        // ISATAP interface ids, on any prefix.
        [_, _, _, _, 0x0000 | 0x0200, 0x5efe, high, low] => Some(joined(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_range_is_known_by_its_first_and_last_address() {
        use Network::{LinkLocal, Loopback, Multicast, Private, Public, Reserved, Shared, Unspecified};
        let cases = [
            ("0.0.0.0", Unspecified),
            ("0.255.255.255", Unspecified),
            ("1.0.0.0", Public),
            ("9.255.255.255", Public),
            ("10.0.0.0", Private),
            ("10.255.255.255", Private),
            ("11.0.0.0", Public),
            ("100.63.255.255", Public),
            ("100.64.0.0", Shared),
            ("100.127.255.255", Shared),
            ("100.128.0.0", Public),
            ("126.255.255.255", Public),
            ("127.0.0.0", Loopback),
            ("127.0.0.1", Loopback),
            ("127.255.255.255", Loopback),
            ("128.0.0.0", Public),
            ("169.253.255.255", Public),
            ("169.254.0.0", LinkLocal),
            ("169.254.169.254", LinkLocal),
            ("169.254.255.255", LinkLocal),
            ("169.255.0.0", Public),
            ("172.15.255.255", Public),
            ("172.16.0.0", Private),
            ("172.31.255.255", Private),
            ("172.32.0.0", Public),
            ("192.0.0.1", Reserved),
            ("192.0.1.1", Public),
            ("192.0.2.1", Reserved),
            ("192.88.98.255", Public),
            ("192.88.99.1", Reserved),
            ("192.167.255.255", Public),
            ("192.168.0.0", Private),
            ("192.168.255.255", Private),
            ("192.169.0.0", Public),
            ("198.17.255.255", Public),
            ("198.18.0.0", Reserved),
            ("198.19.255.255", Reserved),
            ("198.20.0.0", Public),
            ("198.51.100.7", Reserved),
            ("203.0.113.7", Reserved),
            ("223.255.255.255", Public),
            ("224.0.0.1", Multicast),
            ("239.255.255.255", Multicast),
            ("240.0.0.1", Reserved),
            ("255.255.255.255", Reserved),
            ("8.8.8.8", Public),
            ("::", Unspecified),
            ("::1", Loopback),
            ("::2", Unspecified),
            ("::127.0.0.1", Loopback),
            ("::8.8.8.8", Public),
            ("::ffff:127.0.0.1", Loopback),
            ("::ffff:10.0.0.1", Private),
            ("::ffff:169.254.169.254", LinkLocal),
            ("::ffff:8.8.8.8", Public),
            ("::ffff:0:127.0.0.1", Loopback),
            ("64:ff9b::127.0.0.1", Loopback),
            ("64:ff9b::8.8.8.8", Public),
            ("64:ff9b::a9fe:a9fe", LinkLocal),
            ("64:ff9b:1::10.0.0.1", Private),
            ("64:ff9b:2::1", Reserved),
            ("100::1", Reserved),
            ("2001::1", Reserved),
            ("2001:1ff:ffff::1", Reserved),
            ("2001:200::1", Public),
            ("2001:db8::1", Reserved),
            ("2001:4860:4860::8888", Public),
            ("2002:7f00:1::", Loopback),
            ("2002:a00:1::1", Private),
            ("2002:808:808::1", Public),
            ("2606:4700::1111", Public),
            ("2606:4700::5efe:10.0.0.1", Private),
            ("2606:4700::200:5efe:127.0.0.1", Loopback),
            ("3fff::1", Reserved),
            ("3fff:fff:ffff::1", Reserved),
            ("4000::1", Reserved),
            ("5f00::1", Reserved),
            ("fbff::1", Reserved),
            ("fc00::1", Private),
            ("fd12:3456::1", Private),
            ("fdff:ffff::1", Private),
            ("fe00::1", Reserved),
            ("fe80::1", LinkLocal),
            ("febf::1", LinkLocal),
            ("fec0::1", Private),
            ("feff::1", Private),
            ("ff02::1", Multicast),
        ];
        for (address, expected) in cases {
            assert_eq!(network(address.parse().unwrap()), expected, "{address}");
        }
    }
}
