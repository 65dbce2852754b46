//! What the process is given from outside: variables, home, working directory, terminals. Read here and nowhere
//! else, but for where the program lies when it starts itself: by then its file may have been replaced.

#![allow(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use rustix::process::Pid;

use crate::failure::Failure;
use crate::root::Root;

/// The loopback port unless `STRING_PORT` names another.
const PORT: u16 = 3923;

/// As found, not yet checked: `string --help` works whatever the variables say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    pub(crate) home: Option<PathBuf>,
    pub(crate) root: Option<PathBuf>,
    pub(crate) port: Option<OsString>,
    pub(crate) agent: Option<OsString>,
    /// Missing when the directory was removed.
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) stdin: Stream,
    pub(crate) stdout: Stream,
    pub(crate) stderr: Stream,
    pub(crate) color: Color,
    /// Where this program lies.
    pub(crate) program: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, where programs keep their settings.
    pub(crate) config: Option<PathBuf>,
    /// `CODEX_HOME`, where Codex keeps its.
    pub(crate) codex: Option<PathBuf>,
    /// The base variables.
    pub(crate) base: Vec<(OsString, OsString)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stream {
    Terminal,
    /// A pipe, a file, or nothing.
    #[default]
    Other,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Color {
    #[default]
    Allowed,
    Unwanted,
}

/// What every process that String starts sees besides its home.
const BASE_VARIABLES: [&str; 6] = ["PATH", "LANG", "LC_ALL", "USER", "SHELL", "TMPDIR"];

/// The base variables as they are set here. A daemon that a service manager has started may lack those that every
/// terminal has: they get the values that a terminal would give them.
fn base(
    variable: impl Fn(&str) -> Option<OsString>,
    user: impl Fn() -> Option<OsString>,
) -> Vec<(OsString, OsString)> {
    let usual = |name: &str| match name {
        "PATH" => Some("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".into()),
        "LANG" => Some("C.UTF-8".into()),
        "USER" => user(),
        "SHELL" => Some("/bin/bash".into()),
        "TMPDIR" => Some("/tmp".into()),
        _ => None,
    };
    let value = |name: &str| variable(name).or_else(|| usual(name));
    BASE_VARIABLES.iter().filter_map(|name| Some((name.into(), value(name)?))).collect()
}

/// The name of the user that this process runs as, as the system's list of users has it.
fn user_name() -> Option<OsString> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let uid = rustix::process::getuid().as_raw().to_string();
    let named = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid).then(|| name.into())
    };
    users.lines().find_map(named)
}

/// What this process was started to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// What a person or a program calls.
    Command,
    /// The guard of a shell, and nothing else.
    Guard,
    /// A worker that runs scripts, and nothing else.
    Worker,
}

pub(crate) fn role() -> Role {
    match std::env::args_os().nth(1) {
        Some(argument) if argument == shell::guard::ARGUMENT => Role::Guard,
        Some(argument) if argument == script::worker::ARGUMENT => Role::Worker,
        _ => Role::Command,
    }
}

/// Whether String has started this process, or one that it descends from: then a guard is among its ancestors, which
/// also takes in those whose parents have ended.
pub(crate) fn is_inside_a_shell() -> bool {
    let parent = |process: &Pid| {
        let parent = i32::try_from(shell::Stat::of(*process)?.parent()?).ok()?;
        Pid::from_raw(parent)
    };
    let arguments = |process: Pid| std::fs::read(format!("/proc/{}/cmdline", process.as_raw_nonzero()));
    let ancestors = std::iter::successors(rustix::process::getppid(), parent);
    ancestors.filter_map(|process| arguments(process).ok()).any(|arguments| is_guard(&arguments))
}

/// Whether these are the arguments of a guard, as the kernel lists them.
fn is_guard(arguments: &[u8]) -> bool {
    arguments.split(|byte| *byte == 0).nth(1) == Some(shell::guard::ARGUMENT.as_bytes())
}

impl Environment {
    /// How the daemon starts processes: with its own program as their guard, and the base variables.
    pub(crate) fn shells(&self) -> runtime::bash::Settings {
        let path = self.base.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
        let directories = path.iter().flat_map(std::env::split_paths);
        let bash = directories.map(|directory| directory.join("bash")).find(|path| path.is_file());
        runtime::bash::Settings {
            // Not by its path: the file there may be replaced while this process runs.
            program: "/proc/self/exe".into(),
            bash: bash.unwrap_or_else(|| "/bin/bash".into()),
            environment: self.base.clone(),
        }
    }

