//! The daemon seen from its doors: one module per subject, one binary for all of them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod activity;
mod audit;
mod bombs;
mod chanflow;
mod conditions;
mod door;
mod events;
mod exec;
mod files;
mod flood;
mod http;
mod lifecycle;
mod mcp;
mod openapi;
mod routes;
mod sweep;
mod token;
mod users;
mod version;
