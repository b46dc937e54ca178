//! Korean texts that several pages share: categories, statuses, errors and common buttons.

use coordination::api::{AgentState, ConfigState, ErrorCode};
use coordination::category::Category;
use coordination::delivery::DeliveryState;
use coordination::role::Role;
use coordination::session::Status;
use coordination::text::NoticeKind;
use coordination::text::hidden::HiddenKind;
use coordination::workspace::{Priority, TaskStatus};

use crate::i18n::messages::CommonMessages;
use crate::i18n::{Particle, with_particle};
use crate::routes::Since;

pub(super) const COMMON: CommonMessages = CommonMessages {
    category: |category| match category {
        Category::EngineeringBuild => "개발/구현",
        Category::InfraOps => "인프라/운영",
        Category::QaValidation => "QA/검증",
        Category::PlanningDecision => "기획/의사결정",
        Category::ResearchAnalysis => "조사/분석",
        Category::DocsKnowledge => "문서/지식화",
        Category::GrowthMarketing => "성장/마케팅",
        Category::CustomerCommunity => "고객/커뮤니티",
        Category::LegalCompliance => "법무/컴플라이언스",
        Category::BizStrategy => "비즈니스/전략",
    },
    category_short: |category| match category {
        Category::EngineeringBuild => "개발",
        Category::InfraOps => "인프라",
        Category::QaValidation => "QA",
        Category::PlanningDecision => "기획",
        Category::ResearchAnalysis => "조사",
        Category::DocsKnowledge => "문서",
        Category::GrowthMarketing => "성장",
        Category::CustomerCommunity => "고객",
        Category::LegalCompliance => "법무",
        Category::BizStrategy => "비즈니스",
    },
    category_hint: |category| match category {
        Category::EngineeringBuild => "기능 개발, 버그 수정, 리팩토링",
        Category::InfraOps => "배포, 장애 대응, 환경 설정",
        Category::QaValidation => "테스트, 재현, 회귀 검증",
        Category::PlanningDecision => "우선순위, 설계, 의사결정",
        Category::ResearchAnalysis => "자료 조사, 데이터 분석, 비교",
        Category::DocsKnowledge => "문서 작성, 정리, 지식 공유",
        Category::GrowthMarketing => "캠페인, 콘텐츠, 성장 실험",
        Category::CustomerCommunity => "고객 문의, 커뮤니티 대응",
        Category::LegalCompliance => "약관, 개인정보, 규정 준수",
        Category::BizStrategy => "사업 모델, 가격, 제휴",
    },
    status: |status| match status {
        Status::Active => "진행 중",
        Status::Quiet => "조용함",
        Status::Archived => "보관됨",
    },
    role: |role| match role {
        Role::ConversationMain => "대화",
        Role::DelegationSubagent => "위임",
        Role::OrchestrationTask => "작업",
        Role::SystemObservability => "시스템",
    },
    delivery: |state| match state {
        DeliveryState::Waiting => "답 기다림",
        DeliveryState::Answered => "답변 받음",
        DeliveryState::NoReply => "응답 없음",
        DeliveryState::Blocked => "거절됨",
        DeliveryState::EndedWithoutAnswer => "답 없이 끝남",
        DeliveryState::NoTrace => "이후 기록 없음",
        DeliveryState::NoAnswerRequested => "전달됨",
        DeliveryState::Notice => "알림",
        DeliveryState::Acknowledged => "맡음",
        DeliveryState::Unknown => "알 수 없음",
    },
    last_sign: "마지막 활동",
    silent_why: "진행 중으로 적혀 있지만 한 시간 넘게 소식이 없어 멈췄을 수 있습니다",
    blocked_tasks: |n| format!("차단된 작업 {n}"),
    agent_state: |state| match state {
        AgentState::Working => "작업 중",
        AgentState::Silent => "소식 없음",
        AgentState::Waiting => "기다림",
        AgentState::Blocked => "차단됨",
        AgentState::Idle => "쉬는 중",
        AgentState::PendingInput => "입력 대기",
        AgentState::InMeeting => "회의 중",
        AgentState::Failed => "오류로 멈춤",
        AgentState::Stopped => "종료됨",
        AgentState::Unknown => "알 수 없음",
    },
    task_status: |status| match status {
        TaskStatus::Pending => "대기",
        TaskStatus::PendingApproval => "승인 대기",
        TaskStatus::InProgress => "진행 중",
        TaskStatus::Blocked => "차단됨",
        TaskStatus::Backlog => "백로그",
        TaskStatus::Completed => "완료",
        TaskStatus::Cancelled => "취소됨",
        TaskStatus::Abandoned => "포기됨",
        TaskStatus::Interrupted => "중단됨",
        TaskStatus::Unknown => "알 수 없음",
    },
    priority: |priority| match priority {
        Priority::Urgent => "긴급",
        Priority::High => "높음",
        Priority::Medium => "보통",
        Priority::Low => "낮음",
        Priority::Unknown => "우선순위 모름",
    },
    since: |since| match since {
        Since::Hour => "최근 1시간",
        Since::SixHours => "최근 6시간",
        Since::Day => "최근 24시간",
        Since::Week => "최근 7일",
    },
    config_state: |state| match state {
        ConfigState::Ok => "설정을 읽었습니다",
        ConfigState::Missing => "openclaw.json이 없어 에이전트 이름과 역할을 이벤트로만 짐작합니다",
        ConfigState::Stale => "openclaw.json을 읽지 못해 마지막으로 읽은 설정을 쓰고 있습니다",
        ConfigState::Invalid => "openclaw.json을 읽지 못해 에이전트 이름과 역할이 정확하지 않을 수 있습니다",
        ConfigState::Unknown => "설정 상태를 알 수 없습니다",
    },
    default_title: "협업 작업",
    unknown_agent: "알 수 없음",
    all: "모두",
    everything: "전체 보기",
    inferred: "추정",
    inferred_hint: "사건 하나로 확정할 수 없어 규칙으로 추정했습니다",
    resolved: "해결됨",
    notes_n: |n| format!("메모 {n}개"),
    by_hand: "사람이 바꿈",
    guessed: "분류 확인",
    retry: "다시 시도",
    close: "닫기",
    cancel: "취소",
    copy: "복사",
    copied: "복사했습니다",
    copy_failed: "복사하지 못했습니다. 브라우저 권한을 확인해 주세요.",
    more: "더 보기",
    loading: "불러오는 중",
    clear_filters: "필터 지우기",
    remove_filter: |name| format!("{name} 필터 지우기"),
    machine: "기기",
    agent: "에이전트",
    threads_messages: |threads, messages| [("스레드 ", threads, ""), ("메시지 ", messages, "")],
    load_failed: "불러오지 못했습니다",
    not_offered: "기기에서만 볼 수 있습니다",
    part_missing: "이 화면의 프로그램을 받지 못했습니다. 연결이 끊겼거나, 그 사이 새 버전이 올라왔을 수 있습니다.",
    not_in_evidence: "이 증거 파일에는 없는 화면입니다",
    not_in_evidence_text: "증거 파일에서는 협업과 스레드, 흐름, 이벤트, 검색을 볼 수 있습니다. 다른 화면을 보려면 파일을 대시보드에서 여세요.",
    reload: "새로고침",
    error_network: "모니터에 연결할 수 없습니다. 연결되면 자동으로 다시 읽습니다.",
    error_decode: "모니터의 답을 이해하지 못했습니다. 버전이 서로 맞는지 확인해 주세요.",
    error_unsupported: "연결된 모니터가 이 기능을 제공하지 않습니다.",
    error: |code| match code {
        ErrorCode::InvalidValue => "주소의 조건 하나를 모니터가 받아들이지 않았습니다.",
        ErrorCode::InvalidBody => "보낸 내용의 형식이 맞지 않습니다.",
        ErrorCode::NotFound => "찾는 것이 기록에 없습니다.",
        ErrorCode::Unauthorized => {
            "이 화면에는 바꿀 권한이 없습니다. 모니터가 실행되는 컴퓨터에서 열거나, 쓰기 토큰을 더해 주는 주소로 열어 주세요."
        }
        ErrorCode::ReadOnly => {
            "읽기 전용 모니터입니다. 다른 컴퓨터에서도 닿는데 쓰기 토큰이 없어 아무도 바꿀 수 없습니다."
        }
        ErrorCode::RateLimited => "권한 없는 변경 시도가 많아 잠시 막았습니다. 1분 뒤에 다시 시도해 주세요.",
        ErrorCode::Forbidden => "이 작업을 할 권한이 없습니다. 관리자에게 문의하세요.",
        ErrorCode::ForbiddenOrigin => "이 주소에서 온 요청은 허용되지 않습니다.",
        ErrorCode::MisdirectedHost => "이 호스트 이름으로는 모니터에 접근할 수 없습니다.",
        ErrorCode::MethodNotAllowed => "허용되지 않은 요청 방식입니다.",
        ErrorCode::TooLarge => "보낸 내용이 너무 큽니다.",
        ErrorCode::UnsupportedMediaType => "보낸 내용의 종류가 맞지 않습니다.",
        ErrorCode::Conflict => "그사이 다른 사람이 바꿨습니다.",
        ErrorCode::NotCommitted => "저장하지 못했습니다. 이전 값이 그대로 있습니다.",
        ErrorCode::DurabilityUncertain => "저장했지만 디스크에 남았는지 확인하지 못했습니다.",
        ErrorCode::MachineOffline => "이 기기가 꺼져 있거나 응답하지 않거나 변경을 받지 않습니다. 바뀐 것은 없습니다.",
        ErrorCode::NotOffered => {
            "이 기기의 대시보드에서만 볼 수 있습니다. 여기서도 보려면 그 기기에서 fleet.reads를 켜 주세요."
        }
        ErrorCode::AnswerTooLarge => {
            "답이 너무 커서 이 기기에서 가져올 수 없습니다. 기기의 대시보드에서 확인해 주세요."
        }
        ErrorCode::CursorExpired => "보던 위치가 오래되어 처음부터 다시 읽습니다.",
        ErrorCode::Gone => "이 기능은 더 이상 제공되지 않습니다.",
        ErrorCode::SourceUnavailable => "모니터가 데이터 파일을 읽지 못하고 있습니다.",
        ErrorCode::Internal => "모니터 안에서 오류가 났습니다.",
        ErrorCode::Unknown => "알 수 없는 오류입니다.",
    },
    error_allowed: |field, allowed| {
        format!("{} 다음 중 하나여야 합니다: {allowed}", with_particle(field, Particle::Topic))
    },
    cause: |word| match word {
        "EACCES" => Some("읽을 권한이 없음"),
        "ENOENT" => Some("사라짐"),
        "too large" => Some("너무 큼"),
        "not a task" => Some("작업 파일의 꼴이 아님"),
        "not a folder" => Some("폴더가 아님"),
        "not a regular file" => Some("보통 파일이 아님"),
        "a link" => Some("링크라서 따라가지 않음"),
        "leads outside its folder" => Some("제 폴더 밖을 가리킴"),
        word if word.starts_with("too many files") => Some("파일이 너무 많음"),
        "no entry of a transcript" => Some("세션 기록 형식의 줄이 하나도 없음"),
        "HTTP" => Some("모니터가 답하지 않음"),
        _ => None,
    },
    request_id: "요청 번호",
    notice: |notice| {
        let kind = match notice.kind {
            // Its text is a fixed prompt.
            NoticeKind::Continue => return "하던 작업을 이어 가라는 알림".to_owned(),
            NoticeKind::Unblock => "차단 해제 요청",
            NoticeKind::LastUnblock => "마지막 차단 해제 요청",
            NoticeKind::Unblocked => "차단이 풀림",
            NoticeKind::Zombie => "오래 멈춘 작업 알림",
            NoticeKind::Other => "시스템 알림",
        };
        if notice.text.is_empty() { kind.to_owned() } else { format!("{kind}: {}", notice.text) }
    },
    filters: |set| if set == 0 { "필터".to_owned() } else { format!("필터 {set}") },
    not_found: "페이지를 찾을 수 없습니다",
    not_found_hint: "주소가 잘렸거나 옛 링크일 수 있습니다.",
    to_home: "홈으로",
    unread_n: |n| format!("안 읽은 메시지 {n}"),
    unread_some: "안 읽은 메시지 있음",
    unread_sessions: |n, more| {
        if more { format!("안 읽은 협업 {n} 이상") } else { format!("안 읽은 협업 {n}") }
    },
    all_read: "모두 읽음으로 표시",
    all_read_done: "모두 읽음으로 표시했습니다",
    undo: "되돌리기",
    hidden_char: |kind, code| {
        let what = match kind {
            HiddenKind::Direction => "글의 방향을 바꾸는 글자",
            HiddenKind::Invisible => "폭이 없는 글자",
            HiddenKind::Tag => "사람에게 보이지 않는 태그 글자",
            HiddenKind::Variation => "모양 선택 글자",
            HiddenKind::Control => "제어 글자",
            HiddenKind::Annotation => "주석 글자",
        };
        format!("숨은 글자 {code}: {what}")
    },
    imitates: |name| format!("{} 비슷해 보이지만 다른 이름입니다", with_particle(&format!("‘{name}’"), Particle::And)),
    whole_text: |bytes| format!("전체 보기 ({bytes}바이트)"),
    fold: "접기",
};
