//! A process that holds shells, as a daemon would: for tests and measurements.
//!
//! `shell-fixture hold HOME COUNT PAYLOAD` starts shells, runs the payload in
//! each, prints their process ids on one line, and stays.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use shell::boundary::Boundary;
use shell::{Config, Environment, LogFiles, Shell, Spawner};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == shell::guard::ARGUMENT) {
        return shell::guard::main();
    }
    match tokio::runtime::Runtime::new().map(|runtime| runtime.block_on(hold(&arguments))) {
        Ok(Some(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

async fn hold(arguments: &[OsString]) -> Option<()> {
    let [_, home, count, payload] = arguments else { return None };
    let spawner = Spawner::new("/proc/self/exe", "/bin/bash").ok()?;
    let home = PathBuf::from(home);
    let mut shells = Vec::new();
    for _ in 0..count.to_str()?.parse().ok()? {
        let config = Config {
            directory: home.clone(),
            environment: Environment::new().with("HOME", &home).with("PATH", "/usr/bin:/bin"),
            boundary: Boundary::none(),
            logs: LogFiles { directory: home.join("output"), cap: shell::limits::LOG },
        };
        let shell = Shell::start(&spawner, config).await.ok()?;
        shell.run(payload.to_str()?, Duration::from_secs(60)).await.ok()?;
        shells.push(shell);
    }
    let pids: Vec<String> = shells.iter().map(|shell| shell.pid().to_string()).collect();
    writeln!(std::io::stdout(), "{}", pids.join(" ")).ok()?;
    std::future::pending().await
}
