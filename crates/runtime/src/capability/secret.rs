//! What the holder of a capability shows: its id and a secret, of which only a hash is kept.

use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use ulid::Ulid;

use super::Id;
use crate::error::Result;
use crate::token::{digits, random_digits};

/// 192 random bits: nobody guesses them, so a plain hash of them gives nothing away.
const BYTES: usize = 24;

/// `cap_…_…`: id and secret. It is shown once, and never printed by accident.
pub struct Token {
    id: Id,
    secret: Box<str>,
}

/// What is kept of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hash(Box<str>);

impl Token {
    pub(super) fn generate() -> Result<Self> {
        Ok(Self { id: Id(Ulid::generate()), secret: random_digits(BYTES)?.into() })
    }

    /// Reads what a caller shows. Anything that no token can be is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.rsplit_once('_')?;
        let whole = secret.len() == 2 * BYTES;
        whole.then_some(())?;
        Some(Self { id: Id::parse(id).ok()?, secret: secret.into() })
    }

    pub(super) fn id(&self) -> Id {
        self.id
    }

    pub(super) fn hash(&self) -> Hash {
        Hash(digits(&Sha256::digest(self.secret.as_bytes())).into())
    }

    /// The text itself, for the one reply that shows it.
    pub fn reveal(&self) -> String {
        format!("{}_{}", self.id, self.secret)
    }
}

impl Hash {
    pub(super) fn from_text(text: &str) -> Self {
        Self(text.into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares without telling by the time it takes how much was right.
    pub(super) fn matches(&self, token: &Token) -> bool {
        self.0.as_bytes().ct_eq(token.hash().0.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({}, …)", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_what_it_was_made_for_and_nothing_else() {
        let (one, other) = (Token::generate().unwrap(), Token::generate().unwrap());
        let shown = one.reveal();
        let read = Token::parse(&shown).unwrap();
        assert_eq!(read.id(), one.id());
        assert!(one.hash().matches(&read) && !one.hash().matches(&other));
        assert!(!one.hash().as_str().contains(&*one.secret));
        assert!(!format!("{one:?}").contains(&*one.secret), "{one:?}");
        let mut off = shown.clone().into_bytes();
        let last = off.len() - 1;
        off[last] = if off[last] == b'0' { b'1' } else { b'0' };
        let off = Token::parse(&String::from_utf8(off).unwrap()).unwrap();
        assert!(!one.hash().matches(&off));
        for wrong in ["", "_", &one.id().to_string(), &shown[1..], &shown[..shown.len() - 1], "cap_x_00"] {
            assert!(Token::parse(wrong).is_none(), "{wrong}");
        }
    }
}
