//! Words of the events pages.

/// Words of the events pages.
pub struct Events {
    /// Title of the page.
    pub title: &'static str,
}
