//! Event source of the REST 1.x test oracle: a list of events, or the hub's log. A query scans all events once, notes
//! the indices of the matches, and reads only the events of its answer again. So it never holds all events of the hub's
//! log, whose old lines are compressed.

use coordination::event::Event;
use coordination::hub::Log;

/// Events in the order of the log.
pub(crate) trait ScratchLog {
    /// Calls `look` with each event and its number.
    fn each(&self, look: &mut dyn FnMut(u32, &Event));

    /// The event of this number.
    fn event(&self, number: u32) -> &Event;
}

impl ScratchLog for [Event] {
    fn each(&self, look: &mut dyn FnMut(u32, &Event)) {
        (0..).zip(self).for_each(|(number, event)| look(number, event));
    }

    fn event(&self, number: u32) -> &Event {
        &self[number as usize]
    }
}

impl ScratchLog for Log {
    fn each(&self, look: &mut dyn FnMut(u32, &Event)) {
        self.scan(look);
    }

    fn event(&self, number: u32) -> &Event {
        &self[number as usize]
    }
}
