//! What the runtime does, seen from `Runtime::exec`: one module per subject, one binary for all of them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod actions;
mod activity;
mod agents;
mod apps;
mod capabilities;
mod complete;
mod docs;
mod documents;
mod editing;
mod evaluation;
mod events;
mod failures;
mod forgery;
mod github;
mod hubs;
mod links;
mod names;
mod queue;
mod redirects;
mod saving;
mod settings;
mod special_files;
mod state;
mod substitution;
mod table;
mod tools;
mod topic_list;
mod topics;
mod trust;
mod variables;
mod versions;
mod views;
mod watches;
mod workspace;
