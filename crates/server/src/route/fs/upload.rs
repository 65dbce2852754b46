//! A file on its way in: a piece at a time, within the capability's quota, and in its place only when it is whole.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use runtime::agent::workspace::{Expected, Stamp};
use runtime::capability::{Capability, Id};
use runtime::{Runtime, blocking, words};
use tokio::time::Instant;

use super::admit::Admitted;
use super::{App, refused};
use crate::failure::Failure;
use crate::limits::UPLOAD_BYTES_PER_SECOND;

/// For a body of unknown length, so much of the quota is taken at once: each time is a write to the disk.
const QUOTA_STEP: u64 = 16 * 1024 * 1024;

/// A file that has come in.
pub struct Put {
    pub stamp: Stamp,
    pub replaced: bool,
}

pub async fn receive(
    app: &App,
    admitted: Admitted,
    expected: Expected,
    headers: &HeaderMap,
    mut body: Body,
) -> Result<Put, Failure> {
    let Admitted { capability, place } = admitted;
    let mut quota = Reservation::new(&app.runtime, &capability);
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if let Some(length) = declared {
        quota.reserve_exactly(length).await?;
    }
    let mut upload = blocking::run(move || place.upload(expected)).await.map_err(refused)?;
    let replaced = upload.replaces();
    let started = Instant::now();
    while let Some(frame) = tokio::time::timeout_at(deadline(app, started, quota.used), body.frame())
        .await
        .map_err(|_| too_slow())?
    {
        let frame = frame.map_err(|_| Failure::bad_request("The body broke off."))?;
        let Ok(bytes) = frame.into_data() else { continue };
        quota.count(bytes.len() as u64).await?;
        let written = blocking::run(move || upload.write(&bytes).map(|()| upload));
        upload = written.await.map_err(refused)?;
    }
    let stamp = blocking::run(move || upload.finish()).await.map_err(refused)?;
    quota.keep().await;
    Ok(Put { stamp, replaced })
}

/// A body that drips is given up as soon as any other; one that flows may take its time.
fn deadline(app: &App, started: Instant, received: u64) -> Instant {
    started + app.limits.body_time + Duration::from_secs(received / UPLOAD_BYTES_PER_SECOND)
}

/// What an upload has taken of its capability's quota. Unless it is kept, all of it is given back.
struct Reservation {
    runtime: Arc<Runtime>,
    id: Id,
    quota: u64,
    reserved: u64,
    used: u64,
}

impl Reservation {
    fn new(runtime: &Arc<Runtime>, capability: &Capability) -> Self {
        let runtime = Arc::clone(runtime);
        Self { runtime, id: capability.id, quota: capability.quota, reserved: 0, used: 0 }
    }

    async fn reserve_exactly(&mut self, bytes: u64) -> Result<(), Failure> {
        if bytes > 0 && !self.runtime.capabilities.reserve(self.id, bytes).await? {
            let message = format!("The capability may write {} in all.", words::shown_bytes(self.quota));
            return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", message)
                .hint("See what is left of it: string agent capability list"));
        }
        self.reserved += bytes;
        Ok(())
    }

    /// Counts bytes that are about to be written.
    async fn count(&mut self, bytes: u64) -> Result<(), Failure> {
        let lacking = (self.used + bytes).saturating_sub(self.reserved);
        if lacking > 0 {
            let step = lacking.max(QUOTA_STEP);
            if self.runtime.capabilities.reserve(self.id, step).await? {
                self.reserved += step;
            } else {
                self.reserve_exactly(lacking).await?;
            }
        }
        self.used += bytes;
        Ok(())
    }

    /// The file is in its place: only what it did not need is given back.
    async fn keep(mut self) {
        let surplus = self.reserved - self.used;
        self.reserved = 0;
        give_back(&self.runtime, self.id, surplus).await;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let (runtime, id, bytes) = (Arc::clone(&self.runtime), self.id, self.reserved);
        if bytes > 0 {
            // The caller may be gone, and with it whoever could wait for this.
            tokio::spawn(async move { give_back(&runtime, id, bytes).await });
        }
    }
}

/// What became of the file is what the caller hears, whatever becomes of this.
async fn give_back(runtime: &Runtime, id: Id, bytes: u64) {
    if bytes == 0 {
        return;
    }
    if let Err(error) = runtime.capabilities.give_back(id, bytes).await {
        tracing::warn!(capability = %id, bytes, error = %error.message, "quota could not be given back");
    }
}

fn too_slow() -> Failure {
    Failure::new(StatusCode::REQUEST_TIMEOUT, "REQUEST_TIMEOUT", "The file came too slowly.")
        .hint(format!("It must come at {} KB a second at least.", UPLOAD_BYTES_PER_SECOND / 1024))
}
