//! The commands of bash that calculate with their arguments or take them for names of variables.

use std::ops::Range;

use sfmd::is_variable_name;

use super::meaning::{Findings, HOLE, Meaning, Reach, is_dynamic};

/// One word as the author wrote it, without its quotes; what stands inside `$(…)` is not part of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) holes: Vec<Hole>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Hole {
    /// Which of the line's values it is.
    pub(super) value: usize,
    /// Where it stands in the word.
    pub(super) at: usize,
    /// Whether it becomes several words.
    pub(super) is_several: bool,
}

const NUMBER_COMPARISONS: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
/// Words before a command.
const KEYWORDS: [&str; 11] = ["if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "coproc"];
/// Words before a command that may have an option.
const RUNNING: [&str; 3] = ["time", "builtin", "command"];
/// Commands and options that make bash look into arguments.
pub(super) const EVALUATING: [&str; 9] =
    ["let", "declare", "typeset", "local", "unset", "read", "printf", "wait", "["];
/// Commands that give variables their kind.
const DECLARING: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];
/// Options of `read` with an argument; all but `-a`, which takes a name, take text.
const READ_VALUED: &str = "adinNptu";

/// Notes what the words of one simple command say about the values in it.
pub(super) fn command(words: &[Word], findings: &mut Findings) {
    let mut words = without_keywords(words);
    while let Some((first, rest)) = words.split_first()
        && let Some((name, at)) = first.assignment()
    {
        let value = first.part(at..first.text.len());
        value.holes.iter().for_each(|hole| findings.assigned(hole.value, name));
        if name == "PS4" {
            value.is_expanded(findings);
        }
        findings.assigns(name, &first.text[at..]);
        words = without_keywords(rest);
    }
    let Some((name, arguments)) = words.split_first() else { return };
    match name.text.as_str() {
        "let" => arguments.iter().for_each(|word| word.is_calculated(findings)),
        command if DECLARING.contains(&command) => declare(command, arguments, findings),
        "unset" => {
            let names = arguments.iter().filter(|word| !word.text.starts_with('-'));
            names.for_each(|word| word.is_name(findings));
        }
        "read" => read(arguments, findings),
        "mapfile" | "readarray" => mapfile(arguments, findings),
        "eval" | "trap" => arguments.iter().for_each(|word| word.is_command(findings)),
        "compgen" | "complete" => arguments.iter().for_each(|word| word.is_expanded(findings)),
        "printf" => printf(arguments, findings),
        "wait" => wait(arguments, findings),
        "test" | "[" => test_command(arguments, findings),
        "for" | "select" => for_loop(arguments, findings),
        _ if arguments.iter().any(Word::varies) => {
            let is_evaluating = |word: &Word| EVALUATING.contains(&word.text.as_str());
            // The command may be one of those above in the end, run by this one or named by a variable.
            if is_dynamic(&name.text) || arguments.iter().any(is_evaluating) {
                findings.reaches(Reach::Subscripts);
            }
        }
        _ => {}
    }
}

/// Notes what the words between two `&&` of `[[ … ]]` say.
pub(super) fn test(words: &[Word], findings: &mut Findings) {
    for (at, word) in words.iter().enumerate() {
        if NUMBER_COMPARISONS.contains(&word.text.as_str()) {
            let operands = [at.checked_sub(1), Some(at + 1)];
            let operands = operands.into_iter().flatten().filter_map(|at| words.get(at));
            operands.for_each(|word| word.is_compared(findings));
        }
    }
    after("-v", words).for_each(|word| word.is_name(findings));
}

/// Whether the words declare variables with an option.
pub(super) fn declares(words: &[Word], option: char) -> bool {
    let [command, arguments @ ..] = words else { return false };
    let has = |word: &Word| word.text.starts_with('-') && word.text.contains(option);
    DECLARING.contains(&command.text.as_str()) && arguments.iter().any(has)
}

