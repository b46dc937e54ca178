//! Message struct of the page frame: top bar, navigation, connection state. It has one field per text; each language
//! is a value of it.

/// Messages of the frame around every page.
pub struct ShellMessages {
    pub product: &'static str,
    pub product_part: &'static str,
    pub skip: &'static str,
    pub nav: &'static str,
    pub nav_phone: &'static str,
    pub home: &'static str,
    pub sessions: &'static str,
    pub events: &'static str,
    pub tasks: &'static str,
    pub agents: &'static str,
    pub stores: &'static str,
    /// On a phone's tab.
    pub stores_short: &'static str,
    pub search: &'static str,
    pub settings: &'static str,
    pub palette: &'static str,
    pub language: &'static str,
    pub shortcuts: &'static str,
    pub connection: &'static str,
    pub data_state: &'static str,
    pub connecting: &'static str,
    pub live: &'static str,
    pub streaming: &'static str,
    pub polling: &'static str,
    /// Opened files are shown instead of a monitor.
    pub files: &'static str,
    pub stale: &'static str,
    pub reconnecting: &'static str,
    pub offline: &'static str,
    pub never_seen: &'static str,
    /// Shown before the age of the newest event.
    pub newest_event: &'static str,
    pub no_event_yet: &'static str,
    pub last_event: fn(&str) -> String,
    pub last_received: fn(&str) -> String,
    pub stale_band: fn(age: &str, at: &str) -> String,
    /// The events are ahead of the monitor's clock by this much.
    pub clock_band: fn(ahead: &str) -> String,
    pub offline_band: fn(attempt: u32) -> String,
    pub refused_band: &'static str,
    pub check_now: &'static str,
    pub demo: &'static str,
    pub demo_hint: &'static str,
    pub compat: &'static str,
    pub compat_hint: &'static str,
    pub config: &'static str,
    pub nothing_unread: &'static str,
    pub new_messages: fn(u32) -> String,
}
