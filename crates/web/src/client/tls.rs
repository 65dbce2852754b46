//! Which certificates are trusted.

use std::sync::Arc;

use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// Where trusted certificates come from.
#[derive(Clone, Debug)]
pub enum Trust {
    /// The system's own; where it has none (a bare container), the ones browsers ship.
    System,
    /// These and no others.
    Only(Vec<CertificateDer<'static>>),
}

/// Built at the first https request: reading the system's certificates takes milliseconds that a daemon without
/// secure requests need not spend.
pub(super) struct Tls {
    trust: Trust,
    connector: OnceCell<TlsConnector>,
}

impl Tls {
    pub(super) fn new(trust: Trust) -> Tls {
        Tls { trust, connector: OnceCell::new() }
    }

    pub(super) async fn connector(&self) -> Result<&TlsConnector, rustls::Error> {
        self.connector
            .get_or_try_init(|| async {
                let trust = self.trust.clone();
                let build = tokio::task::spawn_blocking(move || connector(trust));
                build
                    .await
                    .unwrap_or_else(|_| Err(rustls::Error::General("certificates cannot be read".into())))
            })
            .await
    }
}

fn connector(trust: Trust) -> Result<TlsConnector, rustls::Error> {
    let mut roots = RootCertStore::empty();
    match trust {
        Trust::System => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            }
        }
        Trust::Only(certificates) => {
            roots.add_parsable_certificates(certificates);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}
