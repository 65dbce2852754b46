//! Which addresses a request may reach, by who asks. Decided on the address that is connected to, at each hop.

mod address;
mod allow;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use url::Url;

pub use address::{Network, network};
pub use allow::Allow;
use allow::same_name;

/// Who asks, and what was allowed to them.
#[derive(Clone, Debug)]
pub struct Policy {
    asker: Asker,
    /// Ports of this daemon on loopback.
    own_ports: Arc<[u16]>,
    allow: Arc<[Allow]>,
    page: Option<Page>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    Local,
    Web,
}

/// The document that asks: it may use its own origin, on the very address it came from.
#[derive(Clone, Debug)]
struct Page {
    url: Url,
    address: IpAddr,
}

/// How a request came to be sent to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    /// As asked.
    First,
    /// By a redirect from a server in this network.
    RedirectedFrom(Network),
}

/// Why an address was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A web document or script asked for a place that is not on the internet.
    NotPublic(Network),
    /// A server on the internet redirected to a place that is not.
    RedirectInward(Network),
    /// The daemon itself.
    OwnPort,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotPublic(network) => {
                write!(f, "web documents and scripts may not reach {network} addresses")
            }
            Refusal::RedirectInward(network) => {
                write!(f, "a redirect may not lead from there to {network} addresses")
            }
            Refusal::OwnPort => f.write_str("this is the daemon's own port"),
        }
    }
}

impl Policy {
    /// For commands and local documents: any address, loopback too. `own_ports` are the daemon's, on loopback.
    pub fn local(own_ports: impl Into<Arc<[u16]>>) -> Policy {
        Policy { asker: Asker::Local, own_ports: own_ports.into(), allow: Arc::new([]), page: None }
    }

    /// For documents from the web, and for scripts: public addresses only.
    pub fn web(own_ports: impl Into<Arc<[u16]>>) -> Policy {
        Policy { asker: Asker::Web, ..Policy::local(own_ports) }
    }

    /// Private places that the agent's settings open.
    #[must_use]
    pub fn allowing(mut self, allow: impl Into<Arc<[Allow]>>) -> Policy {
        self.allow = allow.into();
        self
    }

    /// The page that asks, and the address that answered for it ([`Answer::peer`](crate::Answer)). Its own
    /// origin stays open to it there, and only there: a name that meanwhile points elsewhere gains nothing.
    #[must_use]
    pub fn for_page(mut self, url: Url, peer: SocketAddr) -> Policy {
        self.page = Some(Page { url, address: peer.ip() });
        self
    }

    /// Whether a request for `url` may go to `address`, one of those its host has.
    pub(crate) fn check(&self, url: &Url, address: SocketAddr, hop: Hop) -> Result<(), Refusal> {
        let network = network(address.ip());
        let on_this_machine = matches!(network, Network::Loopback | Network::Unspecified);
        let is_own = on_this_machine && self.own_ports.contains(&address.port());
        match (self.asker, hop) {
            (Asker::Local, Hop::First) => return Ok(()),
            // What a machine says about itself there, keys included, no server has a reason to point to.
            (_, Hop::RedirectedFrom(_)) if network == Network::LinkLocal || is_metadata(address.ip()) => {
                return Err(Refusal::RedirectInward(network));
            }
            _ if is_own => return Err(Refusal::OwnPort),
            (Asker::Local, Hop::RedirectedFrom(from)) if from != Network::Public => return Ok(()),
            _ => {}
        }
        if network == Network::Public || self.opens(url, address.ip()) {
            return Ok(());
        }
        Err(match self.asker {
            Asker::Local => Refusal::RedirectInward(network),
            Asker::Web => Refusal::NotPublic(network),
        })
    }

    fn opens(&self, url: &Url, address: IpAddr) -> bool {
        let is_own_origin = self.page.as_ref().is_some_and(|page| {
            page.address == address
                && page.url.port_or_known_default() == url.port_or_known_default()
                && matches!((page.url.host_str(), url.host_str()), (Some(a), Some(b)) if same_name(a, b))
        });
        is_own_origin || self.allow.iter().any(|allow| allow.covers(url, address))
    }
}

