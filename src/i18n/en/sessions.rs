//! English texts of the session lists.

use coordination::api::DeliveryFilter;

use crate::i18n::messages::SessionsMessages;

pub(in crate::i18n) static SESSIONS: SessionsMessages = SessionsMessages {
    all_hint: "Every session, across categories",
    categories: "Categories",
    view: "View",
    latest: "Newest",
    by_category: "By category",
    filters: "Filters",
    status: "Status",
    any_agent: "Agent",
    any_tag: "Tag",
    any_time: "Period",
    pick_days: "Pick days",
    first_day: "From",
    last_day: "To",
    also_with: "Together with",
    any_delivery: "Replies",
    any_resolved: "Resolved or not",
    is_resolved: "Resolved",
    is_unresolved: "Not resolved",
    delivery: |filter| match filter {
        DeliveryFilter::Blocked => "Refused requests",
        DeliveryFilter::Unanswered => "Unanswered requests",
        DeliveryFilter::Waiting => "Waiting for an answer",
    },
    text: |q| format!("“{q}”"),
    list: "Sessions",
    new_activity: |n| format!("{n} new"),
    others: |n| format!("+{n}"),
    participants: "Participants",
    waiting: |n| format!("{n} waiting"),
    no_reply: |n| format!("{n} no reply"),
    blocked: |n| format!("{n} refused"),
    no_trace: |n| format!("{n} no reply (inferred)"),
    person: "Person",
    events_only: |n| if n == 1 { "1 event".to_owned() } else { format!("{n} events") },
    filter_empty: "No session matches",
    filter_empty_text: |category, total| match total {
        0 => format!("There are no sessions in {category} yet."),
        1 => format!("There is 1 session in {category}. Clear the filters to see it."),
        n => format!("There are {n} sessions in {category}. Clear the filters to see them."),
    },
    category_empty: |category| format!("No {category} sessions yet"),
    category_empty_text: "They appear here once such a session starts.",
    category_unknown: "There is no such category",
    category_unknown_text: "The address may be cut off or an old link. There are ten categories.",
    to_all: "All sessions",
    search_all: "Search everywhere",
    found_in: "Open the message found",
    load_more: |n| format!("Show {n} more"),
    unread: "Unread",
    with_secondary: "Include secondary",
    with_secondary_hint: "Also show sessions that have this as a secondary category",
    secondary: "Secondary categories",
    unread_empty: "Nothing is unread",
    unread_empty_text: "New messages appear here. What you have read is kept in this browser only.",
    see_all: |n| format!("See all {n} sessions"),
    pinned: "Pinned",
    pin: "Pin to the top",
    unpin: "Unpin",
    pinned_done: "The session is pinned to the top",
    unpinned_done: "The pin is off",
    pins_full: "Twelve sessions can be pinned. Take one off first.",
    mark_read: "Mark as read",
    card_menu: "Session menu",
    choose: "Select",
    unchoose: "Take out of the selection",
    choose_card: |title| format!("Select “{title}”"),
    choose_none: "Clear selection",
    chosen_ones: "Selected sessions",
    chosen: |n| format!("{n} selected"),
    chosen_full: |most| format!("Up to {most} sessions can be selected at once"),
    return_many: "Return to automatic",
    choose_for: |n| {
        if n == 1 {
            "Category of the selected session".to_owned()
        } else {
            format!("Category of {n} selected sessions")
        }
    },
    many_saved: |n, category| format!("{} now in “{category}”", sessions(n)),
    many_returned: |n| format!("{} returned to automatic", sessions(n)),
    many_undone: |n| format!("Category of {} changed back", sessions(n)),
    many_unchanged: "They are so already; nothing was changed",
    many_failed: |n| format!("{} not changed", sessions(n)),
    many_failed_all: "No category was changed",
    refused_one: |title, why| format!("“{title}” ({why})"),
    refused_changed: |name, category| format!("{name} changed it to “{category}” meanwhile"),
    refused_returned: "somebody returned it to automatic meanwhile",
    refused_missing: "not in the log",
    continues: "Continues a session",
};

fn sessions(n: usize) -> String {
    if n == 1 { "1 session".to_owned() } else { format!("{n} sessions") }
}
