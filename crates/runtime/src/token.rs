//! String's own tokens: the random digits in them, and what they look like in a text, so that logs and streams show
//! none.

use std::borrow::Cow;

use crate::error::{Code, Error, Result};
use crate::variable::Secret;

/// What the address begins with that takes events.
pub const WEBHOOK: &str = "wh_";
/// What a capability's token begins with, before its id.
pub const CAPABILITY: &str = "cap_";
/// Fewer digits are a name like `wh_add`, and no token even by half.
const DIGITS_MIN: usize = 16;
/// Stands where a secret was.
const MARK: &str = "…";

/// As many random bytes, two digits each.
pub fn random_digits(bytes: usize) -> Result<String> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random)
        .map_err(|error| Error::new(Code::LoadError, format!("No random bits: {error}")))?;
    Ok(digits(&random))
}

/// Bytes in hexadecimal.
pub fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text without webhook addresses and capabilities, known by their shape, and without the daemon's own token.
pub fn hidden<'t>(text: &'t str, daemon: Option<&Secret>) -> Cow<'t, str> {
    // Nearly no text holds any.
    let found = |part: &str| text.contains(part);
    let token = daemon.map(Secret::reveal).filter(|token| found(token));
    if token.is_none() && !found(WEBHOOK) && !found(CAPABILITY) {
        return Cow::Borrowed(text);
    }
    let text = token.map_or(Cow::Borrowed(text), |token| text.replace(token, MARK).into());
    let text = without(&text, WEBHOOK, |_| Some(0));
    Cow::Owned(without(&text, CAPABILITY, |rest| {
        // The id may be known; what follows it may not.
        let id = rest.find(|c: char| !c.is_ascii_alphanumeric())?;
        (id > 0 && rest[id..].starts_with('_')).then_some(id + 1)
    }))
}

/// The text without the digits that follow each `prefix`, from where `secret` says that they begin.
fn without(text: &str, prefix: &str, secret: impl Fn(&str) -> Option<usize>) -> String {
    let mut parts = text.split(prefix);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| {
        let (open, digits) = part.split_at(secret(part).unwrap_or(part.len()));
        let rest = digits.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        match digits.len() - rest.len() {
            0..DIGITS_MIN => shown + prefix + part,
            _ => shown + prefix + open + MARK + rest,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_taken_out_and_nothing_else() {
        let daemon = Secret::new("5f".repeat(32));
        let (id, secret) = ("01JQ8YV3Q4T7Z9R2M5N6P8K1XW", "0f".repeat(24));
        let table = [
            (format!("curl -H 'Bearer {}' x", daemon.reveal()), "curl -H 'Bearer …' x".to_owned()),
            (format!("POST /webhook/wh_{secret}, wh_x"), "POST /webhook/wh_…, wh_x".into()),
            (format!("?cap=cap_{id}_{secret}&x"), format!("?cap=cap_{id}_…&x")),
            (format!("revoke cap_{id}"), format!("revoke cap_{id}")),
            (
                "wh_add.md, the cap_ of cap_a_0 and wh_ é".into(),
                "wh_add.md, the cap_ of cap_a_0 and wh_ é".into(),
            ),
            (format!("sha256 {}", "ab".repeat(32)), format!("sha256 {}", "ab".repeat(32))),
        ];
        for (text, expected) in table {
            assert_eq!(hidden(&text, Some(&daemon)), expected, "{text}");
        }
    }
}