    pub(crate) fn read() -> Self {
        // An empty variable says as much as a missing one.
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        Self {
            home: variable("HOME").map(PathBuf::from),
            root: variable("STRING_ROOT").map(PathBuf::from),
            port: variable("STRING_PORT"),
            agent: variable("STRING_AGENT_ID"),
            cwd: std::env::current_dir().ok(),
            stdin: Stream::of(&std::io::stdin()),
            stdout: Stream::of(&std::io::stdout()),
            stderr: Stream::of(&std::io::stderr()),
            color: if variable("NO_COLOR").is_some() { Color::Unwanted } else { Color::Allowed },
            program: std::env::current_exe().ok(),
            config: variable("XDG_CONFIG_HOME").map(PathBuf::from),
            codex: variable("CODEX_HOME").map(PathBuf::from),
            base: base(variable, user_name),
        }
    }

    pub(crate) fn home(&self) -> Result<PathBuf, Failure> {
        match &self.home {
            Some(home) if home.is_absolute() => Ok(home.clone()),
            Some(home) => Err(Failure::usage(format!("HOME is not an absolute path: {}", home.display()))),
            None => Err(Failure::usage("HOME is not set. Set it to your home directory.")),
        }
    }

    /// The daemon's own files: `STRING_ROOT`, or `~/.string`.
    pub(crate) fn root(&self) -> Result<Root, Failure> {
        let path = match (&self.root, &self.cwd) {
            (None, _) => self.home()?.join(".string"),
            (Some(root), _) if root.is_absolute() => root.clone(),
            (Some(root), Some(cwd)) => cwd.join(root),
            (Some(root), None) => {
                let root = root.display();
                return Err(Failure::usage(format!("STRING_ROOT is relative, to no directory: {root}")));
            }
        };
        Ok(Root::new(path))
    }

    /// Where the daemon listens on TCP; 0 is any free port.
    pub(crate) fn port(&self) -> Result<u16, Failure> {
        let Some(value) = &self.port else { return Ok(PORT) };
        value.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
            let value = value.display();
            Failure::usage(format!("STRING_PORT is not a port from 0 to 65535: {value}"))
        })
    }

    /// The working directory as the daemon can be told it: a path that is not Unicode stays unsaid.
    pub(crate) fn cwd_text(&self) -> Option<String> {
        self.cwd.as_ref().and_then(|cwd| cwd.to_str()).map(str::to_owned)
    }
}

impl Stream {
    fn of(stream: &impl IsTerminal) -> Self {
        if stream.is_terminal() { Self::Terminal } else { Self::Other }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::failure::Status;

    fn environment() -> Environment {
        Environment { home: Some("/home/ann".into()), cwd: Some("/work".into()), ..Default::default() }
    }

    #[test]
    fn the_root_is_below_home_unless_named() {
        let with = |root: &str| Environment { root: Some(root.into()), ..environment() };
        for (environment, expected) in [
            (environment(), "/home/ann/.string"),
            (with("/srv/string"), "/srv/string"),
            (with("here"), "/work/here"),
        ] {
            assert_eq!(environment.root().unwrap().path(), Path::new(expected));
        }
    }

    #[test]
    fn base_variables_that_are_missing_get_their_usual_values() {
        let set = |name: &str| (name == "PATH" || name == "USER").then(|| "mine".into());
        let names = |base: &[(OsString, OsString)]| -> Vec<String> {
            base.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect()
        };
        assert_eq!(
            names(&base(set, || Some("ann".into()))),
            ["PATH=mine", "LANG=C.UTF-8", "USER=mine", "SHELL=/bin/bash", "TMPDIR=/tmp"]
        );
        assert!(names(&base(|_| None, || Some("ann".into()))).contains(&"USER=ann".to_owned()));
        assert!(!names(&base(|_| None, || None)).iter().any(|pair| pair.starts_with("USER")));
    }

    #[test]
    fn a_missing_home_is_said_only_when_it_is_needed() {
        let homeless = Environment { home: None, ..environment() };
        assert_eq!(homeless.root().unwrap_err().status, Status::Usage);
        let rooted = Environment { root: Some("/srv/string".into()), ..homeless };
        assert!(rooted.root().is_ok());
        assert!(rooted.home().unwrap_err().message.contains("HOME is not set"));
    }

    #[test]
    fn a_guard_is_known_by_its_argument() {
        for (arguments, expected) in [
            (&b"/proc/self/exe\0__guard\0"[..], true),
            (b"string\0--daemon\0detached\0", false),
            (b"bash\0-c\0string __guard\0", false),
            (b"", false),
        ] {
            assert_eq!(is_guard(arguments), expected, "{}", String::from_utf8_lossy(arguments));
        }
    }

    #[test]
    fn a_port_is_a_number_below_65536() {
        let with = |port: &str| Environment { port: Some(port.into()), ..environment() }.port();
        assert_eq!(environment().port().unwrap(), PORT);
        assert_eq!(with("4000").unwrap(), 4000);
        assert_eq!(with("0").unwrap(), 0);
        for bad in ["65536", "-1", "x", "80 ", "8o"] {
            assert_eq!(with(bad).unwrap_err().status, Status::Usage, "{bad}");
        }
    }
}
