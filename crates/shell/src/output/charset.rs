//! Which characters a terminal shows for what a program writes: those same ones, or the lines and corners that the
//! VT100 has in place of small letters.

use std::borrow::Cow;

/// What is shown for `_` to `~` where lines are drawn.
const DRAWING: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽',
    '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

/// The two sets that a program can switch between with a control character, each as it has chosen it.
#[derive(Default)]
pub(super) struct Charsets {
    sets: [Set; 2],
    current: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Set {
    #[default]
    Text,
    Drawing,
}

impl Charsets {
    /// `ESC ( X` and `ESC ) X`: gives one of the two a set by the letter of its name.
    pub(super) fn choose(&mut self, which: usize, name: u8) {
        self.sets[which] = if name == b'0' { Set::Drawing } else { Set::Text };
    }

    /// Shift in and shift out: which of the two is in force.
    pub(super) fn switch(&mut self, which: usize) {
        self.current = which;
    }

    pub(super) fn shown<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.sets[self.current] {
            Set::Text => Cow::Borrowed(text),
            Set::Drawing => text.chars().map(drawn).collect(),
        }
    }

    pub(super) fn glyph(&self, glyph: char) -> char {
        match self.sets[self.current] {
            Set::Text => glyph,
            Set::Drawing => drawn(glyph),
        }
    }
}

fn drawn(glyph: char) -> char {
    let place = u32::from(glyph).checked_sub(u32::from('_'));
    place.and_then(|place| DRAWING.get(usize::try_from(place).ok()?)).copied().unwrap_or(glyph)
}
