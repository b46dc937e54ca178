//! Trait of the part of a long list that the browser has loaded: messages of a thread, or of the timeline of a session.
//! The monitor's answers are added at both ends. Above [`MAX_LOADED`] items, items are dropped at the end that is
//! further from the visible ones.

use crate::ids::EventId;

/// Items loaded and drawn at most, whatever the list holds.
pub const MAX_LOADED: usize = 120;

/// An end of the loaded range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// Its oldest item.
    Older,
    /// Its newest item.
    Newer,
}

impl StreamEnd {
    /// The opposite one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Older => Self::Newer,
            Self::Newer => Self::Older,
        }
    }
}

/// An unbroken run, oldest first, never more than [`MAX_LOADED`] items after a page was merged.
pub trait LoadedRange: Sized {
    /// What the monitor answers.
    type Page;

    /// A first page.
    fn from_page(page: &Self::Page) -> Self;

    /// How many items are held.
    fn count(&self) -> usize;

    /// The item at a place.
    fn id_at(&self, place: usize) -> Option<&EventId>;

    /// Position of an item.
    fn place(&self, id: &EventId) -> Option<usize>;

    /// The mark of the page beyond an end, if there is one.
    fn mark(&self, end: StreamEnd) -> Option<&String>;

    /// Puts a later run behind: what both hold is as the later one has it.
    fn join(&mut self, later: Self);

    /// Drops this many of the oldest.
    fn drop_oldest(&mut self, number: usize);

    /// Drops this many of the newest.
    fn drop_newest(&mut self, number: usize);

    /// Puts the page that adjoins an end there; the other end gives way.
    fn take(&mut self, page: &Self::Page, end: StreamEnd) {
        let page = Self::from_page(page);
        match end {
            StreamEnd::Older => {
                let newer = std::mem::replace(self, page);
                self.join(newer);
            }
            StreamEnd::Newer => self.join(page),
        }
        self.trim(end.other());
    }

    /// Takes in the newest page as it is now. `keep` is the end the user is near. Without an overlap (more arrived
    /// than one page holds) only the newest page stays: a hole must never look like silence.
    fn refresh(&mut self, page: &Self::Page, keep: StreamEnd) {
        let page = Self::from_page(page);
        if page.id_at(0).is_some_and(|first| self.place(first).is_some()) {
            self.join(page);
            self.trim(keep.other());
        } else {
            *self = page;
        }
    }

    /// Merges a page that has the held part in its middle. Without both ends of the held part nothing is known.
    fn renew(&mut self, page: &Self::Page) {
        let Some(last) = self.count().checked_sub(1) else { return };
        let mut now = Self::from_page(page);
        let new_place = |place| self.id_at(place).and_then(|id| now.place(id));
        let (Some(from), Some(to)) = (new_place(0), new_place(last)) else { return };
        now.drop_newest(now.count().saturating_sub(to + 1));
        now.drop_oldest(from);
        *self = now;
        self.trim(StreamEnd::Newer);
    }

    /// Gives up what is too much, at this end.
    fn trim(&mut self, end: StreamEnd) {
        let surplus = self.count().saturating_sub(MAX_LOADED);
        match end {
            StreamEnd::Older => self.drop_oldest(surplus),
            StreamEnd::Newer => self.drop_newest(surplus),
        }
    }
}
