//! What a document gets wrong, with the line where it does.

use std::fmt;

/// Beyond this many, further warnings repeat what the first ones say and only cost memory.
pub const MAX_WARNINGS: usize = 100;

/// One thing that could not be taken as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// A list that stops growing at [`MAX_WARNINGS`].
#[derive(Debug, Default)]
pub(crate) struct Warnings(Vec<Warning>);

impl Warnings {
    pub(crate) fn add(&mut self, line: usize, message: impl FnOnce() -> String) {
        if self.0.len() < MAX_WARNINGS {
            self.0.push(Warning { line, message: message() });
        }
    }

    pub(crate) fn extend(&mut self, warnings: impl IntoIterator<Item = Warning>) {
        let room = MAX_WARNINGS - self.0.len();
        self.0.extend(warnings.into_iter().take(room));
    }

    pub(crate) fn into_sorted(self) -> Vec<Warning> {
        let mut all = self.0;
        all.sort_by_key(|warning| warning.line);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_bounded() {
        let mut warnings = Warnings::default();
        for line in (1..=2 * MAX_WARNINGS).rev() {
            warnings.add(line, || "x".to_owned());
        }
        warnings.extend([Warning { line: 1, message: "y".to_owned() }]);
        let all = warnings.into_sorted();
        assert_eq!(all.len(), MAX_WARNINGS);
        assert!(all.is_sorted_by_key(|warning| warning.line));
        assert_eq!(all[0].to_string(), "line 101: x");
    }
}
