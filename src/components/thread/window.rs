//! Page sizes of a thread, and the rule that decides when the next page is loaded. All loaded messages are drawn, so the
//! rule uses real heights and no estimates. Loading beyond the limit drops messages at the other end.

use coordination::view::{MAX_LOADED, StreamEnd};

/// Messages of the first page, and of the newest one when it is refetched.
pub const FIRST_PAGE_MESSAGES: u32 = 80;
/// Messages of each page that joins at an end: few, because all of a page is drawn in one task.
pub const PAGE_MESSAGES: u32 = 12;
/// More is fetched when less than this many views are left ahead.
const PREFETCH_VIEWS: f64 = 1.5;

/// Where the user is, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reach {
    /// Drawn above the view.
    pub above: f64,
    /// Drawn below the view.
    pub below: f64,
    /// The height of the view.
    pub view: f64,
}

/// At which end more is needed now. `heading` is where the user last went: only there may what is held be exchanged,
/// or two ends would take turns for ever. Before the user moved, both ends may fill up, as long as nothing has to go.
pub fn wanted(
    reach: Reach,
    heading: Option<StreamEnd>,
    held: usize,
    has_more: impl Fn(StreamEnd) -> bool,
) -> Option<StreamEnd> {
    let is_near = |end: &StreamEnd| {
        let left = if *end == StreamEnd::Older { reach.above } else { reach.below };
        left < reach.view * PREFETCH_VIEWS
    };
    let may =
        |end: &StreamEnd| heading == Some(*end) || (heading.is_none() && held + PAGE_MESSAGES as usize <= MAX_LOADED);
    [StreamEnd::Newer, StreamEnd::Older].into_iter().find(|end| has_more(*end) && is_near(end) && may(end))
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
