//! Work that is done to its end, whether or not anybody waits for it.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Runs where it is awaited, which costs no task. If that is given up, the rest runs in a task of its own.
pub fn to_the_end<F>(work: F) -> ToTheEnd<F>
where
    F: Future<Output: Send> + Send + 'static,
{
    ToTheEnd { work: Some(Box::pin(work)), left: None, began_in: Handle::try_current().ok() }
}

pub struct ToTheEnd<F: Future<Output: Send> + Send + 'static> {
    work: Option<Pin<Box<F>>>,
    left: Option<CancellationToken>,
    /// Whoever gives it up may be elsewhere.
    began_in: Option<Handle>,
}

impl<F: Future<Output: Send> + Send + 'static> ToTheEnd<F> {
    /// If it is given up, `left` is cancelled before the rest runs.
    pub fn telling(mut self, left: CancellationToken) -> Self {
        self.left = Some(left);
        self
    }
}

impl<F: Future<Output: Send> + Send + 'static> Future for ToTheEnd<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Taken out while it runs: what panics is not run again.
        let mut work = self.work.take().expect("nothing is polled after its end");
        let outcome = work.as_mut().poll(context);
        if outcome.is_pending() {
            self.work = Some(work);
        }
        outcome
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for ToTheEnd<F> {
    fn drop(&mut self) {
        // Without a runtime the process ends, and the work with it.
        if let (Some(work), Some(runtime)) = (self.work.take(), self.began_in.take()) {
            if let Some(left) = &self.left {
                left.cancel();
            }
            runtime.spawn(work);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;

    use futures::FutureExt;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn what_nobody_waits_for_any_more_still_ends() {
        let (go, wait) = oneshot::channel::<()>();
        let (done, ended) = oneshot::channel();
        let left = CancellationToken::new();
        let work = to_the_end(async move {
            wait.await.unwrap();
            done.send(()).unwrap();
        });
        let mut work = Box::pin(work.telling(left.clone()));
        assert!(work.as_mut().now_or_never().is_none() && !left.is_cancelled());
        drop(work);
        assert!(left.is_cancelled(), "it is told that nobody waits");
        go.send(()).unwrap();
        ended.await.unwrap();
    }

    #[tokio::test]
    async fn what_panics_is_not_run_again() {
        let (held, released) = oneshot::channel::<()>();
        let work = to_the_end(async move {
            let _held = held;
            panic!("on purpose");
        });
        AssertUnwindSafe(work).catch_unwind().await.unwrap_err();
        released.await.unwrap_err();
    }
}
