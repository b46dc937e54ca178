//! Iterator over several sorted event lists (such as one for each event type) as one list, newest first. The query of
//! the event list reads from it until a page is full.

use crate::hub::Hub;

/// Merges lists without common events, newest first.
pub(super) struct Newest<'a> {
    hub: &'a Hub,
    /// Rest of each list; none is empty.
    lists: Vec<&'a [u32]>,
}

impl<'a> Newest<'a> {
    pub(super) fn new(hub: &'a Hub, mut lists: Vec<&'a [u32]>) -> Self {
        lists.retain(|list| !list.is_empty());
        Self { hub, lists }
    }
}

impl Iterator for Newest<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let events = self.hub.events();
        let last = |list: &[u32]| list.last().copied().unwrap_or_default();
        let newest = match self.lists.len() {
            1 => 0,
            several => (0..several).max_by(|a, b| events.order(last(self.lists[*a]), last(self.lists[*b])))?,
        };
        let (event, left) = self.lists.get(newest)?.split_last()?;
        match left.is_empty() {
            true => drop(self.lists.swap_remove(newest)),
            false => self.lists[newest] = left,
        }
        Some(*event)
    }
}
