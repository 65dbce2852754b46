//! One line from the terminal, edited by the person, shown or not.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::stdio::stdin;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use rustyline::config::Configurer;
use rustyline::history::FileHistory;
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Editor, Event, EventContext,
    EventHandler, KeyEvent, RepeatCount,
};

use super::completion::{Helper, Reader};

/// Lines kept in the history file.
const HISTORY_MAX: usize = 10_000;

/// The line editor. What it reads ahead of a line's end it keeps for the next line.
pub(super) struct Lines {
    pub(super) editor: Editor<Helper, FileHistory>,
    /// The last line was dropped with Ctrl-C.
    dropped: Arc<AtomicBool>,
}

/// What came of a line.
pub(super) enum Entered {
    Line(String),
    /// Ctrl-C took this away.
    Dropped(String),
}

impl Lines {
    pub(super) fn new(helper: Helper) -> rustyline::Result<Self> {
        let mut editor = Editor::with_config(
            Config::builder()
                .auto_add_history(false)
                .history_ignore_space(true)
                .completion_type(CompletionType::List)
                .build(),
        )?;
        editor.set_max_history_size(HISTORY_MAX)?;
        editor.set_helper(Some(helper));
        let dropped = Arc::default();
        let drop_line = DropLine(Arc::clone(&dropped));
        editor.bind_sequence(KeyEvent::ctrl('c'), EventHandler::Conditional(Box::new(drop_line)));
        let keep_line = KeepLine(Arc::clone(&dropped));
        editor.bind_sequence(Event::Any, EventHandler::Conditional(Box::new(keep_line)));
        Ok(Self { editor, dropped })
    }

    pub(super) fn read(&mut self, prompt: &str) -> rustyline::Result<Entered> {
        let line = self.editor.readline(prompt)?;
        let dropped = self.dropped.swap(false, Ordering::Relaxed);
        Ok(if dropped { Entered::Dropped(line) } else { Entered::Line(line) })
    }

    /// Reads a line of which neither the characters nor their number can be seen.
    pub(super) fn read_hidden(&mut self, prompt: &str) -> rustyline::Result<Entered> {
        // For terminals on which the editor does not work, and in case it fails.
        let echo = Echo::off()?;
        let cursor = self.editor.set_cursor_visibility(false)?;
        self.hide(true);
        let line = self.read(prompt);
        self.hide(false);
        drop(cursor);
        drop(echo);
        line
    }

    fn hide(&mut self, hidden: bool) {
        if let Some(helper) = self.editor.helper_mut() {
            helper.hidden = hidden;
        }
        // The editor asks how a line looks only where it may use colours.
        self.editor.set_color_mode(if hidden { ColorMode::Forced } else { ColorMode::Enabled });
    }

    /// Who reads the next line.
    pub(super) fn reader(&self) -> Reader {
        self.editor.helper().map_or(Reader::Topic, Helper::reader)
    }
}

/// Ctrl-C ends a line like any other key that does: an error would take along what was read ahead.
struct DropLine(Arc<AtomicBool>);

impl ConditionalEventHandler for DropLine {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        self.0.store(true, Ordering::Relaxed);
        Some(Cmd::AcceptLine)
    }
}

/// A line that goes on after Ctrl-C was not dropped: that was an answer to a question about completions.
struct KeepLine(Arc<AtomicBool>);

impl ConditionalEventHandler for KeepLine {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        self.0.store(false, Ordering::Relaxed);
        None
    }
}

/// The terminal's own echo, off until this is dropped.
struct Echo {
    before: Termios,
}

impl Echo {
    fn off() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        // The end of the line may be seen.
        silent.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(stdin(), OptionalActions::Now, &silent)?;
        Ok(Self { before })
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        // A terminal that is gone needs no mode.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
    }
}
