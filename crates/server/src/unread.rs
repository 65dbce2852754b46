//! Bodies that a refusal leaves unread.
//!
//! A client that writes first and reads then sees a broken connection instead of the status, if the daemon closes while
//! there is more to come. So the rest is taken in for a while, beside the answer, and thrown away.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::limits::{UNREAD_BYTES, UNREAD_PAUSE, UNREAD_TIME};

/// A request's body. Whoever drops it before its end has refused it.
pub struct Rest(Option<Incoming>);

impl Rest {
    pub fn new(body: Incoming) -> Self {
        Self(Some(body))
    }
}

impl Body for Rest {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = &mut self.0 else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.0 = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for Rest {
    fn drop(&mut self) {
        let rest = self.0.take().filter(|rest| !rest.is_end_stream());
        // While everything ends there is nobody left to run it, and no connection to keep.
        if let (Some(rest), Ok(runtime)) = (rest, Handle::try_current()) {
            runtime.spawn(timeout(UNREAD_TIME, throw_away(rest)));
        }
    }
}

async fn throw_away(mut rest: Incoming) {
    let mut taken = 0;
    while let Ok(Some(Ok(frame))) = timeout(UNREAD_PAUSE, rest.frame()).await {
        taken += frame.data_ref().map_or(0, Bytes::len);
        if taken > UNREAD_BYTES {
            return;
        }
    }
}
