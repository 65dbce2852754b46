//! The arguments of an entry: ours, and what the user has made of them.

use super::Start;

const MCP: &str = "--mcp";
const TOOLS: &str = "--tools";
const AGENT: &str = "--agent";

impl Start {
    /// What an entry with these arguments is to have. Those that start this program as a server are the user's from
    /// then on, and only what was asked for changes; others were for something else.
    pub(super) fn args(&self, known: &[String]) -> Vec<String> {
        let is_ours = known.iter().any(|arg| arg == MCP);
        let mut args = if is_ours { known.to_vec() } else { vec![MCP.to_owned()] };
        if let Some(agent) = &self.agent {
            args = without_agent(args);
            args.splice(0..0, [AGENT.to_owned(), agent.clone()]);
        }
        if self.tools && !args.iter().any(|arg| arg == TOOLS) {
            args.push(TOOLS.to_owned());
        }
        args
    }
}

fn without_agent(args: Vec<String>) -> Vec<String> {
    let mut is_value = false;
    let is_other = |arg: &String| {
        let is_agent = std::mem::take(&mut is_value) || arg.starts_with("--agent=");
        is_value = arg == AGENT;
        !is_agent && !is_value
    };
    args.into_iter().filter(is_other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_for_changes() {
        let ours: &[(&str, Option<&str>, bool, &str)] = &[
            ("", None, false, "--mcp"),
            ("", Some("bob"), true, "--agent bob --mcp --tools"),
            ("--mcp --tools", None, false, "--mcp --tools"),
            ("--mcp --tools", None, true, "--mcp --tools"),
            ("--agent bob --mcp", None, false, "--agent bob --mcp"),
            ("--agent bob --mcp", Some("ann"), false, "--agent ann --mcp"),
            ("--tools --agent=bob --mcp", Some("ann"), false, "--agent ann --tools --mcp"),
            ("-y mcp-remote http://old", None, false, "--mcp"),
        ];
        for (known, agent, tools, expected) in ours {
            let known: Vec<String> = known.split_whitespace().map(str::to_owned).collect();
            let start = Start {
                command: "string".into(),
                agent: agent.map(str::to_owned),
                tools: *tools,
                env: Vec::new(),
            };
            assert_eq!(start.args(&known).join(" "), *expected, "{known:?}");
        }
    }
}
