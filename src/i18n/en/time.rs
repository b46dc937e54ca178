//! Times and durations in English.

use crate::i18n::messages::Time;

pub(super) const TIME: Time = Time {
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
