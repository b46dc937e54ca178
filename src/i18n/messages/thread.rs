//! Words of the thread pages.

/// Words of the thread pages.
pub struct Thread {
    /// Title of the page.
    pub title: &'static str,
}
