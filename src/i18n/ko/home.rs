//! Korean texts of the home page.

use coordination::api::{ApprovalKind, AttentionKind};

use crate::i18n::messages::HomeMessages;
use crate::i18n::{Particle, with_particle};

pub(super) const HOME: HomeMessages = HomeMessages {
    past: "지난 시점 보기",
    title: "홈",
    unsure: "지금 결정할 것이 있는지 알 수 없습니다",
    unsure_offline: "모니터와 연결이 끊겨 마지막으로 읽은 모습만 보입니다.",
    headline: |waiting, more| match (waiting, more) {
        (0, _) => "지금 결정할 것이 없습니다".to_owned(),
        (n, false) => format!("지금 결정할 것 {n}건"),
        (n, true) => format!("지금 결정할 것 {n}건 이상"),
    },
    summary: |between, more, working, active| {
        let between = match (between, more) {
            (0, _) => String::new(),
            (n, false) => format!("에이전트끼리 {n}건이 막혀 있습니다. "),
            (n, true) => format!("에이전트끼리 {n}건 이상이 막혀 있습니다. "),
        };
        let going_on = match (working, active) {
            (0, 0) => "지금 작업 중인 에이전트도, 진행 중인 협업도 없습니다.".to_owned(),
            (0, n) => format!("협업 {n}건이 진행되고 있습니다."),
            (w, 0) => format!("에이전트 {w}명이 작업 중입니다."),
            (w, n) => format!("에이전트 {w}명이 작업 중이고 협업 {n}건이 진행되고 있습니다."),
        };
        between + &going_on
    },
    headline_then: |waiting| match waiting {
        0 => "이때는 결정할 것이 없었습니다".to_owned(),
        _ => format!("이때 결정할 것 {waiting}건"),
    },
    headline_before: |waiting| format!("마지막으로 읽었을 때 결정할 것 {waiting}건"),
    summary_before: |working, active| {
        format!("연결이 끊기기 전에 에이전트 {working}명이 작업 중이었고 협업 {active}건이 진행되고 있었습니다.")
    },
    for_me: "내가 결정할 것",
    between_agents: "에이전트끼리 막힌 것",
    between_agents_calm: "서로 기다리다 막힌 에이전트가 없습니다",
    alert_rule: |group| format!("{group} 알림 규칙 만들기"),
    alert_rule_like_this: "이런 일의 알림 규칙 만들기",
    checks: "분류 확인",
    show_more: |n| format!("{n}건 더 보기"),
    show_less: "접기",
    calm: "결정할 것이 없습니다",
    calm_hint: "새로 생기면 여기에 근거와 함께 나타납니다.",
    attention: |kind| match kind {
        AttentionKind::TaskBlocked => "차단됨",
        AttentionKind::Blocked => "거절됨",
        AttentionKind::UnblockFailed => "해제 실패",
        AttentionKind::Backoff => "거듭 미룸",
        AttentionKind::NoReply => "응답 없음",
        AttentionKind::Approval => "승인 대기",
        AttentionKind::LowConfidence => "분류 확인",
        AttentionKind::FallbackDrift => "분류 추이",
        AttentionKind::Permission => "권한 대기",
        AttentionKind::Question => "답변 대기",
        AttentionKind::AgentFailed => "오류로 멈춤",
        AttentionKind::Zombie => "멈춘 작업",
        AttentionKind::Deadlock => "교착",
        AttentionKind::ToolApproval => "실행 승인",
        AttentionKind::AgentRequest => "확인 요청",
        AttentionKind::Unknown => "확인 필요",
    },
    task_blocked: |agent| format!("{}의 작업이 막혀 있습니다", agent),
    permission: |agent, tool| {
        let agent = with_particle(agent, Particle::Subject);
        if tool.is_empty() {
            format!("{agent} 권한을 기다립니다")
        } else {
            format!("{agent} {tool} 사용 권한을 기다립니다")
        }
    },
    question: |agent| format!("{} 답을 기다립니다", with_particle(agent, Particle::Subject)),
    agent_failed: |agent| format!("{} 오류로 멈췄습니다", with_particle(agent, Particle::Subject)),
    send_blocked: |other| format!("{} 요청을 받지 않았습니다", with_particle(other, Particle::Subject)),
    no_reply: |other| format!("{} 답하지 않았습니다", with_particle(other, Particle::Subject)),
    zombie: |agent| format!("{}의 작업이 움직이지 않습니다", agent),
    deadlock: |names| format!("서로 기다립니다: {names}"),
    approval: |agent| format!("{}의 계획이 승인을 기다립니다", agent),
    tool_approval: |kind, agent| {
        let who = match (kind, agent) {
            (ApprovalKind::SystemAgent, _) | (_, "") => with_particle("OpenClaw", Particle::Subject),
            _ => with_particle(agent, Particle::Subject),
        };
        let what = match kind {
            ApprovalKind::Exec => "명령 실행",
            ApprovalKind::Plugin => "도구 사용",
            ApprovalKind::SystemAgent => "설정 변경",
            ApprovalKind::Unknown => "요청",
        };
        format!("{who} {what} 승인을 기다립니다")
    },
    agent_request: |agent| format!("{} 확인을 요청합니다", with_particle(agent, Particle::Subject)),
    stated: |note| format!("에이전트가 적음: “{note}”"),
    request_ends: |at| format!("{at}에 자동으로 거절됨"),
    statement_ends: |at| format!("{at}까지"),
    request_unreadable: "요청 내용을 읽지 못했습니다. OpenClaw에서 확인해 주세요.",
    left_out: |n| format!("뒤의 {n}자는 여기에 보이지 않습니다. 전체는 OpenClaw에서 확인해 주세요."),
    answer_in_openclaw: "OpenClaw에서 답하기",
    settle_unblock: |names| format!("{} 풀 수 있음", with_particle(names, Particle::Subject)),
    settle_action: |action| format!("필요한 일: {action}"),
    settle_nobody: "누가 풀 수 있는지 적혀 있지 않음",
    settle_approval: "승인하거나 돌려보내면 이어짐",
    settle_permission: |agent| format!("{agent}의 터미널에서 허용하거나 거절하면 이어짐"),
    settle_permission_here: "여기서 답할 수 있음",
    settle_question: |agent| format!("{agent}의 터미널에서 답하면 이어짐"),
    settle_failed: |agent| format!("{agent}의 터미널에서 다시 시키면 이어짐"),
    settle_reply: |recipient, asking| {
        let (recipient, asking) =
            (with_particle(recipient, Particle::Subject), with_particle(asking, Particle::Subject));
        format!("{recipient} 답하거나 {asking} 다시 보내면 풀림")
    },
    settle_policy: "OpenClaw 설정에서 둘 사이의 메시지를 허용하면 보낼 수 있음",
    settle_refused: |recipient, asking| {
        let (recipient, asking) =
            (with_particle(recipient, Particle::Subject), with_particle(asking, Particle::Subject));
        format!("{recipient} 여유가 생긴 뒤 {asking} 다시 보내면 풀림")
    },
    settle_backoff: |reason| match reason {
        "rate_limit" => "한도가 풀리면 자동으로 이어짐",
        "billing" => "결제 문제를 풀어야 이어짐",
        "context_overflow" => "대화를 줄이거나 새로 시작하면 이어짐",
        _ => "원인이 사라지면 자동으로 이어짐",
    },
    settle_zombie: "다시 시작하거나 닫으면 정리됨",
    settle_tool_approval: "OpenClaw에서 허용하거나 거절하면 이어짐",
    settle_agent_request: |agent| format!("{agent}의 대화를 OpenClaw에서 읽거나 답하면 사라짐"),
    settle_deadlock: "그중 한 에이전트가 답을 받거나 막힌 작업 하나가 풀리면 이어짐",
    times: |n| format!("같은 요청 {n}건"),
    in_vain: |n| format!("답을 못 받은 요청 {n}건"),
    held_up: |n| format!("에이전트 {n}명이 기다림"),
    freed: |n| format!("처리하면 {n}명 바로 진행"),
    waiters: |names, more| if more == 0 { names.to_owned() } else { format!("{names} 외 {more}명") },
    sent_by: |agent| format!("{} 보냄", with_particle(agent, Particle::Subject)),
    requests: |n| format!("해제 요청 {n}/3"),
    retries: |n| format!("재시도 {n}번"),
    evidence: "근거",
    categories: "카테고리",
    sessions_unit: |_| "협업",
    active: |n| format!("진행 {n}"),
    quiet: "조용함",
    empty: "아직 없음",
    spark: "지난 24시간의 이벤트 수",
    all_hint: "카테고리 구분 없이 최신순",
    agents: "에이전트",
    agents_region: "에이전트",
    could_settle: |n| format!("풀 수 있는 일 {n}건"),
    all_agents: |n| format!("{n}명 모두 보기"),
    idle: |n| format!("쉬는 중 {n}"),
    other_agents: |n| format!("외 {n}명"),
    no_agents: "설정과 기록에서 에이전트를 아직 찾지 못했습니다.",
    empty_title: "아직 기록된 협업이 없습니다",
    empty_text: "에이전트가 서로 첫 메시지를 보내면 여기에 나타납니다. 로그 파일은 찾았습니다.",
    log_missing_title: "로그 파일을 찾지 못했습니다",
    log_missing_text: "게이트웨이가 아직 시작되지 않았거나 경로가 바뀌었습니다. 파일이 생기면 자동으로 읽습니다.",
    home_missing_title: "OpenClaw 홈을 찾지 못했습니다",
    home_missing_text: "모니터가 본 폴더입니다. 생기면 자동으로 읽습니다. 다른 곳에 있다면 OPENCLAW_STATE_DIR로 알려 주세요.",
    not_folder_title: "OpenClaw 홈이 폴더가 아닙니다",
    not_folder_text: "이 경로에는 폴더가 아니라 파일이 있습니다. --home이나 OPENCLAW_STATE_DIR로 폴더를 알려 주세요.",
    unreadable_title: "로그 파일을 읽을 수 없습니다",
    unreadable_text: "있지만 읽지 못했습니다. “없음”이 아니라 “읽지 못함”입니다. 읽을 수 있게 되면 자동으로 읽습니다.",
    starting_title: "기록을 읽는 중입니다",
    starting_text: "지난 기록을 모두 읽으면 여기에 나타납니다.",
    source_unknown_title: "받은 기록이 없습니다",
    source_unknown_text: "예전 모니터는 로그 파일을 읽었는지 알려 주지 않습니다. 모니터가 보는 홈이 맞는지 확인해 주세요.",
    unread: "읽지 못함",
    unread_files: |n| format!("파일 {n}개를 읽지 못했습니다"),
    unblock_failed: |agent| format!("{agent}의 작업을 아무도 풀어 주지 못했습니다"),
    backoff: |agent| format!("{}의 작업이 이어지지 못하고 거듭 미뤄집니다", agent),
    backoff_reason: |reason| match reason {
        "rate_limit" => "요청 한도 초과",
        "billing" => "결제 문제",
        "timeout" => "시간 초과",
        "context_overflow" => "문맥이 너무 김",
        "unknown" => "까닭 모름",
        other => other,
    },
    backoff_times: |n| format!("{n}번째"),
    fallback_drift: |more| {
        if more {
            "분류 근거가 없는 협업이 평소보다 많습니다"
        } else {
            "분류 근거가 없는 협업이 평소보다 적습니다"
        }
    },
    drift_figures: |part, whole, share, low, high| {
        format!("최근 7일 {whole}개 중 {part}개({share}) · 평소 {low}–{high}")
    },
    new_lines: |n| format!("새로 결정할 것이 {n}건 있습니다"),
    headline_but_hidden: |n| format!("숨긴 {n}건 말고는 결정할 것이 없습니다"),
    calm_but_hidden: |n| format!("숨긴 {n}건 말고는 없습니다"),
    put_away: "이 줄 숨기기",
    put_away_done: "줄을 숨겼습니다",
    put_away_n: |n| format!("숨긴 것 {n}"),
    until_news: "다시 생길 때까지 숨기기",
    not_today: "오늘 그만 보기",
    bring_back: "다시 보이기",
};
