//! What acts on the command that runs in a session: it waits for no turn, and what comes after it waits for it.

use tokio_util::sync::{CancellationToken, DropGuard};

use super::Session;

/// An act that has come in. Dropped, it has been done, or never will be.
pub struct Act {
    pub earlier: Acts,
    _done: DropGuard,
}

/// The acts of a session that have come in so far and are not done; each token is cancelled when its act is.
#[derive(Debug, Default, Clone)]
pub struct Acts(Vec<CancellationToken>);

impl Acts {
    /// Waits until all of them have been done.
    pub async fn done(&self) {
        for act in &self.0 {
            act.cancelled().await;
        }
    }

    fn so_far(&mut self) -> Self {
        self.0.retain(|act| !act.is_cancelled());
        self.clone()
    }
}

impl Session {
    pub fn acts(&self) -> Acts {
        self.glance().acts.so_far()
    }

    /// Takes an act in.
    pub fn begin_act(&self) -> Act {
        let done = CancellationToken::new();
        let acts = &mut self.glance().acts;
        let earlier = acts.so_far();
        acts.0.push(done.clone());
        Act { earlier, _done: done.drop_guard() }
    }
}
