//! Those who wait for something to happen in a shell, told once, without asking again and again.

use tokio::sync::oneshot;

use super::request::Answer;
use crate::output::Live;
use crate::status::Status;

/// What somebody waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until {
    /// The command that runs, or else the next one, has ended, or the shell has.
    Exit,
    /// This text, which has no line end, shows up in what the terminal shows.
    Match(String),
}

/// What has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The line in which the text was found.
    Matched(String),
    Finished {
        command: String,
        status: Status,
    },
    /// The shell itself has ended.
    Died(Status),
}

/// One who waits. Dropping it gives up.
#[derive(Debug)]
pub struct Watch(pub(super) oneshot::Receiver<Seen>);

impl Watch {
    /// What has happened, or nothing when the shell was closed before.
    pub async fn seen(self) -> Option<Seen> {
        self.0.await.ok()
    }
}

/// Lines are longer only where a program draws without end; the last part is what is looked at.
const LINE_MAX: usize = 16 * 1024;

#[derive(Default)]
pub(super) struct Watchers {
    waiting: Vec<(Until, Answer<Seen>)>,
    /// The line that is not finished, as far as it is final.
    line: String,
}

impl Watchers {
    /// Adds one who waits; `unread` is what no turn has returned yet, and may have it already.
    pub(super) fn add(&mut self, until: Until, answer: Answer<Seen>, unread: &str) {
        self.waiting.retain(|(_, answer)| !answer.is_closed());
        match &until {
            Until::Match(text) if unread.contains(text) => tell(answer, Seen::Matched(line_of(unread, text))),
            _ => self.waiting.push((until, answer)),
        }
    }

    /// Whether anybody waits for a text.
    pub(super) fn want_text(&self) -> bool {
        self.waiting.iter().any(|(until, _)| matches!(until, Until::Match(_)))
    }

    /// Looks at what is new on the terminal.
    pub(super) fn look(&mut self, live: &Live) {
        if !self.want_text() {
            self.line.clear();
            return;
        }
        match live {
            Live::Text(text) => {
                self.line.push_str(text);
                let line = std::mem::take(&mut self.line);
                self.search(&line);
                let rest = line.rfind('\n').map_or(0, |end| end + 1);
                let surplus = line.len().saturating_sub(LINE_MAX);
                self.line.push_str(&line[line.ceil_char_boundary(rest.max(surplus))..]);
            }
            Live::Line(text) => self.search(&format!("{}{text}", self.line)),
            Live::Finished(_) | Live::Died(_) => {}
        }
    }

    pub(super) fn finished(&mut self, command: &str, status: Status) {
        self.line.clear();
        let seen = Seen::Finished { command: command.to_owned(), status };
        self.tell_where(|until| (*until == Until::Exit).then(|| seen.clone()));
    }

    /// The shell has ended, so nothing else will happen.
    pub(super) fn died(&mut self, status: Status) {
        self.tell_where(|_| Some(Seen::Died(status)));
    }

    fn search(&mut self, shown: &str) {
        self.tell_where(|until| match until {
            Until::Match(text) if shown.contains(text) => Some(Seen::Matched(line_of(shown, text))),
            _ => None,
        });
    }

    fn tell_where(&mut self, seen: impl Fn(&Until) -> Option<Seen>) {
        for (until, answer) in std::mem::take(&mut self.waiting) {
            match seen(&until) {
                Some(seen) => tell(answer, seen),
                None => self.waiting.push((until, answer)),
            }
        }
    }
}

fn tell(answer: Answer<Seen>, seen: Seen) {
    // Whoever has given up is not told.
    let _ = answer.send(seen);
}

fn line_of(shown: &str, text: &str) -> String {
    shown.lines().find(|line| line.contains(text)).unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watching(text: &str, unread: &str) -> (Watchers, oneshot::Receiver<Seen>) {
        let mut watchers = Watchers::default();
        let (answer, seen) = oneshot::channel();
        watchers.add(Until::Match(text.to_owned()), answer, unread);
        (watchers, seen)
    }

    #[test]
    fn a_text_is_found_wherever_it_is_cut() {
        let text = |text: &str| Live::Text(text.to_owned());
        let line = |text: &str| Live::Line(text.to_owned());
        let table = [
            (vec![text("a\nready on 80\nb\n")], "ready on 80"),
            (vec![text("rea"), text("dy on 80\n")], "ready on 80"),
            (vec![text("rea"), line("dy on 80")], "ready on 80"),
            (vec![line("rea"), line("ready on 80")], "ready on 80"),
        ];
        for (pieces, expected) in table {
            let (mut watchers, mut seen) = watching("ready on", "");
            pieces.iter().for_each(|piece| watchers.look(piece));
            assert_eq!(seen.try_recv(), Ok(Seen::Matched(expected.to_owned())), "{pieces:?}");
            assert!(!watchers.want_text());
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        let (mut watchers, mut seen) = watching("ready on", "not\nread\ny on");
        for piece in ["ready\n", "on\n", "read", "\ny on\n", &"x".repeat(3 * LINE_MAX), "é\n"] {
            watchers.look(&Live::Text(piece.to_owned()));
            assert!(watchers.line.len() <= LINE_MAX);
        }
        assert!(seen.try_recv().is_err() && watchers.want_text());
        watchers.died(Status::Code(3));
        assert_eq!(seen.try_recv(), Ok(Seen::Died(Status::Code(3))));
    }

    #[test]
    fn what_nobody_has_read_counts() {
        let (watchers, mut seen) = watching("ready", "one\nready now\n");
        assert_eq!(seen.try_recv(), Ok(Seen::Matched("ready now".to_owned())));
        assert!(!watchers.want_text());
    }
}
