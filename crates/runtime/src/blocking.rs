//! Work that may wait for a disk, away from the threads that serve everybody.

/// Runs a function on a thread that may block. A panic in it goes on in the caller.
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()))
}
