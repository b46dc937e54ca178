//! Event source of 1.x answers: a list, or a log with compressed parts. Answers pass over all events once, note what
//! they need, and request again only the events they print.

use crate::event::Event;
use crate::hub::Log;

/// Events in the order of the log.
pub trait OrderedEvents {
    /// Calls `look` with each event and its number.
    fn each(&self, look: &mut dyn FnMut(u32, &Event));

    /// The event of this number.
    fn event(&self, number: u32) -> &Event;
}

impl OrderedEvents for [Event] {
    fn each(&self, look: &mut dyn FnMut(u32, &Event)) {
        (0..).zip(self).for_each(|(number, event)| look(number, event));
    }

    fn event(&self, number: u32) -> &Event {
        &self[number as usize]
    }
}

impl OrderedEvents for Log {
    fn each(&self, look: &mut dyn FnMut(u32, &Event)) {
        self.scan(look);
    }

    fn event(&self, number: u32) -> &Event {
        &self[number as usize]
    }
}
