//! The command line as typed.

use std::path::PathBuf;

use clap::{ArgGroup, Parser, ValueEnum};
use clap_complete::Shell;

use crate::setup::Client;

const USAGE: &str = "string [OPTIONS] TOPIC COMMAND   send a command to a topic
       string [OPTIONS] /COMMAND        send it to the topic main
       string [OPTIONS] HUB [WORDS…]    app, bash, tool, event, system, agent
       string [OPTIONS] TOPIC           work in a topic, on a terminal
       string                           a short start page";

const EXAMPLES: &str = "Examples:
  string main '/open notes.md'       open a file in the topic main
  string /topics                     what is open
  string agent list                  the agents
  string bash:dev 'make test'        a shell that stays; //info there reaches String
  string docs                        an interactive session in the topic docs
  string main --stdin < commands     commands from a file
  string --attach bash:dev           sit at a shell's terminal, beside the agent
  string --daemon status             is the daemon running?

The daemon starts by itself. Exit status: 0 done, 1 the command failed or its reply could
not be written, 2 bad usage, 3 no daemon, 130 left by a second Ctrl-C. Everything after
TOPIC belongs to the command: options come before it.";

/// What is done instead of sending a command: one of them at a time.
const INSTEAD: &str = "instead";

/// A runtime for AI agents: send a command to a topic, read Markdown back.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "string", version, override_usage = USAGE, after_help = EXAMPLES)]
#[command(group = ArgGroup::new(INSTEAD).conflicts_with_all(["words", "json", "raw", "stdin"]))]
pub(crate) struct Arguments {
    /// The topic and the command for it
    // The first word ends the options: what follows is the command's, hyphens and all.
    #[arg(value_name = "TOPIC COMMAND", trailing_var_arg = true)]
    pub(crate) words: Vec<String>,

    /// Speak as this agent
    #[arg(long, value_name = "ID", conflicts_with_all = ["daemon", "completions", "types"])]
    pub(crate) agent: Option<String>,

    /// Print the reply as one JSON object
    #[arg(long, conflicts_with = "raw")]
    pub(crate) json: bool,

    /// Print the reply without its envelope
    #[arg(long)]
    pub(crate) raw: bool,

    /// Read the command's body from standard input, or all of it when there is no command
    #[arg(long)]
    pub(crate) stdin: bool,

    /// Answer the ChanFlow blocks of standard input
    #[arg(long, group = INSTEAD)]
    pub(crate) chanflow: bool,

    /// Serve the Model Context Protocol on standard input and output
    #[arg(long, group = INSTEAD)]
    pub(crate) mcp: bool,

    /// With --mcp or --setup: list every installed tool beside `string`, with its own schema
    #[arg(long)]
    pub(crate) tools: bool,

    /// Sit at the terminal of a running shell, beside the agent
    #[arg(long, value_name = "TOPIC", group = INSTEAD)]
    pub(crate) attach: Option<String>,

    /// Manage the daemon
    #[arg(long, value_name = "ACTION", group = INSTEAD)]
    pub(crate) daemon: Option<Action>,

    /// Print what an MCP client must be told to find String
    #[arg(long, value_name = "CLIENT", group = INSTEAD)]
    pub(crate) setup: Option<Client>,

    /// With --setup: merge it into the client's own file, and keep that as it was beside it
    #[arg(long)]
    pub(crate) write: bool,

    /// Print a completion script for a shell
    #[arg(long, value_name = "SHELL", group = INSTEAD)]
    pub(crate) completions: Option<Shell>,

    /// Print the TypeScript declarations for scripts, or write them to a file
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", group = INSTEAD)]
    pub(crate) types: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Action {
    /// Start it, if it does not run
    Start,
    /// Stop it in order
    Stop,
    /// Say whether it runs
    Status,
    /// Run it in this terminal
    Foreground,
    /// What `start` runs: reports on stdout, then lives on its own
    #[value(hide = true)]
    Detached,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(words: &[&str]) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(std::iter::once(&"string").chain(words))
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_docs_have_every_option() {
        let page = include_str!("../../../docs/cli.md");
        for option in Arguments::command().get_opts() {
            let name = format!("--{}", option.get_long().unwrap());
            assert!(page.contains(&format!("`{name}")), "{name}");
        }
        for status in
            ["0 done", "1 the command failed", "2 bad usage", "3 no daemon", "130 left by a second Ctrl-C"]
        {
            let row = status.replacen(' ', " | ", 1).replace("no daemon", "the daemon could not be reached");
            assert!(EXAMPLES.contains(status) && page.contains(&format!("\n| {row}")), "{status}");
        }
    }

    #[test]
    fn everything_after_the_first_word_belongs_to_the_command() {
        let table: &[&[&str]] = &[
            &["agent", "list", "--json"],
            &["main", "--raw", "--agent", "x"],
            &["main", "-x", "--", "--help"],
            &["", "/info"],
            &["/open", "--daemon"],
        ];
        for words in table {
            let parsed = parse(words).unwrap();
            assert_eq!(parsed.words, *words);
            assert!(!parsed.json && !parsed.raw && parsed.agent.is_none());
        }
        assert_eq!(parse(&["--json", "--", "-x", "/info"]).unwrap().words, ["-x", "/info"]);
    }

    #[test]
    fn options_that_exclude_each_other_are_refused() {
        let table: &[&[&str]] = &[
            &["--json", "--raw", "main", "/info"],
            &["--chanflow", "main"],
            &["--mcp", "main"],
            &["--mcp", "--chanflow"],
            &["--attach", "bash:dev", "main"],
            &["--attach"],
            &["--daemon", "stop", "main"],
            &["--daemon", "explode"],
            &["--completions", "tcl"],
            &["--setup", "emacs"],
            &["--setup", "codex", "main"],
            &["--setup", "codex", "--types"],
            &["--setup", "codex", "--write", "main"],
            &["--attach", "bash:dev", "--types", "a.d.ts"],
            &["--types", "a.d.ts", "main"],
            &["--mcp", "--stdin"],
            &["--agent", "x", "--daemon", "stop"],
            &["--agent", "x", "--types"],
            &["--frobnicate", "main"],
            &["-x", "main"],
            &["--agent"],
        ];
        for words in table {
            assert_eq!(parse(words).unwrap_err().exit_code(), 2, "{words:?}");
        }
    }
}
