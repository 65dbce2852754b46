//! The daemon's log: one rotating file, and panics in it.

use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

use crate::Error;

/// Sends what is traced from now on to `daemon.log` in a directory. `filter` is as in `info,server=debug`.
pub fn start_logging(dir: &Path, filter: &str) -> Result<(), Error> {
    let file = runtime::files::rotating(dir, "daemon.log")
        .map_err(|source| Error::File { path: dir.to_owned(), source })?;
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let log =
        tracing_subscriber::fmt().with_ansi(false).with_env_filter(filter).with_writer(Mutex::new(file));
    // A second start in one process keeps the first log.
    let _ = log.try_init();
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    Ok(())
}
