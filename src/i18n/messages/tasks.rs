//! Words of the tasks pages.

/// Words of the tasks pages.
pub struct Tasks {
    /// Title of the page.
    pub title: &'static str,
}
