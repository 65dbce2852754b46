//! A process that can be a worker, as the product's binary can: for tests and measurements.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == script::worker::ARGUMENT) {
        return script::worker::main();
    }
    ExitCode::FAILURE
}
