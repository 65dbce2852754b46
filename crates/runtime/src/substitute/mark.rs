//! Marks: where a value came from, as far as trust goes. A mark stays with its value wherever that is copied.

use serde_json::Value;

/// What is known of where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// A page from the web chose the value, or a part of it.
    pub from_web: bool,
    /// An answer chose it, over HTTP or of a command, to an action or a script of this machine too.
    pub from_answer: bool,
    /// A value of the `$NAME` files is in it.
    pub secret: bool,
}

/// A value and its mark.
#[derive(Debug, Clone, PartialEq)]
pub struct Marked {
    pub value: Value,
    pub mark: Mark,
}

impl Mark {
    pub const NONE: Self = Self { from_web: false, from_answer: false, secret: false };
    pub const WEB: Self = Self { from_web: true, ..Self::NONE };
    pub const ANSWER: Self = Self { from_answer: true, ..Self::NONE };
    pub const SECRET: Self = Self { secret: true, ..Self::NONE };

    /// Neither a page from the web nor an answer chose it.
    pub fn is_own(self) -> bool {
        !self.from_web && !self.from_answer
    }

    /// The mark of what is made of both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            from_web: self.from_web || other.from_web,
            from_answer: self.from_answer || other.from_answer,
            secret: self.secret || other.secret,
        }
    }
}

impl FromIterator<Self> for Mark {
    fn from_iter<T: IntoIterator<Item = Self>>(marks: T) -> Self {
        marks.into_iter().fold(Self::default(), Self::with)
    }
}

impl Marked {
    #[must_use]
    pub fn with(self, mark: Mark) -> Self {
        Self { mark: self.mark.with(mark), ..self }
    }
}

/// What the caller wrote.
impl From<Value> for Marked {
    fn from(value: Value) -> Self {
        Self { value, mark: Mark::default() }
    }
}
