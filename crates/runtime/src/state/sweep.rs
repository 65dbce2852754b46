//! Expired entries leave the disk in the background.

use std::sync::Arc;
use std::time::Duration;

use store::Store;
use tokio_util::sync::CancellationToken;

/// How often expired entries are looked for. They are invisible from the moment they expire; this is about space.
const EVERY: Duration = Duration::from_secs(60);
/// Writers wait while a chunk is removed.
const CHUNK: usize = 200;

/// Sweeps until told to stop.
pub async fn sweep_until(store: Arc<dyn Store>, stop: CancellationToken) {
    while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
        loop {
            match store.sweep(CHUNK).await {
                Ok(CHUNK) if !stop.is_cancelled() => tokio::task::yield_now().await,
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(%error, "expired entries could not be removed");
                    break;
                }
            }
        }
    }
}
