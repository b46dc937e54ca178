//! Message struct of the fleet page: one field per text. Each language is a value of it.

use coordination::api::FleetSourceState;

/// Messages of the page that shows several machines.
pub struct FleetMessages {
    pub machines: &'static str,
    pub sessions: &'static str,
    pub no_sessions: &'static str,
    /// Machines, those of them whose state is current, and active sessions.
    pub summary: fn(machines: usize, live: usize, active: u32) -> String,
    pub state: fn(FleetSourceState) -> &'static str,
    pub state_hint: fn(FleetSourceState) -> &'static str,
    /// State of a machine whose history is being read.
    pub starting_state: &'static str,
    /// Machines whose history is being read, separated by commas.
    pub starting: fn(names: &str) -> String,
    /// Machines that are not shown, separated by commas.
    pub beyond_limit: fn(limit: usize, names: &str) -> String,
    /// Of the connection to the servers.
    pub connecting: &'static str,
    pub lost: &'static str,
    /// Of this page; the time at which the state was read.
    pub old: fn(at: &str) -> String,
    /// Notices of one machine. `lasting` is a length such as `2분째`.
    pub stopped: fn(name: &str) -> String,
    pub silent: fn(name: &str, lasting: &str) -> String,
    pub never_seen: fn(name: &str) -> String,
    pub behind: fn(name: &str, size: &str) -> String,
    pub missing: fn(name: &str, size: &str) -> String,
    pub refused: fn(name: &str, messages: u64) -> String,
    pub incomplete: fn(name: &str) -> String,
    pub conflict: fn(name: &str) -> String,
    pub notices: &'static str,
    /// Machines to check that are not named.
    pub more_notices: fn(usize) -> String,
    /// Begins the line about what the servers keep of the logs.
    pub retention: &'static str,
    pub max_age: fn(&str) -> String,
    pub max_size: fn(&str) -> String,
    pub unlimited: &'static str,
    pub stored: fn(&str) -> String,
    /// The day of the oldest stored line.
    pub stored_since: fn(&str) -> String,
    pub last_seen: &'static str,
    pub not_yet: &'static str,
    pub version: &'static str,
    /// Lines that wait for a person.
    pub waiting: fn(u32) -> String,
    pub details: &'static str,
    pub id: &'static str,
    pub size: &'static str,
    pub size_behind: &'static str,
    pub texts: &'static str,
    /// By the word of the publisher; an unknown one is shown as written.
    pub text_level: fn(&str) -> &str,
    pub clock: &'static str,
    pub clock_ahead: fn(&str) -> String,
    pub clock_behind: fn(&str) -> String,
    pub holes: &'static str,
    /// A log is there from a time on.
    pub known_from: fn(at: &str) -> String,
    pub skipped: &'static str,
    pub refused_messages: &'static str,
    pub unread_messages: fn(u64) -> String,
    pub filter: &'static str,
    pub all: &'static str,
    /// Before the names of other machines that have a session of the same id.
    pub also_on: &'static str,
    pub unknown_machine: fn(&str) -> String,
    pub search: &'static str,
    /// Begins the word of a search that names a machine.
    pub host_operator: &'static str,
    pub search_hint: &'static str,
    pub search_now: &'static str,
    pub end_search: &'static str,
    pub found: fn(u32) -> String,
    pub nothing_found: &'static str,
    pub all_found: fn(&str) -> String,
    /// Nothing waits, on machines whose state is not known.
    pub unsure: &'static str,
    pub unsure_hint: &'static str,
    /// The list has only a part of all lines.
    pub more: &'static str,
    /// Tab of the drift of each machine.
    pub drift: &'static str,
    /// Of a list: its group of filters, and the field that narrows it.
    pub filters: &'static str,
    pub filter_text: &'static str,
    /// Rows on all pages of a list.
    pub rows: fn(count: &str) -> String,
    pub any_status: &'static str,
    pub any_role: &'static str,
    pub any_category: &'static str,
    pub any_agent: &'static str,
    /// The list could not be refreshed.
    pub list_old: &'static str,
    /// Machines whose history is being read, separated by commas.
    pub list_starting: fn(names: &str) -> String,
    /// No rows, on machines whose state is not known.
    pub list_unsure: &'static str,
    pub no_sessions_hint: &'static str,
    /// A machine without classified sessions.
    pub no_drift: &'static str,
    /// No machine is shown: none is known yet, their history is being read, or none has published.
    pub connecting_title: &'static str,
    pub connecting_text: &'static str,
    pub starting_title: &'static str,
    pub starting_text: &'static str,
    pub empty_title: &'static str,
    pub empty_text: &'static str,
}
