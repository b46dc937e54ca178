//! Korean texts of what changed since the last visit.

use coordination::api::{RecapKind, RecapOutcome};

use crate::i18n::messages::RecapMessages;
use crate::i18n::{Particle, with_particle};

pub(in crate::i18n) static RECAP: RecapMessages = RecapMessages {
    title: "자리를 비운 사이",
    since: |time| format!("{time} 이후"),
    look: "그때 모습 보기",
    dismiss: "확인했어요",
    kind: |kind| match kind {
        RecapKind::Blocked => "새로 막힘",
        RecapKind::Failed => "실패",
        RecapKind::Decided => "결정",
        RecapKind::Resolved => "해결",
        RecapKind::Slow => "오래 걸림",
        RecapKind::Quiet => "조용함",
        RecapKind::Unknown => "변화",
    },
    outcome: |outcome, agent, other, title, n| {
        let named = |text: &str| if title.is_empty() { text.to_owned() } else { format!("{text}: {title}") };
        let times = if n > 1 { format!(" {n}건") } else { String::new() };
        match outcome {
            RecapOutcome::NoReply => {
                format!("{} {agent}의 요청{times}에 답하지 않았습니다", with_particle(other, Particle::Subject))
            }
            RecapOutcome::Refused => {
                format!("{} {agent}의 요청{times}을 거절했습니다", with_particle(other, Particle::Subject))
            }
            RecapOutcome::NotStarted => {
                named(&format!("{} 맡긴 작업{times}이 시작되지 못했습니다", with_particle(agent, Particle::Subject)))
            }
            RecapOutcome::Abandoned => named(&format!("{agent}의 작업이 오래 멈춰 정리됐습니다")),
            RecapOutcome::Approved => named(&format!("{agent}의 작업이 승인됐습니다")),
            RecapOutcome::Cancelled => named(&format!("{agent}의 작업이 취소됐습니다")),
            RecapOutcome::Completed => named(&format!("{} 작업을 마쳤습니다", with_particle(agent, Particle::Subject))),
            RecapOutcome::Unblocked => named(&format!("{agent}의 막혔던 작업이 다시 진행됩니다")),
            RecapOutcome::Unknown => title.to_owned(),
        }
    },
    slow: |agent, took, usual| format!("{agent}의 답이 {took} 걸렸습니다 (보통 {usual})"),
    quiet: |agent| format!("{} 그동안 활동하지 않았습니다", with_particle(agent, Particle::Subject)),
    more: |n| format!("그 밖에 {n}건이 더 있습니다."),
    summary: |sessions, events| format!("그동안 협업 {sessions}건에서 이벤트 {events}건이 있었습니다."),
};
