//! English texts of times and durations.

use crate::i18n::messages::TimeMessages;

pub(super) const TIME: TimeMessages = TimeMessages {
    just_now: "just now",
    today: "Today",
    yesterday: "Yesterday",
    days: |n| format!("{n} d"),
    hours: |n| format!("{n} h"),
    minutes: |n| format!("{n} min"),
    seconds: |n| format!("{n} s"),
    lasting: |length| format!("for {length}"),
    unknown: "time unknown",
};
