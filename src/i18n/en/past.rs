//! English texts of the view of a past moment.

use coordination::api::KnownBy;

use crate::i18n::messages::PastMessages;

pub(in crate::i18n) static PAST: PastMessages = PastMessages {
    title: "Past moment",
    at: |time| format!("Showing {time}"),
    limits: "Task files, approvals and terminal states have no record of the past and are left out.",
    to_present: "Back to now",
    calendar: "Calendar",
    compare: "Compare",
    compare_with: "Compare with",
    compare_now: "Now",
    compare_same: "Both moments are the same.",
    sessions_of: "Sessions",
    attention_of: "Waiting matters",
    sends_of: "Requests by outcome",
    categories_of: "Sessions by category",
    mean_reply: "Mean time to answer",
    compare_columns: ["Then", "Other", "Change"],
    month_before: "Previous month",
    month_after: "Next month",
    weekdays: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"],
    day: |day, events| format!("{day}, events: {events}"),
    previous: "Previous event",
    next: "Next event",
    play: "Play",
    pause: "Pause",
    speed_label: "Playback speed",
    speed: |speed| format!("{speed}×"),
    paused: |n| format!("Paused: {n} new {} a person", if n == 1 { "matter needs" } else { "matters need" }),
    scrubber: "Choose a time",
    known_by_label: "Show what was known by",
    known_by: |by| match by {
        KnownBy::Time => "Event time",
        KnownBy::Arrival => "Arrival",
    },
    before_first: |first| format!("Nothing was recorded yet at this moment. The first event was on {first}."),
    failed: "This moment could not be loaded.",
    unsupported: "This monitor cannot show past moments.",
    retry: "Try again",
    open: "View a past moment",
    also: "time machine history as of calendar",
    read_only: "The past cannot be changed. Go back to now first.",
};
