//! Tests of the parsers of an agent's workspace files: tasks, archives, current task, plans and team state, in current,
//! old, odd and truncated forms (`contract/workspace.md` §3–§7).
//!
//! Proves (work): A task file that is cut anywhere, or has another program's shape, is shown as far as it can be read,
//! and what is missing is named.
//! Long form: `make soak ARGS=fuzz`.

use coordination::workspace::{
    FlawKind, Priority, StepState, TaskStatus, current_summary, parse_current, parse_history, parse_plan, parse_task,
    parse_team_state,
};
use serde_json::json;

const FULL_TASK: &str = r#"# Task: task_7f3a91c02b4de8815a60

## Metadata
- **Status:** blocked
- **Priority:** high
- **Created:** 2026-02-17T02:20:00.000Z
- **Source:** user
- **Work Session:** ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10
- **Previous Work Session:** ws_11111111-2222-4333-8444-555555555555
- **Created By Session:** agent:eden:discord:channel:1203948571029384756

## Description
결제 API 배포 파이프라인 점검
Check the staging image tags

## Context
2월 릴리스 전 필수

## Steps
- [x] (s1) 현재 태그 확인
- [>] (s2) Fix the tag pinning
- [ ] (s3) 재배포 후 검증
- [-] (s4) 문서 갱신

## Progress
- Task started
- [s1] 현재 태그 확인 — completed
- [BLOCKED] 운영 DB 접근 권한 필요

## Last Activity
2026-02-17T03:05:10.120Z

## Blocking
```json
{"blockedReason":"운영 DB 접근 권한 필요","unblockedBy":["seum"],"unblockedAction":"권한 부여","unblockRequestCount":1,"lastUnblockerIndex":0,"lastUnblockRequestAt":"2026-02-17T03:10:00.000Z","escalationState":"requesting"}
```

## Backlog
```json
{"createdBy":"ruda","assignee":"eden","dependsOn":["task_00aa11bb22cc33dd44ee"],"estimatedEffort":"medium","dueDate":"2026-02-20","milestoneId":"65d0c0ffee","milestoneItemId":"65d0c0ffef"}
```

---
*Managed by task tools*
"#;

#[test]
fn the_full_sample_is_read_field_by_field() {
    let task = parse_task("task_7f3a91c02b4de8815a60".into(), FULL_TASK).expect("a task");
    let expected = json!({
        "id": "task_7f3a91c02b4de8815a60",
        "status": "blocked",
        "priority": "high",
        "description": "결제 API 배포 파이프라인 점검\nCheck the staging image tags",
        "context": "2월 릴리스 전 필수",
        "source": "user",
        "created": "2026-02-17T02:20:00.000Z",
        "lastActivity": "2026-02-17T03:05:10.120Z",
        "workSessionId": "ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10",
        "previousWorkSessionId": "ws_11111111-2222-4333-8444-555555555555",
        "createdBySession": "agent:eden:discord:channel:1203948571029384756",
        "simple": false,
        "steps": [
            {"id": "s1", "content": "현재 태그 확인", "status": "done", "order": 1},
            {"id": "s2", "content": "Fix the tag pinning", "status": "in_progress", "order": 2},
            {"id": "s3", "content": "재배포 후 검증", "status": "pending", "order": 3},
            {"id": "s4", "content": "문서 갱신", "status": "skipped", "order": 4},
        ],
        "progress": ["Task started", "[s1] 현재 태그 확인 — completed", "[BLOCKED] 운영 DB 접근 권한 필요"],
        "blocking": {"blockedReason": "운영 DB 접근 권한 필요", "unblockedBy": ["seum"], "unblockedAction": "권한 부여",
            "unblockRequestCount": 1, "lastUnblockerIndex": 0, "lastUnblockRequestAt": "2026-02-17T03:10:00.000Z",
            "escalationState": "requesting"},
        "backlog": {"createdBy": "ruda", "assignee": "eden", "dependsOn": ["task_00aa11bb22cc33dd44ee"],
            "estimatedEffort": "medium", "dueDate": "2026-02-20", "milestoneId": "65d0c0ffee",
            "milestoneItemId": "65d0c0ffef"},
    });
    assert_eq!(serde_json::to_value(&task).expect("JSON"), expected);
    let progress = task.steps_progress();
    let counts = (progress.total, progress.done, progress.in_progress, progress.pending, progress.skipped);
    assert_eq!(counts, (4, 1, 1, 1, 1));
}

