//! Where a template ends before it is done, and how its reader learns of it.

/// Turns of all loops together: nested loops over a large answer would otherwise take for ever.
pub(super) const TURNS_MAX: usize = 20_000;
/// No answer is larger, so no output needs to be.
pub(super) const OUTPUT_MAX: usize = 8 * 1024 * 1024;

/// What was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    Loop,
    Output,
}

impl Cut {
    pub(super) fn warning(self) -> &'static str {
        match self {
            Self::Loop => "the loop takes too many turns and was cut",
            Self::Output => "the output is too long and was cut",
        }
    }

    /// The line at the end of the reply: what stands before it, and what was stored, looks whole.
    pub(super) fn note(self) -> String {
        match self {
            Self::Loop => {
                format!(
                    "… cut after {TURNS_MAX} turns of loops: the other items are neither shown nor stored"
                )
            }
            Self::Output => format!("… cut after {} MB of output", OUTPUT_MAX / 1024 / 1024),
        }
    }
}
