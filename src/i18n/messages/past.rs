//! Message struct of the view of a past moment: one field per text. Each language is a value of it.

use coordination::api::KnownBy;

/// Messages of the view of a past moment.
pub struct PastMessages {
    pub title: &'static str,
    /// Which moment is shown.
    pub at: fn(time: &str) -> String,
    /// What is not known of the past.
    pub limits: &'static str,
    pub to_present: &'static str,
    pub calendar: &'static str,
    pub compare: &'static str,
    pub compare_with: &'static str,
    pub compare_now: &'static str,
    /// Headings of the table: what, then, the other moment, and by how much it differs.
    pub compare_columns: [&'static str; 3],
    pub compare_same: &'static str,
    /// Headings of two sessions.
    pub compare_pair: [&'static str; 2],
    pub compare_sessions: &'static str,
    pub compare_choose: &'static str,
    pub compare_none: &'static str,
    pub compare_search: &'static str,
    pub compare_another: &'static str,
    pub compare_same_sessions: &'static str,
    pub compare_status: &'static str,
    pub compare_category: &'static str,
    pub compare_duration: &'static str,
    pub compare_start: &'static str,
    pub compare_messages: &'static str,
    pub compare_threads: &'static str,
    pub compare_delegations: &'static str,
    pub compare_events: &'static str,
    pub compare_kind: &'static str,
    pub compare_times: &'static str,
    pub compare_sizes: &'static str,
    pub compare_tasks: &'static str,
    pub compare_agents: &'static str,
    pub compare_only: &'static str,
    pub sessions_of: &'static str,
    pub attention_of: &'static str,
    pub sends_of: &'static str,
    pub categories_of: &'static str,
    pub mean_reply: &'static str,
    pub month_before: &'static str,
    pub month_after: &'static str,
    pub weekdays: [&'static str; 7],
    /// A day with its number of events.
    pub day: fn(day: &str, events: &str) -> String,
    pub previous: &'static str,
    pub next: &'static str,
    pub play: &'static str,
    pub pause: &'static str,
    pub speed_label: &'static str,
    pub speed: fn(u32) -> String,
    /// Playback stopped because so much needs a person.
    pub paused: fn(usize) -> String,
    pub scrubber: &'static str,
    pub known_by_label: &'static str,
    pub known_by: fn(KnownBy) -> &'static str,
    pub before_first: fn(first: &str) -> String,
    /// The moment in the address is no time, or is still to come.
    pub no_time: fn(text: &str) -> String,
    pub future: fn(time: &str) -> String,
    pub failed: &'static str,
    pub unsupported: &'static str,
    pub retry: &'static str,
    /// The command that leads to the past.
    pub open: &'static str,
    pub also: &'static str,
    /// Why nothing can be changed.
    pub read_only: &'static str,
}
