//! The commands of one level of a line: its own, those of one `$(…)`, or the inside of one `[[ … ]]`.

use super::builtin::{self, Hole, Word};
use super::meaning::Findings;

/// The words of the command that is being written, and what they are part of.
#[derive(Debug, Default)]
pub(super) struct Level {
    kind: Kind,
    words: Vec<Word>,
    word: Option<Word>,
    /// Whether the next word is the target of `<` or `>`.
    redirects: bool,
    cases: Vec<Case>,
    /// Whether the word that is being written is `((…))`.
    is_arithmetic: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Commands,
    /// `[[ … ]]`, or a group in it.
    Test,
    /// The elements of an array: `name=(…)`.
    Elements(String),
}

/// Where in `case … esac` the line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Pattern,
    Commands,
}

impl Level {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, ..Self::default() }
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The word that is being written, as far as it goes.
    pub(super) fn word(&self) -> Option<&str> {
        self.word.as_ref().map(|word| word.text.as_str())
    }

    /// Whether the word that is being written is the first of its command.
    pub(super) fn begins_command(&self) -> bool {
        let is_assignment = |word: &Word| word.assignment().is_some();
        !self.redirects && builtin::without_keywords(&self.words).iter().all(is_assignment)
    }

    /// Whether the command that is being written is `declare -A` or its kin.
    pub(super) fn declares_keys(&self) -> bool {
        builtin::declares(builtin::without_keywords(&self.words), 'A')
    }

    pub(super) fn begins_word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    /// `((`, which is a whole command if no word has begun.
    pub(super) fn begin_arithmetic(&mut self) {
        let begins = self.begins_command() || matches!(&self.words[..], [word] if word.is("for"));
        self.is_arithmetic = begins && self.word.is_none();
    }

    pub(super) fn push(&mut self, c: char) {
        self.begins_word().text.push(c);
    }

    pub(super) fn push_hole(&mut self, value: usize, is_several: bool) {
        let word = self.begins_word();
        word.holes.push(Hole { value, at: word.text.len(), is_several });
        word.text.push(Hole::MARK);
    }

    pub(super) fn drop_word(&mut self) {
        self.word = None;
    }

    pub(super) fn redirect(&mut self) {
        if self.word().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.redirects = true;
    }

    pub(super) fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if std::mem::take(&mut self.redirects) {
            return;
        }
        // A keyword may follow without a separator.
        if std::mem::take(&mut self.is_arithmetic) {
            return self.words.clear();
        }
        let is_end = word.is("esac");
        self.words.push(word);
        let words = builtin::without_keywords(&self.words);
        match (words, self.cases.last()) {
            ([case, _, r#in], _) if case.is("case") && r#in.is("in") => {
                self.cases.push(Case::Pattern);
                self.words.clear();
            }
            ([_], Some(_)) if is_end => {
                self.cases.pop();
                self.words.clear();
            }
            _ => {}
        }
    }

    pub(super) fn end_command(&mut self, findings: &mut Findings) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        match &self.kind {
            Kind::Commands => builtin::command(&words, findings),
            Kind::Test => builtin::test(&words, findings),
            Kind::Elements(name) => {
                words
                    .iter()
                    .flat_map(|word| &word.holes)
                    .for_each(|hole| findings.assigned(hole.value, name));
            }
        }
    }

    /// What stood so far was no command: `[[`, or the name of a function.
    pub(super) fn forget(&mut self) {
        self.word = None;
        self.words.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.word.is_none()
    }

    pub(super) fn in_pattern(&self) -> bool {
        self.cases.last() == Some(&Case::Pattern)
    }

    /// A `)` that belongs to a pattern of `case`, not to what surrounds it.
    pub(super) fn end_pattern(&mut self) {
        self.forget();
        if let Some(case) = self.cases.last_mut() {
            *case = Case::Commands;
        }
    }

    /// `;;` and its kin: what follows is a pattern, if this is a `case`.
    pub(super) fn end_clause(&mut self) {
        if let Some(case) = self.cases.last_mut() {
            *case = Case::Pattern;
        }
    }
}
