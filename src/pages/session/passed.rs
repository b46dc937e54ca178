//! Read mark of a thread. It advances to the last message that was in view while the page was visible.

use coordination::view::LoadedRange;
use leptos::prelude::*;

use super::thread_state::ThreadState;
use crate::state::{ReadMarks, ThreadMark, use_reading};

/// Notes it wherever the user goes.
pub(super) fn follow_passed(thread: ThreadState) {
    let reading = use_reading();
    // A user who returns to the tab sees the messages that arrived meanwhile.
    let shown = window_event_listener_untyped("visibilitychange", move |_| {
        thread.keeper.moved.try_update(|count| *count += 1);
    });
    on_cleanup(move || shown.remove());
    // Where the user is, only the browser knows.
    Effect::new(move |_| {
        thread.keeper.moved.track();
        note_passed(thread, reading);
    });
}

fn note_passed(thread: ThreadState, reading: ReadMarks) {
    if document().visibility_state() != web_sys::VisibilityState::Visible {
        return;
    }
    let Some(last) = thread.keeper.last_read() else { return };
    let seen = thread.loaded.with_untracked(|(of, loaded)| {
        let place = loaded.place(&last)?;
        let mark = ThreadMark { count: (loaded.offset + place + 1) as u32, at: loaded.messages[place].at, last };
        Some((of.clone()?, mark))
    });
    let Some(((session, of), mark)) = seen else { return };
    if mark.count > thread.passed.get_untracked() {
        thread.passed.set(mark.count);
    }
    reading.saw(&session, &of, mark);
}
