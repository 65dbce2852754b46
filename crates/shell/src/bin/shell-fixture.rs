//! A process that holds shells, as a daemon would: for tests and measurements.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == shell::guard::ARGUMENT) {
        return shell::guard::main();
    }
    ExitCode::FAILURE
}
