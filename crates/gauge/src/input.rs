//! Generator of the coordination log for the instruction count benchmark. The log has the same bytes on every machine
//! and in every run.

/// Time of every query: after the last event.
pub const NOW: i64 = 1_771_651_020_000;
const AGENTS: [&str; 8] = ["ruda", "eden", "seum", "dajim", "onsae", "yeon", "haneul", "bada"];
const TEXTS: [&str; 10] = [
    "배포 상태를 확인해 주세요. nginx를 다시 띄웠습니다.",
    "[Goal] 결제 API 오류를 고치고 테스트를 통과시켜 주세요",
    "법무 계약 검토, 개인정보 compliance 문서를 정리했습니다.",
    "## 진행\n\n- 첫째 항목입니다\n- 둘째 항목입니다\n\n```yaml\nimages:\n  - name: gateway\n```",
    "확인했습니다 👍 다음 단계로 넘어가겠습니다.",
    "design review: `camelCase` and `snake_case` names in src/pages/home.rs",
    "데이터 파이프라인 지표가 어제보다 12% 떨어졌습니다. 원인을 찾고 있습니다.",
    "회의록을 문서로 옮겼습니다: https://example.com/notes/2026-02-21",
    "No response needed. 자동 점검이 끝났습니다.",
    "운영 서버 로그에 timeout 이 반복됩니다. 재시작할까요?",
];

/// A log of `lines` lines: sessions of sixty events, mostly messages, with tasks, runs and odd ones between, and one
/// session of a tenth of all.
pub fn log(lines: usize) -> String {
    let mut text = String::with_capacity(lines * 420);
    // A fixed row of numbers (Knuth's multiplier): no clock, no system, no library that may change it.
    let mut state: u64 = 42;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for number in 0..lines {
        let at = NOW - (lines - number) as i64 * 15_000;
        let session = if number % 10 == 9 { 0 } else { 1 + number / 60 };
        let from = AGENTS[next(AGENTS.len())];
        let to = AGENTS[next(AGENTS.len())];
        let message_json = serde_json::Value::from(TEXTS[next(TEXTS.len())]).to_string();
        let (kind, role, more) = match next(20) {
            0 => ("task.updated", "orchestration.task", format!(r#","taskId":"task_{}""#, number / 200)),
            1 => (
                "a2a.spawn",
                "delegation.subagent",
                format!(r#","targetSessionKey":"agent:{to}:subagent:{number}","runId":"run_{number}""#),
            ),
            2 => ("continuation.sent", "system.observability", String::new()),
            3 => ("a2a.complete", "conversation.main", String::new()),
            even if even % 2 == 0 => ("a2a.send", "conversation.main", format!(r#","label":"정기 작업 {session}""#)),
            _ => ("a2a.response", "conversation.main", r#","replyPreview":"확인했습니다""#.to_owned()),
        };
        text.push_str(&format!(
            "{{\"type\":\"{kind}\",\"agentId\":\"{from}\",\"ts\":{at},\"data\":{{\"fromAgent\":\"{from}\",\"toAgent\":\"{to}\",\
             \"message\":{message_json},\"eventRole\":\"{role}\",\"conversationId\":\"c{session}-{}\",\"workSessionId\":\"ws_{session}\",\
             \"fromSessionType\":\"main\",\"toSessionType\":\"main\"{more}}}}}\n",
            number / 20 % 3,
        ));
    }
    text
}
