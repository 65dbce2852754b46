//! A part of the record: bytes that are replaced or grow, and that a kill at any moment leaves as they were before or
//! as they are after.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::{FallocateFlags, fallocate};

/// What fits into a page is written in one call, which a kill does not cut in two.
const PAGE: usize = 4096;
/// A part begins with a word: how many bytes there are, and where.
const WORD: usize = size_of::<u64>();
/// How many bytes follow the word.
pub(super) const INLINE_MAX: usize = PAGE - WORD;
/// More is written to one of two places, whichever is free, before the word says so.
const SPILL: u64 = 1 << 36;
/// No part is longer: a word that says so was not written by us.
const LENGTH_MAX: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Where it begins; what is not used takes no memory.
    pub(super) at: u64,
}

/// Where the bytes of a part are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Inline,
    First,
    Second,
}

impl Part {
    pub(super) fn read(self, file: &File) -> io::Result<Vec<u8>> {
        let (place, length) = self.word(file)?;
        // Nothing that is not there takes memory, whatever the word says.
        let known = file.metadata()?.len().saturating_sub(self.start(place));
        if length > LENGTH_MAX || length as u64 > known {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, self.start(place))?;
        Ok(bytes)
    }

    /// Whether what is there, if anything, fits into its first page.
    pub(super) fn is_short(self, file: &File) -> bool {
        self.word(file).map_or(true, |(place, _)| place == Place::Inline)
    }

    /// Replaces something short by something short.
    pub(super) fn replace_short(self, file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all_at(&[&word(Place::Inline, bytes.len()), bytes].concat(), self.at)
    }

    pub(super) fn replace(self, file: &File, bytes: &[u8]) -> io::Result<()> {
        let (before, _) = self.word(file).unwrap_or((Place::Inline, 0));
        if bytes.len() <= INLINE_MAX {
            self.replace_short(file, bytes)?;
        } else {
            let place = if before == Place::First { Place::Second } else { Place::First };
            file.write_all_at(bytes, self.start(place))?;
            file.write_all_at(&word(place, bytes.len()), self.at)?;
        }
        self.give_back(file, before)
    }

    /// Adds to what is there.
    pub(super) fn append(self, file: &File, bytes: &[u8]) -> io::Result<()> {
        let (place, length) = self.word(file).unwrap_or((Place::Inline, 0));
        if place == Place::Inline {
            let known = if length == 0 { Vec::new() } else { self.read(file)? };
            return self.replace(file, &[&known, bytes].concat());
        }
        file.write_all_at(bytes, self.start(place) + length as u64)?;
        file.write_all_at(&word(place, length + bytes.len()), self.at)
    }

    /// The memory of a long text that nobody needs any more.
    fn give_back(self, file: &File, place: Place) -> io::Result<()> {
        if place == Place::Inline {
            return Ok(());
        }
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(file, flags, self.start(place), LENGTH_MAX as u64)?)
    }

    fn word(self, file: &File) -> io::Result<(Place, usize)> {
        let mut bytes = [0; WORD];
        file.read_exact_at(&mut bytes, self.at)?;
        let word = u64::from_le_bytes(bytes);
        let place = match word >> 62 {
            0 => Place::Inline,
            1 => Place::First,
            _ => Place::Second,
        };
        let length = word & ((1 << 62) - 1);
        Ok((place, usize::try_from(length).map_err(io::Error::other)?))
    }

    fn start(self, place: Place) -> u64 {
        match place {
            Place::Inline => self.at + WORD as u64,
            Place::First => self.at + SPILL,
            Place::Second => self.at + 2 * SPILL,
        }
    }
}

fn word(place: Place, length: usize) -> [u8; WORD] {
    let place: u64 = match place {
        Place::Inline => 0,
        Place::First => 1,
        Place::Second => 2,
    };
    (place << 62 | length as u64).to_le_bytes()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests {
    use proptest::prelude::*;
    use rustix::fs::{MemfdFlags, memfd_create};

    use super::*;

    const PART: Part = Part { at: 1 << 40 };

    fn memory() -> File {
        memfd_create("test", MemfdFlags::CLOEXEC).unwrap().into()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(steps in prop::collection::vec((any::<bool>(), 0_usize..9_000, any::<u8>()), 1..12)) {
            let file = memory();
            let mut expected = Vec::new();
            for (replaces, length, byte) in steps {
                let bytes = vec![byte; length];
                if replaces {
                    expected.clear();
                    PART.replace(&file, &bytes).unwrap();
                } else {
                    PART.append(&file, &bytes).unwrap();
                }
                expected.extend(bytes);
                prop_assert_eq!(&PART.read(&file).unwrap(), &expected);
            }
        }
    }

    #[test]
    fn a_word_of_nonsense_takes_no_memory() {
        let file = memory();
        file.set_len(1 << 62).unwrap();
        for word in [u64::MAX, 1 << 46, 1 << 62 | 1 << 46, 2 << 62 | 1 << 20] {
            file.write_all_at(&word.to_le_bytes(), PART.at).unwrap();
            assert!(PART.read(&file).unwrap().len() <= 1 << 20);
        }
    }

    #[test]
    fn long_texts_leave_nothing_behind() {
        use std::os::unix::fs::MetadataExt;
        let file = memory();
        PART.append(&file, &vec![1; 1 << 20]).unwrap();
        PART.append(&file, &vec![1; 1 << 20]).unwrap();
        PART.replace(&file, b"").unwrap();
        assert!(file.metadata().unwrap().blocks() * 512 <= 2 * PAGE as u64);
    }
}
