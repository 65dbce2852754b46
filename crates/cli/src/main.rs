//! The `string` binary.
fn main() {}
