//! What tests stand on: temporary homes, a runtime or a whole daemon in this process, a fake web, the demo API,
//! a fake clock and a store that can be held, broken and released.
//!
//! Everything ends with the value that started it, and nothing here sleeps.

mod clock;
mod daemon;
pub mod demo;
mod home;
pub mod pages;
pub mod state;
mod store;
mod web;
mod world;

pub use clock::FakeClock;
pub use daemon::{Daemon, DaemonOptions};
pub use home::Home;
pub use store::{Fault, FaultyStore};
pub use web::{Seen, Web};
pub use world::{Backend, World};