/// Where clouds tell a machine its keys, outside of the link-local networks.
fn is_metadata(address: IpAddr) -> bool {
    const ALIBABA: IpAddr = IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200));
    const AWS: IpAddr = IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254));
    matches!(address.to_canonical(), ALIBABA | AWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAEMON: u16 = 4545;

    fn verdict(policy: &Policy, url: &str, address: &str, hop: Hop) -> Result<(), Refusal> {
        let url = Url::parse(url).unwrap();
        let address = SocketAddr::new(address.parse().unwrap(), url.port_or_known_default().unwrap());
        policy.check(&url, address, hop)
    }

    #[test]
    fn commands_reach_anything_and_web_documents_the_internet() {
        let local = Policy::local([DAEMON]);
        let web = Policy::web([DAEMON]);
        for (address, network) in [
            ("127.0.0.1", Network::Loopback),
            ("0.0.0.0", Network::Unspecified),
            ("169.254.169.254", Network::LinkLocal),
            ("10.0.0.1", Network::Private),
            ("100.64.0.1", Network::Shared),
            ("224.0.0.1", Network::Multicast),
            ("255.255.255.255", Network::Reserved),
            ("::1", Network::Loopback),
            ("::ffff:127.0.0.1", Network::Loopback),
        ] {
            let name = "http://name.example:8080/";
            assert_eq!(verdict(&local, name, address, Hop::First), Ok(()), "{address}");
            assert_eq!(
                verdict(&web, name, address, Hop::First),
                Err(Refusal::NotPublic(network)),
                "{address}"
            );
        }
        assert_eq!(verdict(&web, "http://name.example/", "93.184.216.34", Hop::First), Ok(()));
    }

    #[test]
    fn a_server_on_the_internet_cannot_send_a_command_inward() {
        let local = Policy::local([DAEMON]);
        let (inward, outward) = ("http://127.0.0.1:8080/", "http://x.example/");
        let from_public = Hop::RedirectedFrom(Network::Public);
        let from_loopback = Hop::RedirectedFrom(Network::Loopback);
        assert_eq!(
            verdict(&local, inward, "127.0.0.1", from_public),
            Err(Refusal::RedirectInward(Network::Loopback))
        );
        assert_eq!(verdict(&local, inward, "127.0.0.1", from_loopback), Ok(()));
        assert_eq!(verdict(&local, outward, "8.8.8.8", from_public), Ok(()));
        for (address, network) in [
            ("169.254.169.254", Network::LinkLocal),
            ("::ffff:169.254.169.254", Network::LinkLocal),
            ("fe80::1", Network::LinkLocal),
            ("fd00:ec2::254", Network::Private),
            ("100.100.100.200", Network::Shared),
        ] {
            let refused = Err(Refusal::RedirectInward(network));
            assert_eq!(verdict(&local, outward, address, from_loopback), refused, "{address}");
        }
        assert_eq!(verdict(&local, outward, "10.0.0.1", from_loopback), Ok(()));
    }

    #[test]
    fn the_daemons_own_port_is_closed_to_the_web_even_when_loopback_is_allowed() {
        let allow: Vec<Allow> = vec!["127.0.0.0/8".parse().unwrap(), "localhost".parse().unwrap()];
        let own = "http://localhost:4545/";
        let page = (Url::parse(own).unwrap(), "127.0.0.1:4545".parse().unwrap());
        let web = Policy::web([DAEMON]).allowing(allow).for_page(page.0, page.1);
        for address in ["127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(verdict(&web, own, address, Hop::First), Err(Refusal::OwnPort), "{address}");
        }
        assert_eq!(verdict(&web, "http://localhost:4546/", "127.0.0.1", Hop::First), Ok(()));
        let local = Policy::local([DAEMON]);
        assert_eq!(verdict(&local, own, "127.0.0.1", Hop::First), Ok(()));
        let sent_on = Hop::RedirectedFrom(Network::Loopback);
        assert_eq!(verdict(&local, own, "127.0.0.1", sent_on), Err(Refusal::OwnPort));
    }

    #[test]
    fn a_page_may_use_its_own_origin_only_on_the_address_it_came_from() {
        let url = Url::parse("http://dev.example:3000/page.md").unwrap();
        let web = Policy::web([DAEMON]).for_page(url, "127.0.0.1:3000".parse().unwrap());
        let refused = Err(Refusal::NotPublic(Network::Loopback));
        assert_eq!(verdict(&web, "http://dev.example:3000/api", "127.0.0.1", Hop::First), Ok(()));
        assert_eq!(verdict(&web, "http://dev.example:3001/api", "127.0.0.1", Hop::First), refused);
        assert_eq!(verdict(&web, "http://other.example:3000/api", "127.0.0.1", Hop::First), refused);
        assert_eq!(verdict(&web, "http://dev.example:3000/api", "127.0.0.2", Hop::First), refused);
        assert_eq!(
            verdict(&web, "http://dev.example:3000/api", "10.0.0.1", Hop::First),
            Err(Refusal::NotPublic(Network::Private))
        );
    }
}
