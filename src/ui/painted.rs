//! Scheduler for work that can wait until the browser has painted the next frame.

use std::time::Duration;

use leptos::prelude::*;

/// Runs `work` once the browser has painted the current page: in a task of its own after the next frame.
pub fn after_paint(work: impl FnOnce() + 'static) {
    request_animation_frame(move || set_timeout(work, Duration::ZERO));
}
