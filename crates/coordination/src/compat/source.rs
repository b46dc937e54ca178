//! Where the 1.x answers take events from: a list, or a log most of which is packed. They go through all events once and
//! note of each what they need; only those that are written out are asked for again.

use crate::event::Event;
use crate::hub::Log;

/// Events in the order of the log.
pub trait Source {
    /// Shows each with its number.
    fn each(&self, look: &mut dyn FnMut(u32, &Event));

    /// The event of this number.
    fn event(&self, number: u32) -> &Event;
}

impl Source for [Event] {
    fn each(&self, look: &mut dyn FnMut(u32, &Event)) {
        (0..).zip(self).for_each(|(number, event)| look(number, event));
    }

    fn event(&self, number: u32) -> &Event {
        &self[number as usize]
    }
}

impl Source for Log {
    fn each(&self, look: &mut dyn FnMut(u32, &Event)) {
        self.scan(look);
    }

    fn event(&self, number: u32) -> &Event {
        &self[number as usize]
    }
}
