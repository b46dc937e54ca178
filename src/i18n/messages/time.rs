//! Message struct of times and durations: one field per text. Each language is a value of it.

/// Messages of times and durations.
pub struct TimeMessages {
    pub just_now: &'static str,
    pub today: &'static str,
    pub yesterday: &'static str,
    pub days: fn(i64) -> String,
    pub hours: fn(i64) -> String,
    pub minutes: fn(i64) -> String,
    pub seconds: fn(i64) -> String,
    /// `38분째`
    pub lasting: fn(&str) -> String,
    /// A time the log does not give.
    pub unknown: &'static str,
}
