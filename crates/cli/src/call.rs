//! One command, one reply.

use client::{Answer, Client, Daemon, Error, Event};
use runtime::topic::{Kind, Topic};
use wire::{Done, ExecReply, ExecRequest, Meta};

use crate::daemon::Link;
use crate::environment::{Environment, Stream};
use crate::failure::{Failure, Status};
use crate::interrupt::{Outcome, fresh_id, watch};
use crate::output;
use crate::plan::{Call, Stdin, kind};
use crate::progress::Bar;
use crate::stdin;

/// Sends the command, prints the reply, and says how it went.
pub(crate) async fn run(link: &Link, call: Call, environment: &Environment) -> Result<Status, Failure> {
    let mut cmd = match call.stdin {
        Stdin::Unread => call.cmd,
        Stdin::Body => format!("{}\n{}", call.cmd, stdin::read()?),
        Stdin::Payload => stdin::read()?,
    };
    // A shell ends the last line itself.
    if call.stdin != Stdin::Unread && kind(&call.topic) == Some(Kind::Bash) && cmd.ends_with('\n') {
        cmd.pop();
    }
    let cwd = environment.cwd_text();
    let id = fresh_id();
    let request =
        ExecRequest { topic: call.topic, cmd, cwd, request_id: Some(id.clone()), ..Default::default() };
    let client = link.client();
    let sent = link.attempt(async || {
        let answer = match environment.stderr {
            Stream::Terminal => watched(client, &request).await,
            Stream::Other => client.exec(&request).await,
        };
        match answer {
            Err(Error::Refused { error, .. }) => Ok(refusal(&request.topic, &error)),
            outcome => outcome,
        }
    });
    let mut answer = match watch(client, &id, sent).await? {
        Outcome::Finished(answer) => answer?,
        Outcome::Abandoned => return Err(Failure::new(Status::Interrupted, "")),
    };
    // The caller has not given it a name.
    answer.reply.request_id = None;
    output::print(&output::text(&answer.reply, call.show))?;
    if answer.daemon == Daemon::Outdated {
        output::notice(OUTDATED);
    }
    Ok(if answer.reply.ok { Status::Done } else { Status::Failed })
}

/// Prints the reply to a command that cannot be sent.
pub(crate) fn refused(call: &Call, error: &wire::Error) -> Result<Status, Failure> {
    output::print(&output::text(&refusal(&call.topic, error).reply, call.show))?;
    Ok(Status::Failed)
}

/// Said when an older daemon was too busy to make way.
pub(crate) const OUTDATED: &str =
    "the daemon is older than this program and busy; the next command replaces it once it is idle";

/// The answer to a command, with a bar on the terminal while it says how far it has come.
async fn watched(client: &Client, request: &ExecRequest) -> Result<Answer, Error> {
    let mut execution = client.stream(request).await?;
    let (mut bar, mut text, mut id) = (Bar::default(), String::new(), None);
    loop {
        match execution.next().await?.ok_or(Error::Incomplete)? {
            Event::Head(head) => id = head.request_id,
            Event::Progress(progress) => bar.show(&progress),
            // It is part of the reply too.
            Event::Output(_) => {}
            Event::Content(content) => text = content,
            Event::Done(Done { ok, code, topic, topic_type, meta }) => {
                let reply = ExecReply { ok, code, topic, topic_type, meta, request_id: id, content: text };
                return Ok(Answer { reply, daemon: execution.daemon() });
            }
        }
    }
}

/// An error on the way as the reply it stands for, so that every reply reads alike.
fn refusal(topic: &str, error: &wire::Error) -> Answer {
    let topic = Topic::parse(topic).ok();
    let reply = ExecReply {
        ok: false,
        code: Some(error.code.clone()),
        topic_type: topic.as_ref().map(|topic| server::topic_type(topic.kind())),
        topic: topic.map(|topic| topic.to_string()).unwrap_or_default(),
        meta: Meta::default(),
        request_id: None,
        content: error_text(error),
    };
    Answer { reply, daemon: Daemon::Current }
}

/// `ERROR(CODE): message`, then the hints, indented.
pub(crate) fn error_text(error: &wire::Error) -> String {
    let hints: String = error.hints.iter().map(|hint| format!("\n  {hint}")).collect();
    format!("ERROR({}): {}{hints}", error.code, error.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_reads_like_any_failed_command() {
        let error = wire::Error {
            code: "QUEUE_FULL".into(),
            message: "Too many commands wait.".into(),
            hints: vec!["Try later.".into()],
        };
        let reply = refusal("file:notes", &error).reply;
        assert_eq!((reply.ok, reply.topic.as_str()), (false, "notes"));
        assert_eq!(reply.topic_type, Some(wire::TopicType::Tab));
        assert_eq!(reply.content, "ERROR(QUEUE_FULL): Too many commands wait.\n  Try later.");
        let reply = refusal("no topic", &error).reply;
        assert_eq!((reply.topic.as_str(), reply.topic_type), ("", None));
    }
}