#[test]
fn no_task_is_no_task() {
    for text in ["", "  \n", "# Current\n\n*(No task)*\n", "그냥 메모", "# Task: task_x\n"] {
        assert_eq!(parse_task("task_x".into(), text), None, "{text:?}");
    }
}

#[test]
fn old_metadata_gives_blocking_fence_wins() {
    let old = "## Metadata\n**Status:**blocked\nUnblocked By: seum, ruda\n- **Blocked Reason:** 권한: DB\n- **Unblock Request Count:** 2\n- **Last Unblocker Index:** -1\n- **Escalation State:** none\n## Description\nx";
    let blocking = parse_task("task_x".into(), old).and_then(|task| task.blocking).expect("blocking");
    assert_eq!(blocking.blocked_reason.as_deref(), Some("권한: DB"));
    assert_eq!(blocking.unblocked_by, ["seum", "ruda"]);
    assert_eq!((blocking.unblock_request_count, blocking.last_unblocker_index), (Some(2), Some(-1)));
    let fenced = format!(
        "{old}\n## Blocking\n```json\n{{\n  \"blockedReason\": \"다른 이유\",\n  \"unblockRequestFailures\": 3\n}}\n```"
    );
    let blocking = parse_task("task_x".into(), &fenced).and_then(|task| task.blocking).expect("blocking");
    assert_eq!(blocking.blocked_reason.as_deref(), Some("다른 이유"));
    assert_eq!((blocking.unblock_request_failures, blocking.unblock_request_count), (Some(3), Some(2)));
}

#[test]
fn unknown_status_and_priority_keep_their_text() {
    let task = parse_task("task_x".into(), "## METADATA\nStatus: doing\n- **Priority:** P0\n- **Simple:** true")
        .expect("a task");
    assert_eq!((task.status, task.raw_status.as_deref()), (TaskStatus::Unknown, Some("doing")));
    assert_eq!((task.priority, task.raw_priority.as_deref()), (Priority::Unknown, Some("P0")));
    assert!(task.simple);
    let bare = parse_task("task_x".into(), "## Metadata\n- **Status:** interrupted").expect("a task");
    assert_eq!((bare.status, bare.priority), (TaskStatus::Interrupted, Priority::Medium));
}

#[test]
fn odd_steps_fences_and_values_do_no_harm() {
    let text = "## Steps\n- [X] (s1) 대문자\n-[ ](s2) 붙여쓰기\n- [?] (s3) 모름\n- 그냥 글\n- [x] (a b) 빈칸\n## Outcome\n```json\n{\"kind\":\"error\",\"error\":\"x\",\"retriable\":true}\n```\n## Backlog\n```json\n{broken\n```\n## Delegations\n```json\n{\"delegations\":[],\"summary\":{\"total\":0}}\n```\n## 메모\n사라짐\n## Blocking\n{\"unblockedBy\":[\"a\",3],\"unblockRequestCount\":\"x\"}";
    let task = parse_task("task_x".into(), text).expect("a task");
    let steps: Vec<_> = task.steps.iter().map(|step| (step.id.as_str(), step.status, step.order)).collect();
    assert_eq!(steps, [("s1", StepState::Done, 1), ("s2", StepState::Pending, 2)]);
    let outcome = task.outcome.expect("an outcome");
    assert_eq!((outcome.kind.as_str(), outcome.retriable), ("error", Some(true)));
    assert_eq!(task.backlog, None);
    let flaws: Vec<_> = task.flaws.iter().map(|flaw| (flaw.kind, flaw.text.as_str(), flaw.count)).collect();
    assert_eq!(
        flaws,
        [
            (FlawKind::Steps, "- [?] (s3) 모름", 3),
            (FlawKind::Section, "Backlog", 1),
            (FlawKind::Heading, "메모", 1),
            (FlawKind::NoStatus, "", 1),
            (FlawKind::NoDescription, "", 1),
        ],
        "unreadable parts are reported"
    );
    assert!(task.delegations.is_some());
    let blocking = task.blocking.expect("blocking");
    assert_eq!((blocking.unblocked_by, blocking.unblock_request_count), (vec!["a".to_owned()], None));
}

const TASK_HISTORY: &str = "# Task History - February 2026

---

## [2026-02-17T05:00:12.345Z] 결제 API 배포 파이프라인 점검
Check the staging image tags

