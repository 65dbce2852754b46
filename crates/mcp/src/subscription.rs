//! Subscriptions: which resources a client wants to hear about, and the task that tells it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::task::JoinSet;

use crate::resource::Address;
use crate::{Change, Error, Host};

/// More than any client shows.
const SUBSCRIPTIONS_MAX: usize = 1_000;

/// The subscriptions of one conversation. Its task ends with it.
#[derive(Default)]
pub(crate) struct Subscriptions {
    wanted: Arc<Mutex<HashSet<String>>>,
    teller: Mutex<JoinSet<()>>,
}

impl Subscriptions {
    /// Adds an address; the first one starts the task that watches for changes.
    pub(crate) async fn add(
        &self,
        host: &impl Host,
        agent: &str,
        uri: String,
        peer: Peer<RoleServer>,
    ) -> Result<(), Error> {
        {
            let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            if wanted.len() >= SUBSCRIPTIONS_MAX && !wanted.contains(&uri) {
                return Err(Error::Host(format!("{SUBSCRIPTIONS_MAX} subscriptions are enough.")));
            }
            wanted.insert(uri);
        }
        if self.is_told() {
            return Ok(());
        }
        let mut changes = host.changes(agent).await?;
        let wanted = Arc::clone(&self.wanted);
        let tell = async move {
            while let Some(change) = changes.next().await {
                for uri in concerned(&wanted, &change) {
                    if peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err()
                    {
                        return;
                    }
                }
            }
        };
        self.teller().spawn(tell);
        Ok(())
    }

    pub(crate) fn remove(&self, uri: &str) {
        let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        wanted.remove(uri);
        if wanted.is_empty() {
            self.teller().abort_all();
        }
    }

    fn is_told(&self) -> bool {
        let mut teller = self.teller();
        while teller.try_join_next().is_some() {}
        !teller.is_empty()
    }

    fn teller(&self) -> std::sync::MutexGuard<'_, JoinSet<()>> {
        self.teller.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells a client of the stateless revision, until it cancels or nothing more can be known.
pub(crate) async fn listen(
    host: &impl Host,
    agent: &str,
    context: &SubscriptionContext,
) -> Result<(), Error> {
    let accepted = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let wanted = Mutex::new(accepted.into_iter().collect::<HashSet<String>>());
    let mut changes = host.changes(agent).await?;
    let tell = async {
        while let Some(change) = changes.next().await {
            for uri in concerned(&wanted, &change) {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return;
                }
            }
        }
    };
    tokio::select! {
        () = tell => {}
        () = context.cancelled() => {}
    }
    Ok(())
}

fn concerned(wanted: &Mutex<HashSet<String>>, change: &Change) -> Vec<String> {
    let wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
    let shows = |uri: &&String| Address::parse(uri).is_some_and(|address| address.shows(change));
    wanted.iter().filter(shows).cloned().collect()
}
