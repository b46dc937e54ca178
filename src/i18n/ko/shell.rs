//! Korean texts of the page frame: top bar, navigation, connection state.

use crate::i18n::messages::ShellMessages;

pub(super) const SHELL: ShellMessages = ShellMessages {
    product: "Task Hub",
    product_part: "Conversations",
    skip: "본문으로 건너뛰기",
    nav: "주 메뉴",
    nav_phone: "주 메뉴 (휴대폰)",
    home: "홈",
    sessions: "협업",
    events: "이벤트",
    tasks: "작업",
    agents: "에이전트",
    stores: "OpenClaw 세션",
    stores_short: "OpenClaw",
    search: "모든 곳에서 찾기",
    settings: "설정",
    palette: "명령과 찾기",
    language: "언어",
    shortcuts: "단축키와 용어",
    connection: "연결 상태",
    data_state: "데이터 상태",
    connecting: "연결 중",
    live: "실시간",
    streaming: "실시간",
    polling: "주기 확인",
    files: "연 파일",
    stale: "멈춘 듯",
    reconnecting: "다시 연결 중",
    offline: "연결 끊김",
    never_seen: "본 적 없음",
    newest_event: "마지막 이벤트",
    no_event_yet: "이벤트 없음",
    last_event: |at| format!("마지막 이벤트 {at}"),
    last_received: |at| format!("마지막 소식 {at}"),
    stale_band: |age, at| format!("{age} 동안 새 소식이 없습니다. 아래는 {at}의 모습입니다."),
    clock_band: |ahead| {
        format!(
            "이벤트 시각이 모니터 시계보다 {ahead} 앞서 있어 경과 시간과 상태가 틀릴 수 있습니다. 모니터가 있는 컴퓨터와 로그를 쓰는 컴퓨터의 시계를 확인해 주세요."
        )
    },
    refused_band: "이 화면을 볼 권한이 없습니다. 로그인했는지 확인하거나 관리자에게 문의해 주세요.",
    offline_band: |attempt| match attempt {
        0 | 1 => "모니터에 연결할 수 없습니다. 곧 다시 시도합니다.".to_owned(),
        n => format!("모니터에 연결할 수 없습니다. 자동으로 다시 연결하는 중입니다({n}회째)."),
    },
    check_now: "다시 연결",
    demo: "데모 데이터",
    demo_hint: "OpenClaw 홈을 찾지 못해 연습용 기록을 보여 줍니다. 모두 지어낸 내용입니다. 내 홈을 보려면 task-monitor up --home 폴더로 시작하세요.",
    compat: "1.x 모니터",
    compat_hint: "예전 모니터에 연결했습니다. 분류와 묶기는 이 브라우저에서 합니다.",
    config: "설정",
    nothing_unread: "안 읽은 협업이 없습니다",
    new_messages: |count| format!("새 메시지 {count}"),
};
