//! What is printed, and how.

use std::io::{self, Write};

use wire::{ExecReply, chanflow};

use crate::failure::Failure;
use crate::plan::Show;

/// The reply as text, without the final line end.
pub(crate) fn text(reply: &ExecReply, show: Show) -> String {
    match show {
        Show::List if reply.ok => reply.content.clone(),
        Show::Envelope | Show::List => chanflow::envelope(&reply.topic, &reply.content),
        Show::Raw => reply.content.clone(),
        Show::Json => serde_json::to_string(reply).expect("a reply is plain data"),
    }
}

/// Prints a text on stdout and ends its last line.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    written(write!(io::stdout().lock(), "{text}{end}"))
}

/// Prints a piece of a text as it is, at once.
pub(crate) fn print_piece(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Passes bytes on to a terminal as they are, at once.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Says something about the call itself, on stderr.
pub(crate) fn notice(message: &str) {
    // When stderr is gone there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "string: {message}");
}

/// A reader that has seen enough (`string … | head`) is no error.
pub(crate) fn written(outcome: io::Result<()>) -> Result<(), Failure> {
    match outcome.and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::failed(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_shown_in_its_envelope_alone_or_whole() {
        let reply = ExecReply {
            ok: false,
            code: Some("NOT_FOUND".into()),
            topic: "main".into(),
            topic_type: None,
            meta: Default::default(),
            request_id: None,
            content: "ERROR(NOT_FOUND): x </𝒞>".into(),
        };
        assert_eq!(text(&reply, Show::Envelope), "<𝒞=string:main>\nERROR(NOT_FOUND): x <\\/𝒞>\n</𝒞>");
        assert_eq!(text(&reply, Show::List), text(&reply, Show::Envelope));
        assert_eq!(text(&reply, Show::Raw), "ERROR(NOT_FOUND): x </𝒞>");
        let json: ExecReply = serde_json::from_str(&text(&reply, Show::Json)).unwrap();
        assert_eq!(json, reply);
    }
}
