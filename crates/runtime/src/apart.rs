//! Futures with memory of their own.
//!
//! A future has room for everything it may ever wait for, and is copied as a whole when it is handed on. What is
//! seldom waited for, or is large, is put on the heap, so that whoever may wait for it stays small.

use std::pin::Pin;

/// A future on the heap, made out of sight: else the frame of whoever chooses one has room for all of them, and
/// what it may recurse into, such as a nested manifest, has that much less.
pub fn apart<F: Future>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::pin(make())
}
