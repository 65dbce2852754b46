//! Subscriptions: which resources a client wants to hear about, and the task that tells it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt;
use futures::stream::BoxStream;
use rmcp::service::SubscriptionContext;
use tokio_util::task::AbortOnDropHandle;

use crate::resource::Address;
use crate::{Change, Error, Host};

/// More than any client shows.
const SUBSCRIPTIONS_MAX: usize = 1_000;

/// The subscriptions of one conversation. Its task ends with it.
#[derive(Default)]
pub(crate) struct Subscriptions {
    wanted: Wanted,
    /// Held while something is added or removed, so that there is one task exactly while something is wanted.
    teller: tokio::sync::Mutex<Option<AbortOnDropHandle<()>>>,
}

/// The addresses that somebody wants to hear about.
#[derive(Default, Clone)]
struct Wanted(Arc<Mutex<HashSet<String>>>);

impl Subscriptions {
    /// Adds an address; the first one starts the task that watches the changes and tells the client.
    pub(crate) async fn add<Told, E>(
        &self,
        uri: String,
        changes: impl Future<Output = Result<BoxStream<'static, Change>, Error>>,
        tell: impl Fn(String) -> Told + Send + 'static,
    ) -> Result<(), Error>
    where
        Told: Future<Output = Result<(), E>> + Send,
        E: Send,
    {
        let mut teller = self.teller.lock().await;
        if self.wanted.is_full() && !self.wanted.uris().contains(&uri) {
            return Err(Error::Host(format!("{SUBSCRIPTIONS_MAX} subscriptions are enough.")));
        }
        if teller.as_ref().is_some_and(|task| !task.is_finished()) {
            self.wanted.uris().insert(uri);
            return Ok(());
        }
        let changes = changes.await?;
        self.wanted.uris().insert(uri);
        let wanted = self.wanted.clone();
        let task = tokio::spawn(async move { wanted.tell(changes, tell).await });
        *teller = Some(AbortOnDropHandle::new(task));
        Ok(())
    }

    pub(crate) async fn remove(&self, uri: &str) {
        let mut teller = self.teller.lock().await;
        self.wanted.uris().remove(uri);
        if self.wanted.uris().is_empty() {
            *teller = None;
        }
    }
}

/// Tells a client of the stateless revision, until it cancels or nothing more can be known.
pub(crate) async fn listen(
    host: &impl Host,
    agent: &str,
    context: &SubscriptionContext,
) -> Result<(), Error> {
    let accepted = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let wanted = Wanted(Arc::new(Mutex::new(accepted.into_iter().collect())));
    let changes = host.changes(agent).await?;
    tokio::select! {
        () = wanted.tell(changes, |uri| context.sink().notify_resource_updated(uri)) => {}
        () = context.cancelled() => {}
    }
    Ok(())
}

impl Wanted {
    /// Goes on until nothing more can be known or the client cannot be told.
    async fn tell<Told, E>(&self, mut changes: BoxStream<'_, Change>, tell: impl Fn(String) -> Told)
    where
        Told: Future<Output = Result<(), E>>,
    {
        while let Some(change) = changes.next().await {
            for uri in self.concerned(&change) {
                if tell(uri).await.is_err() {
                    return;
                }
            }
        }
    }

    fn concerned(&self, change: &Change) -> Vec<String> {
        let shows = |uri: &&String| Address::parse(uri).is_some_and(|address| address.shows(change));
        self.uris().iter().filter(shows).cloned().collect()
    }

    fn is_full(&self) -> bool {
        self.uris().len() >= SUBSCRIPTIONS_MAX
    }

    fn uris(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::convert::Infallible;

    use futures::stream;
    use tokio::sync::{broadcast, mpsc};

    const INBOX: &str = "string://events";
    const MAIN: &str = "string://topic/main";

    /// A client, and the changes that it may be told of.
    struct Fixture {
        subscriptions: Subscriptions,
        changes: broadcast::Sender<Change>,
        tell: mpsc::UnboundedSender<String>,
        told: mpsc::UnboundedReceiver<String>,
    }

    impl Fixture {
        fn new() -> Self {
            let (tell, told) = mpsc::unbounded_channel();
            Self { subscriptions: Subscriptions::default(), changes: broadcast::Sender::new(8), tell, told }
        }

        async fn add(&self, uri: &str) -> Result<(), Error> {
            let changes = async {
                // Others come to their turn in between.
                tokio::task::yield_now().await;
                let watched = self.changes.subscribe();
                let next = |mut watched: broadcast::Receiver<Change>| async move {
                    watched.recv().await.ok().map(|change| (change, watched))
                };
                Ok(stream::unfold(watched, next).boxed())
            };
            let tell = self.tell.clone();
            let told = move |uri| std::future::ready(tell.send(uri));
            self.subscriptions.add(uri.to_owned(), changes, told).await
        }

        /// What the client was told until nothing more could be known.
        async fn told(self) -> Vec<String> {
            let Self { subscriptions, changes, tell, mut told } = self;
            drop((changes, tell));
            let mut all = Vec::new();
            while let Some(uri) = told.recv().await {
                all.push(uri);
            }
            drop(subscriptions);
            all.sort();
            all
        }
    }

    #[tokio::test]
    async fn whoever_subscribes_again_at_once_is_told() {
        let client = Fixture::new();
        client.add(INBOX).await.unwrap();
        client.subscriptions.remove(INBOX).await;
        client.add(INBOX).await.unwrap();
        client.changes.send(Change::Events).unwrap();
        assert_eq!(client.told().await, [INBOX]);
    }

    #[tokio::test]
    async fn two_that_subscribe_together_are_told_once_each() {
        let client = Fixture::new();
        let (inbox, main) = tokio::join!(client.add(INBOX), client.add(MAIN));
        inbox.and(main).unwrap();
        client.changes.send(Change::Events).unwrap();
        client.changes.send(Change::Topic("main".into())).unwrap();
        assert_eq!(client.told().await, [INBOX, MAIN]);
    }

    #[tokio::test]
    async fn what_could_not_be_subscribed_to_is_not_told() {
        let client = Fixture::new();
        let refused = async { Err(Error::Host("no such agent".into())) };
        let nobody = |_| std::future::ready(Ok::<(), Infallible>(()));
        client.subscriptions.add(INBOX.to_owned(), refused, nobody).await.unwrap_err();
        client.add(MAIN).await.unwrap();
        client.changes.send(Change::Anything).unwrap();
        assert_eq!(client.told().await, [MAIN]);
    }
}