**Context:** 2월 릴리스 전 필수
둘째 줄
**Task ID:** task_7f3a91c02b4de8815a60
**Priority:** high
**Started:** 2026-02-17T02:20:00.000Z
**Completed:** 2026-02-17T05:00:12.345Z
**Duration:** 2h 40m

### Progress
- Task started
- Task completed

### Summary
태그 고정 해제 후 재배포 완료

## 자세히
---
본문
## [2026-02-17T05:00:12.345Z] 는 여기서 제목이 아님
### Progress
끝
---

## [2026-02-18T01:00:00.000Z] README 정리

**Task ID:** task_00aa11bb22cc33dd44ee
**Priority:** low
**Started:** 2026-02-18T00:12:00.000Z
**Completed:** 2026-02-18T01:00:00.000Z
**Duration:** 48m

### Progress
- Task cancelled: 중복 작업

### Summary
Cancelled: 중복 작업";

#[test]
fn archive_entry_ends_at_rule_before_heading() {
    let entries = parse_history("2026-02", TASK_HISTORY);
    assert_eq!(entries.len(), 2);
    let (newest, oldest) = (&entries[0], &entries[1]);
    assert_eq!(newest.description, "README 정리");
    assert_eq!(newest.status, TaskStatus::Cancelled);
    assert_eq!(newest.summary.as_deref(), Some("Cancelled: 중복 작업"));
    assert_eq!(oldest.id.as_ref().map(|id| id.as_str()), Some("task_7f3a91c02b4de8815a60"));
    assert_eq!(oldest.description, "결제 API 배포 파이프라인 점검\nCheck the staging image tags");
    assert_eq!(oldest.context.as_deref(), Some("2월 릴리스 전 필수\n둘째 줄"));
    assert_eq!(oldest.status, TaskStatus::Completed);
    assert_eq!(oldest.progress, ["Task started", "Task completed"]);
    let summary = oldest.summary.as_deref().expect("a summary");
    assert!(summary.starts_with("태그 고정") && summary.ends_with("끝"), "{summary}");
    assert_eq!((oldest.started.as_deref(), oldest.month.as_str()), (Some("2026-02-17T02:20:00.000Z"), "2026-02"));
}

#[test]
fn the_legacy_archive_has_no_ids() {
    let entries = parse_history(
        "TASK_HISTORY",
        "## [2026-02-04T01:00:00.000Z] 첫 작업\n\n**Started:** 2026-02-04T00:00:00.000Z\n\n### Progress\n- 시작\n",
    );
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].id.clone(), entries[0].completed.as_str()), (None, "2026-02-04T01:00:00.000Z"));
    assert!(parse_history("2026-02", "").is_empty());
    assert!(parse_history("2026-02", "# Task History\n## [어제] 아님\n").is_empty());
}

#[test]
fn every_form_of_the_current_task_is_understood() {
    let focus = "# Current Task\n\n**Focus:** task_7f3a91c02b4de8815a60\n\n## 결제 API 배포 파이프라인 점검\n\n**Status:** in_progress\n### Progress\n- Task started\n\n---\n*Managed by task tools*";
    let auto = "# Current Task\n\n## Current\n\n**Task:** 로그 봐줘\n**Thread ID:** 123\n**Started:** 2026-02-17T02:20:00.000Z\n**Progress:**\n- [ ] Processing message...\n\n*This file is auto-generated by task-tracker*";
    let legacy =
        "# Current Task\n\n## Description\n옛 작업\n\n## Started\n2026-02-04\n\n*Managed by agent via task tools*";
    let manual = "# 지금\n\n**Task:** 문서 정리\n**Context:** x\n**Next:** y";
    let cases = [
        (
            focus,
            true,
            Some("task_7f3a91c02b4de8815a60"),
            Some("결제 API 배포 파이프라인 점검"),
            Some("task_7f3a91c02b4de8815a60"),
        ),
        (auto, true, None, Some("로그 봐줘"), Some("로그 봐줘")),
        (legacy, true, None, Some("옛 작업"), None),
        (manual, true, None, Some("문서 정리"), Some("문서 정리")),
        ("# Current Task\n\n*(No active focus task)*\n", false, None, None, None),
        ("# Current Task\n\n## Current\n\n*(No task in progress)*\n", false, None, None, None),
        ("*(진행 중인 작업 없음)*", false, None, None, None),
        ("", false, None, None, None),
    ];
    for (text, has_task, focus, title, summary) in cases {
        let current = parse_current(text);
        assert_eq!(current.has_task, has_task, "{text}");
        assert_eq!(current.focus.as_ref().map(|id| id.as_str()), focus, "{text}");
        assert_eq!(current.title.as_deref(), title, "{text}");
        assert_eq!(current_summary(text).as_deref(), summary, "{text}");
        assert!(!current.error);
    }
    let error = parse_current("# Current Task\n\n*(Last task ended with error)*\n");
    assert!(error.error && !error.has_task, "an ended task is no current task");
}

