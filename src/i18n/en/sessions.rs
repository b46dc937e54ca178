//! Session lists in English.

use crate::i18n::messages::Sessions;

pub(in crate::i18n) static SESSIONS: Sessions = Sessions {
    all_hint: "Every collaboration, across categories",
    categories: "Categories",
    view: "View",
    latest: "Newest",
    by_category: "By category",
    filters: "Filters",
    status: "Status",
    any_agent: "Agent",
    any_tag: "Tag",
    any_time: "Period",
    text: |q| format!("“{q}”"),
    list: "Sessions",
    new_activity: |n| format!("{n} new"),
    new_mark: "new activity",
    others: |n| format!("+{n}"),
    participants: "Participants",
    waiting: |n| format!("{n} waiting"),
    no_reply: |n| format!("{n} no reply"),
    blocked: |n| format!("{n} blocked"),
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
    category_empty_text: "They appear here once such a collaboration starts.",
    load_more: |n| format!("Show {n} more"),
};
