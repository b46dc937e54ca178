//! Session lists in Korean.

use crate::i18n::messages::Sessions;

pub(in crate::i18n) static SESSIONS: Sessions = Sessions {
    all_hint: "카테고리 구분 없이 모든 협업",
    categories: "카테고리",
    view: "보기",
    latest: "최신순",
    by_category: "카테고리별",
    filters: "거르기",
    status: "상태",
    any_agent: "에이전트",
    any_tag: "태그",
    any_time: "기간",
    text: |q| format!("“{q}”"),
    list: "세션 목록",
    new_activity: |n| format!("새 활동 {n}"),
    new_mark: "새 활동",
    others: |n| format!("외 {n}"),
    participants: "참여 에이전트",
    waiting: |n| format!("기다림 {n}"),
    no_reply: |n| format!("응답 없음 {n}"),
    blocked: |n| format!("차단됨 {n}"),
    no_trace: |n| format!("응답 없음 {n}(추정)"),
    person: "사람",
    events_only: |n| format!("이벤트 {n}"),
    filter_empty: "조건에 맞는 세션이 없습니다",
    filter_empty_text: |category, total| match total {
        0 => format!("{category}에는 아직 세션이 없습니다."),
        n => format!("{category}에는 세션이 {n}개 있습니다. 조건을 지우면 보입니다."),
    },
    category_empty: |category| format!("{category} 세션이 아직 없습니다"),
    category_empty_text: "이 종류의 협업이 시작되면 여기에 나타납니다.",
    load_more: |n| format!("{n}개 더 보기"),
};
