//! String as an HTTP client, and what comes back as clean Markdown.
//!
//! Two halves that meet in [`Answer`]: [`Client`] fetches (every hop checked by a [`Policy`]), [`page`] and
//! [`html`] convert. Conversion is pure and synchronous; a large page takes tens of milliseconds, so callers in
//! async code hand it to a blocking thread.

mod answer;
mod client;
mod cookies;
mod error;
pub mod html;
pub mod limits;
pub mod page;
mod policy;
mod request;

pub use answer::{Answer, Cut};
pub use client::{Arrived, Client, Resolve, Resolving, SystemResolver, Trust, Watch};
pub use cookies::CookieJar;
pub use error::{Error, Shown};
pub use http::{HeaderMap, Method, StatusCode};
pub use policy::{Allow, Network, Policy, Refusal, network};
pub use request::{Beyond, Limit, Request, Validators, parse_url};
pub use url::Url;