/// The words of a command without the keywords before it.
pub(super) fn without_keywords(words: &[Word]) -> &[Word] {
    let mut words = words;
    loop {
        words = match words {
            [first, rest @ ..] if KEYWORDS.contains(&first.text.as_str()) => rest,
            [first, option, ..] if RUNNING.contains(&first.text.as_str()) && option.text.starts_with('-') => {
                &words[2..]
            }
            [first, rest @ ..] if RUNNING.contains(&first.text.as_str()) => rest,
            [first, _, rest @ ..] if first.text == "function" => rest,
            _ => return words,
        };
    }
}

fn declare(command: &str, arguments: &[Word], findings: &mut Findings) {
    let is_option = |word: &&Word| word.text.starts_with(['-', '+']) && word.holes.is_empty();
    let options: String = arguments.iter().filter(is_option).map(|word| word.text.as_str()).collect();
    let has = |letter: char| options.contains(letter);
    let is_plain = matches!(command, "export" | "readonly") && !has('a') && !has('A');
    for word in arguments.iter().filter(|word| !is_option(word)) {
        let (name, at) = word.assignment().unwrap_or((&word.text, word.text.len()));
        if has('A') {
            findings.associative(name);
        } else if has('a') {
            findings.array(name);
        }
        if has('i') {
            findings.calculates(name);
        }
        let (named, value) = (word.part(0..at), word.part(at..word.text.len()));
        if is_plain {
            named.is_no_option("-", findings);
        } else {
            named.is_name(findings);
        }
        if name == "PS4" || (!is_plain && findings.is_array(name) && !has('i')) {
            value.is_expanded(findings);
        } else if has('i') {
            value.is_calculated(findings);
        } else if has('n') && !is_plain {
            value.is_name(findings);
            findings.indirect(name);
        }
        value.holes.iter().for_each(|hole| findings.assigned(hole.value, name));
        findings.assigns(name, &value.text);
    }
}

fn read(arguments: &[Word], findings: &mut Findings) {
    let mut arguments = arguments.iter();
    while let Some(word) = arguments.next() {
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        match letters.find(|letter| READ_VALUED.contains(letter)) {
            Some(at) if at + 1 == letters.len() => {
                let argument = arguments.next();
                if let Some(argument) = argument.filter(|_| letters.ends_with('a')) {
                    findings.array(&argument.text);
                    argument.is_name(findings);
                }
            }
            Some(_) => {}
            None => word.is_name(findings),
        }
    }
}

fn printf(arguments: &[Word], findings: &mut Findings) {
    let Some(first) = arguments.first() else { return };
    first.is_no_option("-", findings);
    let (name, rest) = match (first.text.strip_prefix("-v"), arguments) {
        (Some(""), [_, name, rest @ ..]) => (name.clone(), rest),
        (Some(_), [_, rest @ ..]) => (first.part(2..first.text.len()), rest),
        _ => {
            if first.text.starts_with(['$', '`']) {
                findings.reaches(Reach::Subscripts);
            }
            return;
        }
    };
    name.is_name(findings);
    rest.iter().flat_map(|word| &word.holes).for_each(|hole| findings.assigned(hole.value, &name.text));
}

fn mapfile(arguments: &[Word], findings: &mut Findings) {
    for word in arguments {
        findings.array(&word.text);
        findings.names(&word.text);
        // What is called for the lines is one of these, and the others are numbers and names.
        word.means(Meaning::Command, findings);
    }
    after("-C", arguments).filter(|word| is_dynamic(&word.text)).for_each(|word| word.is_command(findings));
    after("-d", arguments).for_each(|word| word.means(Meaning::Text, findings));
}

fn wait(arguments: &[Word], findings: &mut Findings) {
    for (at, word) in arguments.iter().enumerate() {
        let is_option = |word: &Word| word.text.starts_with('-');
        if is_option(word) || at.checked_sub(1).is_some_and(|before| is_option(&arguments[before])) {
            word.is_name(findings);
        } else {
            word.is_no_option("-", findings);
        }
    }
}

