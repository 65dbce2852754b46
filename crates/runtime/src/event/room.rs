//! How much room an inbox has: what it holds, and what may give way.

use std::collections::BTreeSet;

use super::{Event, Id, State};

/// How many events an inbox holds. A sender that goes wild must not fill the disk.
pub const EVENTS_MAX: usize = 5_000;

#[derive(Debug, Default)]
pub(super) struct Room {
    held: usize,
    /// Those among them that are dealt with. Known without a look at the disk, since a full inbox is asked
    /// as often as a sender likes.
    acked: BTreeSet<Id>,
}

/// What a new event takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Free,
    /// That of this one, which is dealt with.
    Of(Id),
}

impl Room {
    pub(super) fn count(&mut self, event: &Event) {
        self.held += 1;
        if event.state == State::Acked {
            self.acked.insert(event.id);
        }
    }

    pub(super) fn acked(&mut self, id: Id) {
        self.acked.insert(id);
    }

    /// Where one more event could go; nowhere if as many as fit wait to be dealt with.
    pub(super) fn place(&self) -> Option<Place> {
        if self.held < EVENTS_MAX {
            return Some(Place::Free);
        }
        self.acked.first().copied().map(Place::Of)
    }

    /// The event is in its place.
    pub(super) fn take(&mut self, place: Place) {
        match place {
            Place::Free => self.held += 1,
            Place::Of(id) => drop(self.acked.remove(&id)),
        }
    }
}
