//! Output of shells and commands as replies show it.

use shell::Output;

use crate::agent::Workspace;

/// The text, with what was left out named in its place.
pub fn text(output: &Output, workspace: &Workspace) -> String {
    let mut text = output.head.clone();
    if output.omitted > 0 {
        let log = output.log.as_ref().map(|path| format!(", full output: {}", workspace.display(path)));
        let cut = if output.log_cut { " (cut)" } else { "" };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("… {} bytes omitted{}{cut} …\n", output.omitted, log.unwrap_or_default()));
        text.push_str(&output.tail);
    }
    let mut text = text.trim_end_matches('\n').to_owned();
    if output.binary {
        text.push_str("\n(some of this output was binary)");
    }
    text
}
