//! What unquoted text opens and closes.

use sfmd::is_variable_name;

use super::level::{Kind, Level};
use super::meaning::{Reach, is_dynamic, is_name_char};
use super::{Frame, Place, Scanner, Stage};

impl Scanner {
    pub(super) fn plain(&mut self, c: char) {
        // `${!name[0]}`: an element holds a name.
        let is_subscript = matches!(self.frames.last(), Some(Frame::Brackets | Frame::Parameter(Stage::Key)));
        let is_first = is_subscript && self.last == Some('[');
        if is_first && self.parameter.starts_with('!') && !matches!(c, '@' | '*') {
            self.findings.reaches(Reach::Subscripts);
        }
        match (c, self.frames.last().copied()) {
            ('\\', _) => {
                self.leave_name();
                self.escaped = true;
            }
            ('\'', _) if self.place() != Place::Double => {
                self.begin_quotes();
                self.frames.push(if self.last == Some('$') { Frame::Escaped } else { Frame::Single });
            }
            ('"', _) => {
                self.begin_quotes();
                self.frames.push(Frame::Double);
            }
            ('`', Some(Frame::Backtick)) => self.close_level(),
            (_, Some(Frame::Parameter(stage))) => self.in_parameter(c, stage),
            ('(', Some(frame @ Frame::Arithmetic)) | ('[', Some(frame @ Frame::Brackets))
                if self.last != Some('$') =>
            {
                self.note(c);
                self.frames.push(frame);
            }
            (')', Some(Frame::Arithmetic)) | (']', Some(Frame::Brackets)) => {
                self.note(c);
                self.frames.pop();
            }
            (_, Some(Frame::Arithmetic | Frame::Brackets)) => self.expandable(c),
            (_, Some(Frame::Test | Frame::Group)) => self.in_test(c),
            _ => self.in_command(c),
        }
    }

    fn begin_quotes(&mut self) {
        self.leave_name();
        self.level().begins_word();
    }

    fn expandable(&mut self, c: char) {
        self.note(c);
        self.open_expansion(c);
    }

    pub(super) fn open_expansion(&mut self, c: char) {
        match (self.last, c) {
            (Some('$'), '(') => self.open_level(Frame::Parentheses, Kind::Commands),
            (Some('$'), '[') => self.frames.push(Frame::Brackets),
            (Some('$'), '{') => {
                self.parameter.clear();
                self.frames.push(Frame::Parameter(Stage::Name));
            }
            (_, '`') => self.open_level(Frame::Backtick, Kind::Commands),
            _ => {}
        }
    }

    fn open_level(&mut self, frame: Frame, kind: Kind) {
        self.frames.push(frame);
        self.levels.push(Level::new(kind));
    }

    fn close_level(&mut self) {
        self.frames.pop();
        if let Some(mut level) = self.levels.pop() {
            level.end_command(&mut self.findings);
        }
    }

    fn in_parameter(&mut self, c: char, stage: Stage) {
        let is_special = self.parameter_name().is_empty() && "!#@*?-".contains(c);
        let next = match (stage, c) {
            (_, '}') => {
                self.end_name(stage, c);
                self.note(c);
                self.frames.pop();
                return;
            }
            (Stage::Name, c) if is_name_char(c) || is_special => {
                self.parameter.push(c);
                Stage::Name
            }
            (Stage::Name | Stage::Named, ':') => Stage::Colon,
            (Stage::Name, '[') if self.findings.is_associative(self.parameter_name()) => Stage::Key,
            (Stage::Name, '[') | (Stage::Key, ']') => Stage::Named,
            (Stage::Name | Stage::Named, _) => Stage::Word,
            (Stage::Colon, '-' | '=' | '?' | '+') => Stage::Word,
            (Stage::Colon, _) => Stage::Substring,
            (same, _) => same,
        };
        if next != stage {
            self.end_name(stage, c);
        }
        // `${name@P}` is expanded as a prompt is.
        if stage == Stage::Word && (self.last, c) == (Some('@'), 'P') {
            self.findings.reaches(Reach::Everything);
        }
        if let Some(top) = self.frames.last_mut() {
            *top = Frame::Parameter(next);
        }
        if (stage, next) == (Stage::Name, Stage::Named) {
            self.level().push(c);
            self.frames.push(Frame::Brackets);
        } else {
            self.expandable(c);
        }
    }

    /// The name that follows `${`, `${!` or `${#`.
    fn parameter_name(&self) -> &str {
        self.parameter.trim_start_matches(['!', '#'])
    }

