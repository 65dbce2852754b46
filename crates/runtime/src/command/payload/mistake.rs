//! Lines that are no command here, and what was probably meant.

use crate::command::table::{self, Spec};
use crate::error::{Code, Error, nearest, one_line, quoted};
use crate::topic::{Hub, Topic};

/// Said where a line belongs to no command.
pub(super) const NOTHING_RUN: &str = "Nothing was run.";

/// What is said elsewhere for what a command does here: the word, the command, and how that is typed.
pub(super) const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("cat", "open", "open PATH"),
    ("view", "open", "open PATH"),
    ("read", "open", "open PATH"),
    ("cd", "open", "open FOLDER"),
    ("dir", "ls", "ls PATH"),
    ("reload", "refresh", "refresh"),
    ("run", "exec", "exec COMMAND"),
    ("rm", "exec", "exec rm PATH"),
    ("mv", "exec", "exec mv PATH PATH"),
    ("cp", "exec", "exec cp PATH PATH"),
    ("mkdir", "exec", "exec mkdir PATH"),
    ("grep", "exec", "exec grep WORD PATH"),
];

pub(super) fn not_a_command(line: &str, topic: &Topic) -> Error {
    Error::new(Code::CommandUnsupported, format!("Commands must start with /. Got {}.", quoted(line)))
        .hints(meant_in_hub(line, topic))
        .hint("Plain text is shell input and goes to a bash topic, such as bash:dev.")
        .hints(meant_command(line, topic))
        .hint("Try /help for the commands valid here.")
}

/// What to send instead of a hub's words, which are its commands without the slash, as they are typed there or in a
/// terminal.
fn meant_in_hub(line: &str, topic: &Topic) -> Option<String> {
    let typed = line.strip_prefix("string ").and_then(|rest| {
        let (hub, words) = rest.trim_start().split_once(' ')?;
        Some((Topic::parse(hub).ok()?, words.trim_start()))
    });
    let (place, words) = typed.unwrap_or_else(|| (topic.clone(), line));
    let spec = table::find(words.split_whitespace().next()?, &place)?;
    match &place {
        Topic::Hub(_) if !spec.place.allows(&place) => None,
        Topic::Hub(_) if place == *topic => Some(format!("Did you mean /{words}?")),
        Topic::Hub(_) => Some(format!("Did you mean /{words} in the topic {place}?")),
        _ => None,
    }
}

/// `string open a.md` is text for a topic of that name; the command was hardly meant to be one.
fn meant_command(line: &str, topic: &Topic) -> Option<String> {
    let Topic::Tab(name) = topic else { return None };
    let spec = table::find(name.as_str(), topic).filter(|spec| spec.place.allows(topic))?;
    Some(format!("Or did you mean the command? string /{} {}", spec.name, one_line(line)))
}

pub(super) fn stray_line(line: &str, above: &Spec, topic: &Topic) -> Error {
    let slashes = topic.slashes();
    let message = format!("{slashes}{} takes no text below it. Got {}.", above.name, quoted(line));
    Error::new(Code::InvalidParams, message)
        .hint(format!("Every line below must be a further command, starting with {slashes}."))
        .hint(NOTHING_RUN)
}

pub(super) fn unknown(word: &str, topic: &Topic) -> Error {
    let names = table::valid_in(topic).map(|spec| spec.name);
    let slashes = topic.slashes();
    let near = elsewhere(word, topic).or_else(|| nearest(word, names));
    let near = near.map(|name| format!("Did you mean {slashes}{name}?"));
    let tool = (*topic == Topic::Hub(Hub::Tool) && sfmd::Id::parse(word).is_some())
        .then(|| format!("A tool is called in a topic: string main '/tool:{word}'"));
    Error::new(Code::CommandUnsupported, format!("Unknown command {}.", quoted(&format!("{slashes}{word}"))))
        .hints(near)
        .hints(tool)
        .hint(format!("Try {slashes}help for the commands valid here."))
}

/// What is typed here for a word of other systems, where that is possible.
pub(super) fn elsewhere(word: &str, topic: &Topic) -> Option<&'static str> {
    let (_, command, typed) = ELSEWHERE.iter().find(|(known, ..)| word.eq_ignore_ascii_case(known))?;
    table::valid_in(topic).any(|spec| spec.name == *command).then_some(*typed)
}

pub(super) fn wrong_place(spec: &Spec, topic: &Topic) -> Error {
    let here = match topic {
        Topic::Hub(hub) => format!("the {} hub", hub.as_str()),
        other => other.to_string(),
    };
    let slashes = topic.slashes();
    let message = format!("{slashes}{} is not valid in {here}.", spec.name);
    let places = table::places(spec.name).join(", ");
    Error::new(Code::CommandUnsupported, message)
        .hint(format!("{} works in: {places}", spec.usage))
        .hint(format!("Try {slashes}help for the commands valid here."))
}
