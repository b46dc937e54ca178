//! Korean texts of the tree of waiting agents.

use coordination::api::WaitKind;

use crate::i18n::messages::WaitTreeMessages;

pub(in crate::i18n) static WAITS: WaitTreeMessages = WaitTreeMessages {
    title: "기다리는 에이전트",
    nobody: "이제 기다리는 에이전트가 없습니다.",
    failed: "기다리는 에이전트를 불러오지 못했습니다.",
    root: "병목",
    deadlock: "교착",
    kind: |kind| match kind {
        WaitKind::Reply => "답을 기다림",
        WaitKind::NoReply => "답을 못 받음",
        WaitKind::Refused => "요청이 거절됨",
        WaitKind::Task => "작업이 막힘",
        WaitKind::Unknown => "기다림",
    },
    queue: |place| format!("대기열 {place}번째"),
    times: |n| format!("모두 {n}건"),
    also: |names| format!("{names}도 기다림"),
    elsewhere: |n| format!("이 밖에도 {n}건을 기다림"),
    more: |n| format!("그 밖에 {n}명"),
};