#[test]
fn plan_is_read_unknown_shapes_preserved() {
    let text = r#"{"agentId":"eden","taskId":"task_1","title":"결제 모듈 분리","steps":["인터페이스 추출",{"content":"테스트 이관"},3],"id":"plan_1","status":"rejected","submittedAt":"2026-02-17T02:25:00.000Z","decidedAt":"2026-02-17T02:40:00.000Z","decidedBy":"ruda","rejectReason":"범위가 너무 넓음"}"#;
    let plan = parse_plan("stem", &"seum".into(), text);
    assert_eq!((plan.id.as_str(), plan.agent_id.as_str()), ("plan_1", "eden"));
    assert_eq!(plan.steps, ["인터페이스 추출", "테스트 이관"]);
    assert_eq!((plan.status.as_str(), plan.reject_reason.as_deref()), ("rejected", Some("범위가 너무 넓음")));
    let foreign = parse_plan("stem", &"seum".into(), r#"{"createdAt":"2026-02-01","x":1}"#);
    assert_eq!((foreign.id.as_str(), foreign.agent_id.as_str()), ("stem", "seum"));
    assert_eq!(foreign.raw, json!({"createdAt": "2026-02-01", "x": 1}));
    assert_eq!(parse_plan("stem", &"seum".into(), "{torn").raw, json!({"raw": "{torn"}));
}

#[test]
fn team_state_always_has_answer_shape() {
    let empty = json!({"version": 1, "agents": {}, "lastUpdatedMs": 0});
    assert_eq!(parse_team_state(""), empty);
    assert_eq!(parse_team_state("[1]"), empty);
    let old = r#"{"agents":{"eden":{"status":"active"}},"updatedAt":"2026-02-17T02:20:00.000Z"}"#;
    assert_eq!(
        parse_team_state(old),
        json!({"version": 1, "agents": {"eden": {"status": "active"}}, "lastUpdatedMs": 1_771_294_800_000_i64})
    );
    let new = r#"{"version":2,"agents":{},"lastUpdatedMs":1771294990000}"#;
    assert_eq!(parse_team_state(new)["lastUpdatedMs"], json!(1_771_294_990_000_i64));
}

#[test]
fn truncated_task_file_reports_missing_parts() {
    let whole = "# Task: task_x\n\n## Metadata\n- **Status:** blocked\n- **Priority:** high\n\n## Description\n결제 점검\n\n## Steps\n- [x] (s1) 하나\n\n## Blocking\n```json\n{\"blockedReason\":\"권한\",\"unblockedBy\":[\"seum\"]}\n```\n";
    let full = parse_task("task_x".into(), whole).expect("a task");
    assert!(full.flaws.is_empty(), "{:?}", full.flaws);
    let fence = whole.find("{\"blocked").expect("a fence");
    let closed = whole.rfind('}').expect("its end");
    for (cut, _) in whole.char_indices() {
        let Some(task) = parse_task("task_x".into(), &whole[..cut]) else {
            assert!(!whole[..cut].contains("## Metadata\n"), "{cut}: once a section is there it is a task");
            continue;
        };
        let torn = task.flaws.iter().any(|flaw| flaw.kind == FlawKind::Section);
        assert!(torn || !(fence + 1..=closed).contains(&cut), "{cut}: {:?}", task.flaws);
        let status = whole[..cut].contains("blocked\n");
        assert!(status || task.status == TaskStatus::Blocked || !task.flaws.is_empty(), "{cut}");
    }
    let torn = parse_task("task_x".into(), &whole[..whole.len() - 8]).expect("a task");
    assert!(torn.flaws.iter().any(|flaw| flaw.kind == FlawKind::Section && flaw.text == "Blocking"));
}
