//! `flo.time.formatUnixTimestamp`: a moment in words.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;

use super::host::{Answer, raw, refusal, typed};

/// What stands for a part of the moment, and how it is written.
const TOKENS: [(&str, &str); 6] = [
    ("[year]", "%Y"),
    ("[month]", "%m"),
    ("[day]", "%d"),
    ("[hour]", "%H"),
    ("[minute]", "%M"),
    ("[second]", "%S"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Format {
    timestamp: f64,
    format: String,
    #[serde(default)]
    tz: Option<String>,
}

pub(super) fn answer(arguments: &str) -> Answer {
    let Format { timestamp, format, tz } = typed(arguments)?;
    raw(&formatted(timestamp, &format, tz.as_deref())
        .map_err(|message| refusal("invalid_argument", message))?)
}

fn formatted(timestamp: f64, format: &str, tz: Option<&str>) -> Result<String, String> {
    let out_of_range = || format!("{timestamp} is no moment");
    // Whole seconds: the tokens know nothing smaller, and a fraction belongs to the second that began.
    let seconds = timestamp.floor();
    if seconds.is_nan() || seconds.abs() >= 1e12 {
        return Err(out_of_range());
    }
    let moment = Timestamp::from_second(seconds as i64).map_err(|_| out_of_range())?;
    let zone = match tz {
        None => TimeZone::UTC,
        Some(name) => TimeZone::get(name).map_err(|_| format!("{name:?} is no time zone"))?,
    };
    let zoned = moment.to_zoned(zone);
    let written = |token: &str| zoned.strftime(token).to_string();
    Ok(TOKENS.iter().fold(format.to_owned(), |text, (token, code)| match text.contains(token) {
        true => text.replace(token, &written(code)),
        false => text,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_asked() {
        let table = [
            (0.0, "[year]-[month]-[day] [hour]:[minute]:[second]", None, Ok("1970-01-01 00:00:00")),
            (1_700_000_000.9, "[hour]h [day].[month]. [what] %Y", None, Ok("22h 14.11. [what] %Y")),
            (1_700_000_000.0, "[hour]", Some("Asia/Seoul"), Ok("07")),
            (-1.0, "[year]", None, Ok("1969")),
            (f64::MAX, "[year]", None, Err("no moment")),
            (0.0, "[year]", Some("Mars/Olympus"), Err("no time zone")),
        ];
        for (timestamp, format, tz, expected) in table {
            match (formatted(timestamp, format, tz), expected) {
                (Ok(text), Ok(expected)) => assert_eq!(text, expected),
                (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
                (got, _) => panic!("{timestamp} {format}: {got:?}"),
            }
        }
    }
}