    /// `${!name}` is the variable that `name` holds the name of; `${!name@}` and `${!name[@]}` are lists of names.
    fn end_name(&mut self, stage: Stage, c: char) {
        let indirect = self.parameter.strip_prefix('!').filter(|name| !name.is_empty());
        if let (Stage::Name, Some(name)) = (stage, indirect)
            && !matches!(c, '@' | '*' | '[')
        {
            self.findings.indirect(name);
        }
    }

    fn in_test(&mut self, c: char) {
        let is_group = self.frames.last() == Some(&Frame::Group);
        match c {
            ']' if !is_group && self.level().word() == Some("]") => {
                self.level().drop_word();
                self.close_level();
            }
            ')' if is_group => self.close_level(),
            '(' if self.last != Some('$') && self.level().word().is_none() => {
                self.open_level(Frame::Group, Kind::Test);
            }
            '(' if self.last != Some('$') => self.open_level(Frame::Parentheses, Kind::Test),
            '&' | '|' => self.end_command(),
            '<' | '>' => self.level().end_word(),
            c if c.is_whitespace() => self.level().end_word(),
            _ => self.expandable(c),
        }
    }

    fn in_command(&mut self, c: char) {
        match c {
            ';' | '\n' | '|' | '&' if !(c == '&' && matches!(self.last, Some('<' | '>'))) => {
                self.end_command();
                if self.last == Some(';') && matches!(c, ';' | '&') {
                    self.level().end_clause();
                }
            }
            '&' => {}
            c if c.is_whitespace() => self.level().end_word(),
            '#' if self.level().word().is_none() && self.level().kind() != &Kind::Test => {
                self.in_comment = true;
            }
            '<' | '>' => self.level().redirect(),
            '(' => self.open_parenthesis(),
            ')' => self.close_parenthesis(),
            '[' if self.last == Some('$') => self.expandable(c),
            '[' => self.open_bracket(),
            _ => self.expandable(c),
        }
    }

    fn end_command(&mut self) {
        let level = self.levels.last_mut().expect("the line's own level stays");
        level.end_command(&mut self.findings);
    }

    fn open_parenthesis(&mut self) {
        let last = self.last;
        let is_empty = self.level().is_empty();
        let word = self.level().word().map(str::to_owned);
        match (last, word) {
            // The second of two: both are arithmetic, and what was taken for commands is none.
            (Some('('), None) if is_empty && self.frames.last() == Some(&Frame::Parentheses) => {
                self.frames.pop();
                self.levels.pop();
                self.level().begin_arithmetic();
                self.frames.extend([Frame::Arithmetic, Frame::Arithmetic]);
            }
            (Some('$'), _) => self.expandable('('),
            (_, None) if self.level().in_pattern() => {}
            (Some('='), Some(word)) => {
                let name = word.split(['=', '+']).next().unwrap_or_default().to_owned();
                self.findings.array(&name);
                if self.level().declares_keys() {
                    self.findings.associative(&name);
                }
                self.open_level(Frame::Parentheses, Kind::Elements(name));
            }
            (Some('<' | '>'), None) => {
                self.level().begins_word();
                self.open_level(Frame::Parentheses, Kind::Commands);
            }
            _ => self.open_level(Frame::Parentheses, Kind::Commands),
        }
    }

    fn close_parenthesis(&mut self) {
        let is_empty = self.level().is_empty();
        self.level().end_word();
        if self.level().in_pattern() {
            return self.level().end_pattern();
        }
        if self.frames.last() != Some(&Frame::Parentheses) {
            return;
        }
        self.close_level();
        // `name()`: a function begins, and its commands are what counts.
        if is_empty && self.level().word().is_some_and(|word| !word.is_empty() && !is_dynamic(word)) {
            self.level().forget();
        }
    }

    fn open_bracket(&mut self) {
        let begins = self.level().kind() == &Kind::Commands && self.level().begins_command();
        let word = self.level().word().map(str::to_owned);
        let is_subscript = match (word.as_deref(), self.levels.last().map(Level::kind)) {
            (Some("["), _) if begins => {
                self.level().forget();
                return self.open_level(Frame::Test, Kind::Test);
            }
            (Some(name), _) if begins && is_variable_name(name) => {
                self.findings.array(name);
                !self.findings.is_associative(name)
            }
            (None, Some(Kind::Elements(name))) => !self.findings.is_associative(name),
            _ => false,
        };
        self.level().push('[');
        if is_subscript {
            self.frames.push(Frame::Brackets);
        }
    }
}
