//! Commands: the table, the payload that carries them, and one file for each.

pub mod table;
