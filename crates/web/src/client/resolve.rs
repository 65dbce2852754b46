//! From a host to the addresses it has: once per hop, and nothing else ever resolves a name.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;

use url::{Host, Url};

use crate::Error;
use crate::error::host_and_port;
use crate::limits::MAX_ADDRESSES;
use crate::policy::{Hop, Policy};

/// Turns a name into addresses. The client asks once per hop and connects only to what it got.
pub trait Resolve: Send + Sync + 'static {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a>;
}

pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>>;

/// The operating system's resolver.
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolving<'a> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

/// The addresses of `url` that `policy` lets this hop reach, in the resolver's order.
pub(super) async fn permitted(
    url: &Url,
    resolver: &dyn Resolve,
    policy: &Policy,
    hop: Hop,
) -> Result<Vec<SocketAddr>, Error> {
    let no_address = || Error::Dns { host: url.host_str().unwrap_or_default().to_owned() };
    let port = url.port_or_known_default().ok_or_else(no_address)?;
    let mut addresses = match url.host().ok_or_else(no_address)? {
        Host::Ipv4(address) => vec![SocketAddr::new(address.into(), port)],
        Host::Ipv6(address) => vec![SocketAddr::new(address.into(), port)],
        Host::Domain(name) => resolver.resolve(name, port).await.map_err(|_| no_address())?,
    };
    addresses.truncate(MAX_ADDRESSES);
    let mut refusal = None;
    addresses.retain(|address| match policy.check(url, *address, hop) {
        Ok(()) => true,
        Err(reason) => {
            let host = host_and_port(url);
            refusal.get_or_insert(Error::Refused { host, address: *address, reason });
            false
        }
    });
    match (addresses.is_empty(), refusal) {
        (true, refusal) => Err(refusal.unwrap_or_else(no_address)),
        (false, _) => Ok(addresses),
    }
}
