//! Korean texts of times and durations.

use crate::i18n::messages::TimeMessages;

pub(super) const TIME: TimeMessages = TimeMessages {
    just_now: "방금",
    today: "오늘",
    yesterday: "어제",
    days: |n| format!("{n}일"),
    hours: |n| format!("{n}시간"),
    minutes: |n| format!("{n}분"),
    seconds: |n| format!("{n}초"),
    lasting: |length| format!("{length}째"),
    unknown: "시각 모름",
};
