//! English texts of the page frame: top bar, navigation, connection state.

use crate::i18n::messages::ShellMessages;

pub(super) const SHELL: ShellMessages = ShellMessages {
    product: "Task Hub",
    product_part: "Conversations",
    skip: "Skip to content",
    nav: "Main menu",
    nav_phone: "Main menu (phone)",
    home: "Home",
    sessions: "Sessions",
    events: "Events",
    tasks: "Tasks",
    agents: "Agents",
    stores: "OpenClaw sessions",
    stores_short: "OpenClaw",
    search: "Search everything",
    settings: "Settings",
    palette: "Commands and search",
    language: "Language",
    shortcuts: "Shortcuts and terms",
    connection: "Connection",
    data_state: "State of the data",
    connecting: "Connecting",
    live: "Live",
    streaming: "Live",
    polling: "Polling",
    files: "Opened files",
    stale: "Stale",
    reconnecting: "Reconnecting",
    offline: "Offline",
    never_seen: "never seen",
    newest_event: "last event",
    no_event_yet: "no events",
    last_event: |at| format!("Last event {at}"),
    last_received: |at| format!("Last signal {at}"),
    stale_band: |age, at| format!("No news for {age}. Below is how it looked at {at}."),
    clock_band: |ahead| {
        format!(
            "The newest events are {ahead} ahead of the monitor's clock, so ages and statuses may be wrong. Check the clocks of the monitor's machine and of the machine that writes the log."
        )
    },
    refused_band: "You may not see this. Check that you are signed in, or ask the administrator.",
    offline_band: |attempt| match attempt {
        0 | 1 => "The monitor cannot be reached. Trying again shortly.".to_owned(),
        n => format!("The monitor cannot be reached. Trying again by itself (attempt {n})."),
    },
    check_now: "Try now",
    demo: "Demo data",
    demo_hint: "No OpenClaw home was found, so this shows a rehearsal. Everything in it is made up. To see a home of yours, start task-monitor up --home DIR.",
    compat: "1.x monitor",
    compat_hint: "Connected to an older monitor. Categories and grouping are worked out in this browser.",
    config: "Configuration",
    nothing_unread: "Nothing is unread",
    new_messages: |count| if count == 1 { "1 new message".to_owned() } else { format!("{count} new messages") },
};
