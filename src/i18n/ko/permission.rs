//! Korean texts of the page that answers a permission request.

use coordination::api::{DangerKind, ErrorCode, PermissionChannel, PermissionDecision, PermissionState};

use crate::i18n::messages::PermissionMessages;
use crate::i18n::{Particle, with_particle};

pub(in crate::i18n) static PERMISSION: PermissionMessages = PermissionMessages {
    title: "권한 요청",
    asks: |agent, tool| {
        format!("{} {} 쓰려고 합니다", with_particle(agent, Particle::Subject), with_particle(tool, Particle::Object))
    },
    command: "실행할 명령",
    file: "파일",
    old_text: "지울 내용",
    new_text: "넣을 내용",
    content: "쓸 내용",
    input: "입력",
    plan: "계획",
    folder: "폴더",
    description: "에이전트의 설명",
    heading: "제목",
    details: "설명",
    warning: "OpenClaw의 경고",
    host: "실행하는 곳",
    no_right: "무엇을 실행하는지는 답할 권한이 있는 사람에게만 보입니다.",
    dangers: "되돌리기 어려울 수 있습니다",
    danger: |kind| match kind {
        DangerKind::Deletes => "파일을 지우거나 덮어씀",
        DangerKind::RewritesHistory => "저장소의 기록이나 변경을 버림",
        DangerKind::DropsData => "데이터베이스의 데이터를 지움",
        DangerKind::Privileged => "관리자 권한으로 실행",
        DangerKind::RunsDownload => "내려받은 것을 바로 실행",
        DangerKind::Publishes => "바깥에 배포하거나 바깥의 것을 바꿈",
        DangerKind::System => "시스템을 바꿈",
        DangerKind::OutsideFolder => "작업 폴더 밖의 파일을 씀",
        DangerKind::HiddenCharacters => "보이지 않거나 다른 글자로 보이는 문자",
        DangerKind::Configured => "설정에서 정한 말",
        DangerKind::Unknown => "확인 필요",
    },
    story: "여기까지 온 과정",
    first_words: "처음 부탁한 말",
    last_words: "마지막에 한 말",
    chain: "맡긴 순서",
    delegated: "맡긴 일",
    last_message: "마지막 메시지",
    waiting: |count, names| format!("기다리는 에이전트 {count}명: {names}"),
    session: "세션",
    left: |secs| match secs {
        0 => "시간이 다 되었습니다".to_owned(),
        secs if secs >= 120 => format!("{}분 남음", secs / 60),
        secs => format!("{secs}초 남음"),
    },
    serial: "답하거나 시간이 끝날 때까지 터미널에는 질문이 뜨지 않습니다.",
    beside: "터미널에서도 함께 묻고 있습니다. 먼저 한 답이 적용됩니다.",
    beside_openclaw: "OpenClaw에서도 답할 수 있습니다. 먼저 한 답이 적용됩니다.",
    allow: "한 번 허용",
    allow_again: "확인했습니다, 허용",
    deny: "거절",
    deny_send: "거절 보내기",
    reason: "거절하는 이유 (선택)",
    reason_hint: "에이전트가 읽습니다",
    terminal: "터미널에서",
    sending: "보내는 중",
    state: |state| match state {
        PermissionState::Open => "답을 기다립니다",
        PermissionState::Answered => "답을 전했습니다",
        PermissionState::NotDelivered => "답이 전달되지 않았습니다",
        PermissionState::Expired => "시간이 지났습니다",
        PermissionState::Withdrawn => "요청이 끝났습니다",
        PermissionState::Terminal => "터미널에서 답했습니다",
        PermissionState::Elsewhere => "다른 곳에서 끝났습니다",
        PermissionState::Uncertain => "답이 전해졌는지 알 수 없습니다",
        PermissionState::Unknown => "알 수 없는 상태입니다",
    },
    state_why: |state, channel| match (state, channel) {
        (PermissionState::Expired, PermissionChannel::OpenClaw) => "OpenClaw가 자동으로 거절했습니다.",
        (PermissionState::Withdrawn, PermissionChannel::OpenClaw) => {
            "게이트웨이가 다시 시작되어 요청이 취소되었습니다."
        }
        (PermissionState::Elsewhere, _) => "이 페이지의 답은 적용되지 않았습니다. 먼저 한 답은 OpenClaw에 있습니다.",
        (PermissionState::Uncertain, _) => {
            "답을 보낸 뒤 연결이 끊겼습니다. 다시 보내지 않습니다. 결과는 OpenClaw에서 확인해 주세요."
        }
        (PermissionState::Answered, _) => "실제로 어떻게 되었는지는 에이전트의 다음 이벤트에 나옵니다.",
        (PermissionState::NotDelivered, _) => {
            "답하는 사이에 에이전트가 기다리기를 멈췄습니다. 아무것도 허용하거나 거절하지 않았습니다."
        }
        (PermissionState::Expired, _) => "이제 에이전트의 터미널에서만 답할 수 있습니다.",
        (PermissionState::Withdrawn, _) => "터미널에서 거절했거나, 중단했거나, 프로그램이 끝났습니다.",
        (PermissionState::Terminal, _) => "에이전트가 그 일을 이미 마쳤습니다.",
        (PermissionState::Open | PermissionState::Unknown, _) => "",
    },
    decided: |decision| match decision {
        PermissionDecision::Allow => "한 번 허용함",
        PermissionDecision::Deny => "거절함",
        PermissionDecision::Terminal => "터미널로 넘김",
    },
    decided_by: |name| format!("답한 사람: {name}"),
    missing: "이 권한 요청이 없습니다",
    missing_why: "이미 끝났거나 모니터를 다시 시작했습니다. 답은 저장해 두었다가 보내지 않습니다.",
    refusal: |code| match code {
        ErrorCode::MachineOffline => Some(
            "이 기기에 연결할 수 없거나 이 기기가 답을 받지 않습니다. 에이전트에게 보내지 않았습니다. 터미널에서 답해 주세요.",
        ),
        ErrorCode::DurabilityUncertain => Some(
            "답을 보낸 뒤 연결이 끊겼습니다. 다시 보내지 않습니다. 에이전트의 다음 이벤트에서 결과를 확인해 주세요.",
        ),
        ErrorCode::NotOffered => {
            Some("이 기기의 요청은 기기의 대시보드에서만 볼 수 있습니다. 에이전트에게 보내지 않았습니다.")
        }
        ErrorCode::Conflict => Some("요청이 그 사이에 끝났습니다. 에이전트에게는 아무것도 보내지 않았습니다."),
        ErrorCode::SourceUnavailable => {
            Some("게이트웨이가 답을 받지 않아 아무것도 바뀌지 않았습니다. OpenClaw에서 답해 주세요.")
        }
        ErrorCode::NotCommitted => Some("답을 기록하지 못해 보내지 않았습니다. 디스크를 확인해 주세요."),
        _ => None,
    },
};
