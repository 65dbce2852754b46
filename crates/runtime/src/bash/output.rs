//! Output of shells and commands as replies show it.

use shell::Output;

use crate::agent::{OUTPUT, Workspace};

/// The text, with what was left out named in its place.
pub fn text(output: &Output, workspace: &Workspace) -> String {
    let mut text = output.head.clone();
    if output.omitted > 0 {
        let log = match &output.log {
            Some(path) => format!(", full output: {}", workspace.display(path)),
            None => {
                let place = workspace.display(&workspace.home().join(OUTPUT));
                format!(", and could not be kept: {place} cannot be written to (is the disk full?)")
            }
        };
        let cut = if output.log_cut { " (cut)" } else { "" };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("… {} bytes omitted{log}{cut} …\n", output.omitted));
        text.push_str(&output.tail);
    }
    let mut text = text.trim_end_matches('\n').to_owned();
    if output.binary {
        text.push_str("\n(some of this output was binary)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_in_a_file_or_the_reply_says_why_not() {
        let workspace = Workspace::new("/home/u".into(), vec![], "/home/u/.string".into());
        let long = |log: Option<&str>| Output {
            head: "a\n".into(),
            omitted: 7,
            tail: "z\n".into(),
            log: log.map(Into::into),
            ..Output::default()
        };
        for (log, line) in [
            (Some("/home/u/.string/output/1.log"), "full output: ~/.string/output/1.log"),
            (None, "and could not be kept: ~/.string/output cannot be written to (is the disk full?)"),
        ] {
            assert_eq!(text(&long(log), &workspace), format!("a\n… 7 bytes omitted, {line} …\nz"));
        }
    }
}
