//! Korean texts of the dialog that sends messages to agents.

use coordination::api::{Delivered, ErrorCode, SpeakState};

use crate::i18n::messages::SpeakMessages;

pub(in crate::i18n) static SPEAK: SpeakMessages = SpeakMessages {
    act: "메시지 보내기",
    act_to: |name| format!("{name}에게 메시지 보내기"),
    intervene: "개입하기",
    title: "에이전트에게 메시지 보내기",
    off_hint: "에이전트에게 메시지 보내기가 꺼져 있습니다.",
    off_how: "켜는 방법",
    off_title: "메시지 보내기가 꺼져 있습니다",
    off_why: "모니터에 게이트웨이 주소와 토큰을 적어 주면 켜집니다. 토큰은 모니터 안에만 있고 브라우저로 오지 않습니다.",
    monitor_settings: "모니터 설정 파일",
    monitor_settings_why: "이 컴퓨터에서 도는 게이트웨이의 주소와, 그 토큰(gateway.auth.token)만 담은 파일입니다. 환경 변수 TASK_MONITOR_GATEWAY_URL, TASK_MONITOR_GATEWAY_TOKEN으로 적어도 됩니다.",
    gateway_settings: "게이트웨이 설정 (openclaw.json)",
    gateway_settings_why: "HTTP로 메시지를 보내는 일과 다른 에이전트에게 말을 거는 일은 처음에 막혀 있습니다. 아래를 더하고 게이트웨이를 다시 켜 주세요. tools.agentToAgent.allow가 있으면 받는 에이전트도 그 목록에 있어야 합니다.",
    copy_settings: "설정 복사",
    to: "받는 에이전트",
    text: "보낼 내용",
    text_hint: "예: staging을 먼저 확인해 주세요",
    too_long: |over| format!("{over}자를 줄여 주세요."),
    wait: |secs| format!("답을 최대 {secs}초 기다리기"),
    name: "이름 (선택)",
    name_hint: "보낸 기록에 남습니다",
    check: "보내기 전에 확인",
    sure: |name| format!("{name}에게 이렇게 보냅니다"),
    sure_why: "보낸 뒤에는 되돌릴 수 없습니다. 사람이 보냈다는 표시가 앞에 붙고, 에이전트가 바로 일을 시작할 수 있습니다.",
    edit: "고치기",
    send: "보내기",
    sending: "보내는 중",
    sending_wait: |secs| format!("답을 최대 {secs}초 기다립니다."),
    sending_close: "창을 닫아도 계속 보내고, 결과를 알려 드립니다.",
    state: |state| match state {
        SpeakState::Off => "보내지 않았습니다: 메시지 보내기가 꺼져 있습니다",
        SpeakState::Accepted => "보냈습니다",
        SpeakState::Answered => "답을 받았습니다",
        SpeakState::TimedOut => "보냈고, 아직 답이 없습니다",
        SpeakState::NoReply => "보냈고, 답하지 않기로 했습니다",
        SpeakState::Failed => "에이전트가 실행에 실패했습니다",
        SpeakState::Forbidden => "이 에이전트에게는 보낼 수 없습니다",
        SpeakState::NotAllowed => "게이트웨이가 메시지 보내기를 막고 있습니다",
        SpeakState::NoSession => "게이트웨이에 그런 세션이 없습니다",
        SpeakState::Refused => "게이트웨이가 요청을 받지 않았습니다",
        SpeakState::Unauthorized => "게이트웨이가 토큰을 받아들이지 않습니다",
        SpeakState::TooMany => "지금은 메시지를 더 보낼 수 없습니다",
        SpeakState::Draining => "게이트웨이가 곧 멈추거나 다시 켜집니다",
        SpeakState::Unreachable => "게이트웨이에 연결하지 못했습니다",
        SpeakState::NotGateway => "그 주소에서 답한 것은 게이트웨이가 아닙니다",
        SpeakState::Uncertain | SpeakState::Unknown => "보냈는지 알 수 없습니다",
    },
    why: |state| match state {
        SpeakState::Off => "그사이 모니터 설정이 바뀌었습니다.",
        SpeakState::Accepted => "답은 기다리지 않았습니다. 답이 오면 대화에 보입니다.",
        SpeakState::Answered => "",
        SpeakState::TimedOut => "에이전트는 계속 일하고 있습니다. 다시 보내지 않아도 되고, 답은 대화에 보입니다.",
        SpeakState::NoReply => "에이전트가 메시지를 읽고 답할 것이 없다고 했습니다.",
        SpeakState::Failed => "모델이나 도구에서 오류가 났습니다. 다시 보내기 전에 대화를 먼저 확인해 주세요.",
        SpeakState::Forbidden => "게이트웨이의 tools.agentToAgent 규칙이 허락하지 않습니다. 아래 설정을 확인해 주세요.",
        SpeakState::NotAllowed => "sessions_send 도구가 HTTP로는 막혀 있습니다. 아래 설정을 더해야 합니다.",
        SpeakState::NoSession => "세션이 지워졌거나 아직 만들어지지 않았습니다.",
        SpeakState::Refused => "요청의 형식이 이 게이트웨이와 맞지 않습니다.",
        SpeakState::Unauthorized => "모니터에 적은 토큰이 gateway.auth.token과 같은지 확인해 주세요.",
        SpeakState::TooMany => "잠시 뒤에 다시 보내 주세요.",
        SpeakState::Draining => "다시 켜진 뒤에 보내 주세요.",
        SpeakState::Unreachable => "게이트웨이가 켜져 있는지, 모니터에 적은 주소가 맞는지 확인해 주세요.",
        SpeakState::NotGateway => "모니터에 적은 주소와 포트를 확인해 주세요.",
        SpeakState::Uncertain | SpeakState::Unknown => {
            "보내는 중에 연결이 끊겼거나 답을 읽지 못했습니다. 이미 전달되었을 수 있으니 대화를 확인하기 전에는 다시 보내지 마세요."
        }
    },
    delivered: |delivered| match delivered {
        Delivered::Yes => "에이전트에게 전달됨",
        Delivered::No => "전달되지 않음",
        Delivered::Unknown => "전달되었을 수 있음",
    },
    reply_of: |name| format!("{name}의 답"),
    reply_cut: "답이 길어 앞부분만 왔습니다. 전체는 세션 기록에 있습니다.",
    detail: "자세한 내용",
    retry_after: |secs| format!("{secs}초 뒤에 다시 받을 수 있다고 합니다."),
    unrecorded: "이 결과를 기록 파일에 남기지 못했습니다. 모니터의 로그를 확인해 주세요.",
    lost: "모니터의 답을 받지 못했습니다",
    lost_why: "보냈는지 알 수 없습니다. ‘결과 확인’은 같은 요청의 결과를 묻습니다. 이미 보냈으면 그 결과를 보여 주고, 아직이면 이번에 한 번만 보냅니다.",
    ask_again: "결과 확인",
    refused: "모니터가 보내지 않았습니다",
    refusal: |code| match code {
        ErrorCode::NotCommitted => {
            Some("보낸 기록을 남길 수 없어서 보내지 않았습니다. 모니터가 쓰는 디스크와 logs 폴더를 확인해 주세요.")
        }
        ErrorCode::InvalidValue => Some("이 에이전트나 내용으로는 보낼 수 없습니다."),
        _ => None,
    },
    copy_text: "보낼 내용 복사",
    another: "새 메시지 쓰기",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn possibly_delivered_state_never_suggests_resend() {
        for state in [SpeakState::Uncertain, SpeakState::TimedOut, SpeakState::Failed] {
            let why = (SPEAK.why)(state);
            assert!(!why.contains("다시 보내 주세요"), "{why}");
        }
    }
}
