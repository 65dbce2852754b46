//! Options of a definition: `-H "Key: Value"`, `-d '…'`, `--timeout 30s`.

use std::time::Duration;

use super::Header;
use crate::template::{Dialect, Template};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Setting {
    Header(Header),
    Body(Template),
    Timeout(Duration),
    /// Why not.
    Bad(&'static str),
}

/// Reads all options of one line.
pub(super) fn settings(text: &str) -> Vec<Setting> {
    let Some(words) = words(text) else { return vec![Setting::Bad("a quote is not closed")] };
    let mut words = words.into_iter();
    let mut settings = Vec::new();
    while let Some(word) = words.next() {
        let (name, attached) = split_attached(&word);
        let mut value = || attached.map(str::to_owned).or_else(|| words.next());
        settings.push(match name {
            "-H" => value()
                .and_then(|text| header(&text))
                .map_or(Setting::Bad("-H needs \"Key: Value\""), Setting::Header),
            "-d" => value().map_or(Setting::Bad("-d needs a text"), |text| {
                Setting::Body(Template::parse(&text, Dialect::Definition))
            }),
            "--timeout" => value()
                .and_then(|text| duration(&text))
                .map_or(Setting::Bad("--timeout needs a time such as 30s"), Setting::Timeout),
            _ => Setting::Bad("an option cannot be understood"),
        });
    }
    settings
}

/// The words of a line as a shell would see them; nothing if a quote stays open.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (word, after) = word(rest)?;
        words.push(word);
        rest = after.trim_start();
    }
    Some(words)
}

/// The first word, unquoted, and what follows it.
pub(super) fn word(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => loop {
                match chars.next()?.1 {
                    '\'' => break,
                    inner => out.push(inner),
                }
            },
            '"' => loop {
                match chars.next()?.1 {
                    '"' => break,
                    '\\' => match chars.next()?.1 {
                        escaped @ ('"' | '\\') => out.push(escaped),
                        other => out.extend(['\\', other]),
                    },
                    inner => out.push(inner),
                }
            },
            c if c.is_whitespace() => return Some((out, &text[at..])),
            c => out.push(c),
        }
    }
    Some((out, ""))
}

/// `-Hvalue` and `--timeout=value`.
fn split_attached(word: &str) -> (&str, Option<&str>) {
    if word.starts_with("--") {
        return word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    }
    match word.get(..2) {
        Some(name @ ("-H" | "-d")) if word.len() > 2 => (name, Some(&word[2..])),
        _ => (word, None),
    }
}

fn header(text: &str) -> Option<Header> {
    let (name, value) = text.split_once(':')?;
    let fits = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let is_name = !name.is_empty() && name.chars().all(fits);
    is_name
        .then(|| Header { name: name.to_owned(), value: Template::parse(value.trim(), Dialect::Definition) })
}

/// `30s`, `500ms`, `2m`, or a number of seconds.
fn duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let count: u64 = text[..digits].parse().ok()?;
    let duration = match &text[digits..] {
        "ms" => Duration::from_millis(count),
        "" | "s" => Duration::from_secs(count),
        "m" => Duration::from_secs(count.checked_mul(60)?),
        _ => return None,
    };
    (!duration.is_zero()).then_some(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_types() {
        let template = |text: &str| Template::parse(text, Dialect::Definition);
        let header = |name: &str, value: &str| {
            Setting::Header(Header { name: name.to_owned(), value: template(value) })
        };
        assert_eq!(
            settings(r#"-H "Authorization: Bearer {token}" -H 'X-A: "b"' -d '{"a": 1}' --timeout=1500ms"#),
            [
                header("Authorization", "Bearer {token}"),
                header("X-A", "\"b\""),
                Setting::Body(template("{\"a\": 1}")),
                Setting::Timeout(Duration::from_millis(1500)),
            ]
        );
    }

    #[test]
    fn bad_options_say_so() {
        for text in [
            "-H",
            "-H nope",
            "-H ': x'",
            "-d",
            "--timeout",
            "--timeout soon",
            "--timeout 0",
            "-x 1",
            "-H \"a: b",
        ] {
            assert!(matches!(settings(text)[..], [Setting::Bad(_)] | [Setting::Bad(_), _]), "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        let cases = [("30s", 30_000), ("30", 30_000), ("500ms", 500), ("2m", 120_000)];
        for (text, ms) in cases {
            assert_eq!(duration(text), Some(Duration::from_millis(ms)));
        }
        assert_eq!(duration("99999999999999999999s"), None);
        assert_eq!(duration("1h"), None);
    }
}