fn test_command(arguments: &[Word], findings: &mut Findings) {
    for (at, word) in arguments.iter().enumerate() {
        let is_followed = arguments.get(at + 1).is_some_and(Word::varies);
        if is_followed || word.holes.iter().any(|hole| hole.is_several) {
            word.is_no_option("-v", findings);
        }
        // A variable may hold the operator as well.
        if is_followed && is_dynamic(&word.text) {
            findings.reaches(Reach::Subscripts);
        }
    }
    after("-v", arguments).for_each(|word| word.is_name(findings));
}

fn for_loop(arguments: &[Word], findings: &mut Findings) {
    if let [name, _, items @ ..] = arguments {
        items.iter().flat_map(|word| &word.holes).for_each(|hole| findings.assigned(hole.value, &name.text));
    }
}

/// The words right behind an option.
fn after<'w>(option: &str, words: &'w [Word]) -> impl Iterator<Item = &'w Word> {
    words.windows(2).filter(move |pair| pair[0].text == option).map(|pair| &pair[1])
}

impl Word {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// The name in `name=…`, `name+=…` and `name[…]=…`, and where the value begins.
    pub(super) fn assignment(&self) -> Option<(&str, usize)> {
        let name = self.text.split(['=', '+', '[']).next()?;
        let after = self.text[name.len()..].strip_prefix('[').map_or(
            Some(&self.text[name.len()..]),
            |subscript| {
                subscript.find("]=").or_else(|| subscript.find("]+=")).map(|end| &subscript[end + 1..])
            },
        )?;
        let value = after.strip_prefix('+').unwrap_or(after).strip_prefix('=')?;
        is_variable_name(name).then_some((name, self.text.len() - value.len()))
    }

    fn part(&self, range: Range<usize>) -> Self {
        let holes = self.holes.iter().filter(|hole| range.contains(&hole.at));
        let holes = holes.map(|hole| Hole { at: hole.at - range.start, ..*hole }).collect();
        Self { text: self.text[range].to_owned(), holes }
    }

    /// Whether a value is in it, or something that the shell expands.
    fn varies(&self) -> bool {
        !self.holes.is_empty() || is_dynamic(&self.text)
    }

    fn means(&self, meaning: Meaning, findings: &mut Findings) {
        self.holes.iter().for_each(|hole| findings.means(hole.value, meaning));
    }

    fn is_command(&self, findings: &mut Findings) {
        self.means(Meaning::Command, findings);
        findings.reads_as_command(&self.text);
    }

    /// Bash expands it once more; what the author has it expand is a command as good as any.
    fn is_expanded(&self, findings: &mut Findings) {
        if is_dynamic(&self.text) {
            self.is_command(findings);
        } else {
            self.means(Meaning::Expanded, findings);
        }
    }

    fn is_calculated(&self, findings: &mut Findings) {
        self.means(Meaning::Number, findings);
        findings.calculates(&self.text);
    }

    /// Beside a comparison nothing counts as zero.
    fn is_compared(&self, findings: &mut Findings) {
        self.means(Meaning::NumberOrNothing, findings);
        findings.calculates(&self.text);
    }

    /// A name, or an element of an array.
    fn is_name(&self, findings: &mut Findings) {
        findings.names(&self.text);
        for hole in &self.holes {
            let is_subscript = self.text[..hole.at].contains('[');
            findings.means(hole.value, if is_subscript { Meaning::Number } else { Meaning::Name });
        }
        if let Some((_, subscript)) = self.text.split_once('[') {
            findings.calculates(subscript);
        }
    }

    fn is_no_option(&self, beginning: &'static str, findings: &mut Findings) {
        if let Some(hole) = self.holes.first().filter(|hole| hole.at == 0) {
            findings.means(hole.value, Meaning::NotBeginning(beginning));
        }
    }
}

impl Hole {
    /// How a value shows in the text of a word.
    pub(super) const MARK: char = HOLE;
}
