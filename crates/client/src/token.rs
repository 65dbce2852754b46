//! The secret that opens the TCP door.

use std::fmt;

/// The daemon's token. It can be sent, never shown.
#[derive(Clone)]
pub struct Token(Box<str>);

impl Token {
    /// Takes the text of the token file; the line end around it is not part of the token.
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_but_not_shown() {
        let token = Token::new("s3cret\n");
        assert_eq!(token.bearer(), "Bearer s3cret");
        assert_eq!(format!("{token:?}"), "Token(…)");
    }
}
