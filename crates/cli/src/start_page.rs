//! What `string` alone says.

pub(crate) const START_PAGE: &str = concat!(
    "String ",
    env!("CARGO_PKG_VERSION"),
    ": a runtime for AI agents. Send a command to a topic, read Markdown back.

Try:

  string main '/open ~/'    what lies in your home; a file opens the same way
  string /info              where the topic main is, and what it holds
  string main               work in main interactively
  string /topics            what is open
  string agent              the agents and their homes

The daemon starts by itself with the first command; `string --daemon stop` ends it.
More: string --help, string /help, README.md and docs/.
"
);
