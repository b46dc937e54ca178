//! Korean texts of the view of a past moment.

use coordination::api::KnownBy;

use crate::i18n::messages::PastMessages;

pub(in crate::i18n) static PAST: PastMessages = PastMessages {
    title: "지난 시점",
    at: |time| format!("{time} 시점을 보고 있습니다"),
    limits: "작업 파일, 승인 요청, 터미널 상태는 과거 기록이 없어 빠져 있습니다.",
    to_present: "지금으로",
    calendar: "달력",
    compare: "비교",
    compare_with: "비교할 시점",
    compare_now: "지금",
    compare_same: "두 시점이 같습니다.",
    sessions_of: "협업 상태",
    attention_of: "기다리는 일",
    sends_of: "요청 결과",
    categories_of: "카테고리별 협업",
    mean_reply: "평균 답 시간",
    compare_columns: ["이 시점", "비교 시점", "차이"],
    month_before: "이전 달",
    month_after: "다음 달",
    weekdays: ["일", "월", "화", "수", "목", "금", "토"],
    day: |day, events| format!("{day}, 이벤트 {events}건"),
    previous: "이전 이벤트",
    next: "다음 이벤트",
    play: "재생",
    pause: "멈춤",
    speed_label: "재생 속도",
    speed: |speed| format!("{speed}배"),
    paused: |n| format!("사람이 필요한 일이 {n}건 생겨 재생을 멈췄습니다"),
    scrubber: "시각 고르기",
    known_by_label: "보여 줄 기준",
    known_by: |by| match by {
        KnownBy::Time => "일어난 시각",
        KnownBy::Arrival => "기록된 순서",
    },
    before_first: |first| format!("이 시점에는 아직 아무 기록이 없습니다. 첫 이벤트는 {first}입니다."),
    failed: "이 시점을 불러오지 못했습니다.",
    unsupported: "이 모니터는 지난 시점을 보여 주지 못합니다.",
    retry: "다시 시도",
    open: "지난 시점 보기",
    also: "과거 타임머신 되돌려 보기 달력",
    read_only: "지난 시점에서는 바꿀 수 없습니다. 지금으로 돌아와서 바꿔 주세요.",
};
