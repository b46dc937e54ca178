//! Tests of tasks from files and events, and of decisions that wait for a person.
//!
//! Proves (work): The status of a task, from its file or its events, and the decisions that wait for a person follow
//! `contract/workspace.md` and `contract/events.md`.

use coordination::api::{
    Attention, AttentionKind, Blocking, EventsQuery, SourceInfo, TaskSource, TasksQuery, Unreadable,
};
use coordination::delivery::{DeliveryState, ReasonClass};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use coordination::workspace::{AgentWorkspace, Plan, Priority, Task, TaskStatus, Workspace, parse_plan};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::log::{START_MS, hub, line, reply, send};

const DAY: i64 = 86_400_000;

fn event(kind: &str, after: i64, more: &str) -> String {
    line(kind, "eden", START_MS + after, &format!(r#""taskId":"task_a1"{more}"#))
}

fn folder(tasks: Vec<Task>, plans: Vec<Plan>) -> Workspace {
    Workspace { agents: vec![AgentWorkspace { agent_id: "eden".into(), tasks, plans, ..AgentWorkspace::default() }] }
}

fn file(status: TaskStatus) -> Task {
    Task { id: "task_a1".into(), status, description: "결제 점검".to_owned(), ..Task::default() }
}

fn attention(hub: &Hub, after: i64) -> Vec<Attention> {
    let lines = query::home(hub, START_MS + after).attention;
    lines.into_iter().filter(|line| line.kind != AttentionKind::LowConfidence).collect()
}

#[test]
fn each_event_puts_a_task_in_its_status() {
    for (kind, more, status) in [
        ("task.started", "", TaskStatus::InProgress),
        ("task.started", r#","requiresApproval":true"#, TaskStatus::PendingApproval),
        ("task.blocked", "", TaskStatus::Blocked),
        ("task.resumed", "", TaskStatus::InProgress),
        ("task.completed", "", TaskStatus::Completed),
        ("task.cancelled", "", TaskStatus::Cancelled),
        ("task.backlog_added", r#","assignee":"seum""#, TaskStatus::Backlog),
        ("zombie.abandoned", r#","action":"moved_to_backlog""#, TaskStatus::Backlog),
        ("zombie.abandoned", r#","action":"escalated""#, TaskStatus::Abandoned),
    ] {
        let hub = hub(&[event(kind, 0, more)]);
        let page = query::tasks(&hub, START_MS, &TasksQuery::default()).unwrap();
        assert_eq!((page.tasks[0].status, page.tasks[0].source), (status, TaskSource::Events), "{kind}{more}");
        let owner = if more.contains("seum") { "seum" } else { "eden" };
        assert_eq!(page.tasks[0].agent_id.as_str(), owner, "{kind}");
        assert!(!page.tasks[0].differs, "{kind}");
    }
}

#[test]
fn task_file_wins_differing_log_is_reported() {
    let mut hub =
        hub(&[event("task.started", 0, ""), event("task.blocked", 9, r#","reason":"권한","unblockedBy":["seum"]"#)]);
    for (status, differs) in [(TaskStatus::InProgress, true), (TaskStatus::Blocked, false)] {
        hub.set_workspace(folder(vec![file(status)], Vec::new()));
        let task = query::tasks(&hub, START_MS, &TasksQuery::default()).unwrap().tasks.remove(0);
        assert_eq!((task.status, task.source, task.differs), (status, TaskSource::File, differs));
        assert_eq!((task.event_status, task.event_status_at), (Some(TaskStatus::Blocked), Some(START_MS + 9)));
        assert_eq!(task.title, "결제 점검");
    }
    let only =
        |status| query::tasks(&hub, START_MS, &TasksQuery { status: vec![status], ..TasksQuery::default() }).unwrap();
    assert_eq!(only(TaskStatus::Blocked).total, 1);
    let none = only(TaskStatus::Completed);
    assert_eq!(none.total, 0);
    assert!(none.status_counts.contains(&(TaskStatus::Blocked, 1)), "the counts leave the status filter out");
}

#[test]
fn task_pages_state_the_total() {
    let mut lines = Vec::new();
    for number in 0..25 {
        let (agent, kind) = (["eden", "seum"][number % 2], ["task.started", "task.completed"][number % 3 / 2]);
        let at = START_MS + i64::try_from(number / 5).unwrap();
        lines.push(line(kind, agent, at, &format!(r#""taskId":"task_{number}.a""#)));
    }
    let hub = hub(&lines);
    let ask = |query: TasksQuery| query::tasks(&hub, START_MS, &query).unwrap();
    let whole = ask(TasksQuery::default());
    assert_eq!((whole.tasks.len(), whole.total, whole.next.clone()), (25, 25, None));
    assert_eq!(whole.agent_counts, [("eden".into(), 13), ("seum".into(), 12)]);
    let (mut paged, mut after) = (Vec::new(), None);
    loop {
        let page = ask(TasksQuery { limit: Some(4), after, ..TasksQuery::default() });
        assert_eq!((page.total, page.tasks.len()), (25, 4.min(25 - paged.len())));
        paged.extend(page.tasks);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(paged, whole.tasks);
    let eden = ask(TasksQuery { agent: Some("eden".into()), ..TasksQuery::default() });
    assert_eq!((eden.total, eden.agent_counts.len()), (13, 2), "the counts leave the agent filter out");
    assert!(
        query::tasks(&hub, START_MS, &TasksQuery { after: Some("x".to_owned()), ..TasksQuery::default() }).is_err()
    );
}

#[test]
fn blocked_task_shows_reason_and_helper() {
    let hub = hub(&[event("task.blocked", 0, r#","reason":"DB 권한 필요","unblockedBy":["seum"]"#)]);
    let lines = attention(&hub, 9);
    assert_eq!(lines.len(), 1);
    let line = &lines[0];
    assert_eq!((line.kind, line.since, line.inferred), (AttentionKind::TaskBlocked, START_MS, false));
    assert_eq!((line.detail.as_str(), line.evidence.as_str()), ("DB 권한 필요", "task.blocked"));
    assert_eq!(line.unblockers, ["seum".into()]);
    assert!(attention(&hub, DAY + 1).is_empty(), "without a file, an old event alone asks for nobody");
}

#[test]
fn each_send_trouble_line_names_evidence() {
    let ask = send(0, r#""message":"확인해줘""#);
    let lost = reply(9, r#""outcome":"no_reply","message":"[outcome] no_reply: x""#);
    let full = reply(9, r#""outcome":"blocked","message":"[outcome] blocked: 동시 처리 한도 초과 (agent: seum)""#);
    let hour = 3_600_000;
    for (lines, kind, inferred, evidence) in [
        (vec![ask.clone(), lost.clone()], AttentionKind::NoReply, false, "a2a.response"),
        (vec![ask.clone(), full], AttentionKind::Blocked, false, "a2a.response"),
        (vec![ask.clone()], AttentionKind::NoReply, true, "a2a.send"),
    ] {
        let found = attention(&hub(&lines), hour);
        assert_eq!(found.len(), 1, "{lines:?}");
        assert_eq!((found[0].kind, found[0].inferred, found[0].evidence.as_str()), (kind, inferred, evidence));
        assert_eq!(found[0].thread_id.as_ref().unwrap().as_str(), "conv:c");
    }
    assert!(attention(&hub(std::slice::from_ref(&ask)), 60_000).is_empty(), "it may still be answered");
    let mended = [ask, lost, send(20, r#""message":"다시""#), reply(30, r#""message":"네""#)];
    assert!(attention(&hub(&mended), hour).is_empty(), "a later answer made up for it");
}

#[test]
fn approval_and_abandonment_wait_for_a_person() {
    let approval = attention(&hub(&[event("task.started", 0, r#","requiresApproval":true"#)]), 9);
    assert_eq!((approval[0].kind, approval[0].evidence.as_str()), (AttentionKind::Approval, "task.started"));
    let mut hub = hub(&[event("zombie.abandoned", 0, r#","ageHours":26,"action":"moved_to_backlog""#)]);
    let given_up = attention(&hub, 9);
    assert_eq!((given_up[0].kind, given_up[0].attempts), (AttentionKind::Zombie, Some(26)));
    let plan = parse_plan("p1", &"eden".into(), r#"{"title":"결제 개편","status":"pending","steps":["하나"]}"#);
    hub.set_workspace(folder(Vec::new(), vec![plan]));
    let planned = attention(&hub, 9);
    assert_eq!(planned.len(), 1, "the readable folder no longer holds the task: {planned:?}");
    assert_eq!((planned[0].kind, planned[0].evidence.as_str()), (AttentionKind::Approval, "plans/p1.json"));
    assert_eq!(planned[0].title, "결제 개편");
}

#[test]
fn home_and_task_page_name_same_helpers() {
    let mut hub = hub(&[]);
    let blocking = Blocking { unblocked_by: vec!["Seum".to_owned(), "ruda".to_owned()], ..Blocking::default() };
    let stuck = Task { blocking: Some(blocking), ..file(TaskStatus::Blocked) };
    hub.set_workspace(folder(vec![stuck], Vec::new()));
    let line = attention(&hub, 9).remove(0);
    let task = query::task(&hub, START_MS, &"eden".into(), &"task_a1".into()).unwrap().task;
    assert_eq!(line.unblockers, ["seum".into(), "ruda".into()]);
    assert_eq!(task.blocking.unwrap().unblocked_by, ["seum", "ruda"]);
}

#[test]
fn plan_evidence_is_event_or_file() {
    let plan = |id: &str| parse_plan(id, &"eden".into(), r#"{"taskId":"task_a1","title":"개편","status":"pending"}"#);
    let submitted = |id: &str| event("plan.submitted", 5, &format!(r#","planId":"{id}""#));
    for (lines, evidence, at) in [
        (vec![submitted("p1")], "plan.submitted", Some(START_MS + 5)),
        (vec![submitted("another")], "plans/p1.json", None),
        (Vec::new(), "plans/p1.json", None),
    ] {
        let mut hub = hub(&lines);
        hub.set_workspace(folder(vec![file(TaskStatus::PendingApproval)], vec![plan("p1")]));
        let found = attention(&hub, 9);
        assert_eq!(found.len(), 1, "the plan says more than its task: {found:?}");
        assert_eq!(found[0].evidence, evidence);
        let proof = found[0].event_id.as_ref().map(|id| query::event(&hub, id, |_| None).unwrap().event.at);
        assert_eq!(proof, at, "{evidence}");
        assert_eq!(found[0].task_id.as_ref().unwrap().as_str(), "task_a1");
    }
}

#[test]
fn event_links_to_its_task_or_nothing() {
    let of_seum = line("task.updated", "seum", START_MS, r#""taskId":"task_a1""#);
    let unknown = line("a2a.send", "seum", START_MS + 1, r#""fromAgent":"seum","toAgent":"eden","taskId":"task_gone""#);
    let mut hub = hub(&[of_seum, unknown]);
    let rows = |hub: &Hub| query::events(hub, START_MS, &EventsQuery::default()).unwrap().events;
    let owners = |hub: &Hub| rows(hub).into_iter().rev().map(|row| row.task_owner).collect::<Vec<_>>();
    assert_eq!(owners(&hub), [Some("seum".into()), None], "only its own event tells of the one");
    hub.set_workspace(folder(vec![file(TaskStatus::InProgress)], Vec::new()));
    assert_eq!(owners(&hub), [Some("eden".into()), None], "the file says whose it is");
    for row in rows(&hub) {
        if let (Some(owner), Some(task)) = (row.task_owner, row.task_id) {
            assert!(query::task(&hub, START_MS, &owner, &task).is_some(), "{owner} {task}");
        }
    }
}

#[test]
fn current_work_opens_under_agent_id() {
    let begun = line("task.started", "eden", START_MS, r#""taskId":"task_a1""#);
    let updated = line("task.updated", "seum", START_MS + 1, r#""taskId":"task_a1","status":"in_progress""#);
    let hub = hub(&[begun, updated]);
    let home = query::home(&hub, START_MS + 2);
    let at = |id: &str| home.agents.iter().find(|agent| agent.id.as_str() == id).unwrap().current_task_id.clone();
    assert_eq!((at("eden"), at("seum")), (Some("task_a1".into()), None));
}

#[test]
fn non_answer_response_is_marked_in_event_lists() {
    let lost = reply(9, r#""outcome":"no_reply","message":"[outcome] no_reply: x","waitStatus":"timeout""#);
    let full = reply(10, r#""outcome":"blocked","message":"[outcome] blocked: 동시 처리 한도 초과 (agent: seum)""#);
    let hub = hub(&[lost, full, reply(11, r#""message":"네""#)]);
    let rows = query::events(&hub, START_MS, &EventsQuery::default()).unwrap().events;
    let missing: Vec<_> = rows.iter().rev().map(|row| row.missing.map(|it| (it.state, it.reason))).collect();
    let timeout = (DeliveryState::NoReply, ReasonClass::Timeout);
    assert_eq!(missing, [Some(timeout), Some((DeliveryState::Blocked, ReasonClass::Concurrency)), None]);
}

#[test]
fn home_counts_unreadable_files_names_first() {
    let mut hub = hub(&[]);
    let agent = |id: &str, files: usize| AgentWorkspace {
        agent_id: id.into(),
        unreadable: (0..files).map(|n| (format!("workspace-{id}/tasks/{n}.md"), "EACCES".to_owned())).collect(),
        ..AgentWorkspace::default()
    };
    assert_eq!(query::home(&hub, START_MS).source.unreadable_total, 0);
    hub.set_source(SourceInfo {
        unreadable: vec![Unreadable { path: "logs/x".to_owned(), cause: "EACCES".to_owned() }],
        ..SourceInfo::default()
    });
    hub.set_workspace(Workspace { agents: vec![agent("eden", 5), agent("seum", 5)] });
    let source = query::home(&hub, START_MS).source;
    assert_eq!((source.unreadable_total, source.unreadable.len()), (11, 8));
    assert_eq!((source.unreadable[0].path.as_str(), source.unreadable[0].cause.as_str()), ("logs/x", "EACCES"));
}

#[test]
fn failed_helper_requests_replace_blocked_task() {
    let blocked = event("task.blocked", 0, r#","reason":"DB 권한 필요","unblockedBy":["seum"]"#);
    let failed = event("unblock.failed", 9, "");
    let lines = attention(&hub(&[blocked.clone(), failed.clone()]), 10);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((lines[0].kind, lines[0].evidence.as_str()), (AttentionKind::UnblockFailed, "unblock.failed"));
    assert_eq!((lines[0].detail.as_str(), lines[0].since), ("DB 권한 필요", START_MS));
    let alone = attention(&hub(std::slice::from_ref(&failed)), 10);
    assert_eq!((alone.len(), alone[0].kind, alone[0].since), (1, AttentionKind::UnblockFailed, START_MS + 9));
    let resumed = event("task.resumed", 20, "");
    assert!(attention(&hub(&[blocked, failed.clone(), resumed]), 30).is_empty(), "it goes on");
    assert!(attention(&hub(&[failed]), DAY + 10).is_empty(), "an old event alone asks for nobody");
}

#[test]
fn escalation_failure_in_file_is_evidence() {
    let mut hub = hub(&[]);
    let blocking = Blocking { escalation_state: Some("failed".to_owned()), ..Blocking::default() };
    hub.set_workspace(folder(vec![Task { blocking: Some(blocking), ..file(TaskStatus::Blocked) }], Vec::new()));
    let line = attention(&hub, 9).remove(0);
    assert_eq!((line.kind, line.evidence.as_str()), (AttentionKind::UnblockFailed, "tasks/task_a1.md"));
}

#[test]
fn three_backoffs_within_hour_need_person() {
    let minute = 60_000;
    let off = |after: i64, row: u32| {
        let more = format!(r#","reason":"rate_limit","consecutiveFailures":{row},"backoffMs":60000"#);
        event("continuation.backoff", after, &more)
    };
    let [first, second] = [off(0, 1), off(20 * minute, 1)];
    assert!(attention(&hub(&[first.clone(), second.clone()]), 21 * minute).is_empty());
    let lines = attention(&hub(&[first.clone(), second.clone(), off(40 * minute, 1)]), 41 * minute);
    assert_eq!((lines.len(), lines[0].kind, lines[0].attempts), (1, AttentionKind::Backoff, Some(3)));
    assert_eq!((lines[0].since, lines[0].detail.as_str()), (START_MS, "rate_limit"));
    assert!(attention(&hub(&[first, second, off(200 * minute, 1)]), 201 * minute).is_empty(), "they lie apart");
    let row = attention(&hub(&[off(0, 3)]), minute);
    assert_eq!((row.len(), row[0].attempts), (1, Some(3)), "the event itself counts three in a row");
    let over = event("task.completed", minute, "");
    assert!(attention(&hub(&[off(0, 3), over]), 2 * minute).is_empty(), "the task is over");
}

#[test]
fn badge_has_bar_per_hour_of_day() {
    let hour = 3_600_000;
    let start = START_MS - START_MS.rem_euclid(hour);
    let send = |at: i64| send(at - START_MS, r#""message":"배포 확인""#);
    let hub = hub(&[send(start - 24 * hour), send(start - 23 * hour), send(start), send(start + 5)]);
    let home = query::home(&hub, start + hour - 1);
    let spark: Vec<u32> = home.categories.iter().find(|it| it.totals.total > 0).unwrap().totals.spark.clone();
    let mut wanted = vec![0; 24];
    (wanted[0], wanted[23]) = (1, 2);
    assert_eq!(spark, wanted, "the first is a day and an hour ago, the last is still running");
    assert!(query::home(&hub, start + 30 * hour).categories.iter().all(|it| it.totals.spark.is_empty()));
}

#[test]
fn resume_chain_is_complete_cycle_terminates() {
    let started = |session: &str, previous: &str, after: i64| {
        line(
            "task.started",
            "eden",
            START_MS + after,
            &format!(r#""taskId":"task_{session}","workSessionId":"{session}","previousWorkSessionId":"{previous}""#),
        )
    };
    let chain = |hub: &Hub, task: &str| {
        let detail = query::task(hub, START_MS + 99, &"eden".into(), &task.into()).unwrap();
        let ids: Vec<String> = detail.chain.iter().map(|link| link.work_session_id.to_string()).collect();
        (ids.join(" "), detail.chain_loops)
    };
    let row = hub(&[started("ws_b", "ws_a", 0), started("ws_c", "ws_b", 9), started("ws_d", "ws_c", 20)]);
    assert_eq!(chain(&row, "task_ws_c"), ("ws_a ws_b ws_c ws_d".to_owned(), false));
    let ring = hub(&[started("ws_a", "ws_b", 0), started("ws_b", "ws_a", 9)]);
    assert_eq!(chain(&ring, "task_ws_a"), ("ws_b ws_a".to_owned(), true));
}

#[test]
fn unknown_status_counted_orphan_plan_listed() {
    let mut hub = hub(&[]);
    let odd = coordination::workspace::parse_task("task_a1".into(), "## Metadata\n- **Status:** doing").unwrap();
    let plan = parse_plan("p", &"eden".into(), r#"{"agentId":"eden","title":"홀로","status":"rejected"}"#);
    hub.set_workspace(folder(vec![odd], vec![plan]));
    let page = query::tasks(&hub, START_MS, &TasksQuery::default()).unwrap();
    assert!(page.status_counts.contains(&(TaskStatus::Unknown, 1)));
    assert_eq!((page.plans.len(), page.tasks[0].flaws[0].text.as_str()), (1, "doing"));
    let of_seum = TasksQuery { agent: Some("seum".into()), ..TasksQuery::default() };
    assert!(query::tasks(&hub, START_MS, &of_seum).unwrap().plans.is_empty());
}

/// One event of a task: when it came, which one it is of, by whom, and what it says.
fn step((after, task, agent, kind): &(i64, u8, &str, usize)) -> String {
    let (kind, more) = [
        ("task.started", r#","priority":"high""#),
        ("task.updated", r#","status":"pending_approval","priority":"odd""#),
        ("task.blocked", ""),
        ("task.completed", r#","priority":"low""#),
        ("a2a.send", ""),
        ("zombie.abandoned", r#","action":"escalated","ageHours":9"#),
        ("task.backlog_added", r#","assignee":"Seum""#),
    ][*kind];
    line(kind, agent, START_MS + after, &format!(r#""taskId":"task_{task}"{more}"#))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// The stored task list equals a scan of every task. A search for a word that is in every id makes that scan.
    #[test]
    fn task_list_matches_linear_scan(
        steps in proptest::collection::vec(
            (0_i64..40, 0_u8..9, select(vec!["eden", "seum", "miri"]), 0_usize..7), 1..40,
        ),
        batch in 1_usize..9,
        filed in proptest::collection::vec((0_u8..12, select(TaskStatus::ALL.to_vec())), 0..4),
        status in subsequence(TaskStatus::ALL.to_vec(), 0..4),
        agent in proptest::option::of(select(vec!["eden", "seum", "none"])),
    ) {
        let mut hub = hub(&[]);
        let tasks = filed.iter().map(|(task, status)| Task { id: format!("task_{task}").as_str().into(), ..file(*status) });
        hub.set_workspace(folder(tasks.collect(), Vec::new()));
        for (number, steps) in steps.chunks(batch).enumerate() {
            let text: String = steps.iter().map(|one| step(one) + "\n").collect();
            hub.apply(parse_lines(text.as_bytes(), &format!("f{number:02}"), 0).0);
        }
        let base_query = TasksQuery { status, agent: agent.map(Into::into), ..TasksQuery::default() };
        let all = |q: Option<&str>, limit: u32| {
            let mut query = TasksQuery { q: q.map(str::to_owned), limit: Some(limit), ..base_query.clone() };
            let mut page = query::tasks(&hub, START_MS, &query).unwrap();
            while let Some(next) = page.next.take() {
                query.after = Some(next);
                let mut more = query::tasks(&hub, START_MS, &query).unwrap();
                assert_eq!((more.total, &more.status_counts), (page.total, &page.status_counts));
                page.tasks.append(&mut more.tasks);
                page.next = more.next;
            }
            page
        };
        let looked = all(Some("task"), 500);
        prop_assert_eq!(looked.total as usize, looked.tasks.len());
        prop_assert_eq!(&all(None, 500), &looked);
        prop_assert_eq!(&all(None, 2).tasks, &looked.tasks);
        // Whatever came late: the newest event that says how urgent it is counts.
        let mut ordered: Vec<_> = (0..).zip(&steps).map(|(at, step)| ((step.0, at / batch, at), step)).collect();
        ordered.sort_by_key(|(order, _)| *order);
        for task in looked.tasks.iter().filter(|task| task.source == TaskSource::Events) {
            let priorities = ordered.iter().rev().filter(|(_, step)| format!("task_{}", step.1) == task.id.as_str());
            let priorities = priorities.filter_map(|(_, step)| [Some(Priority::High), Some(Priority::Unknown), None, Some(Priority::Low), None, None, None][step.3]);
            prop_assert_eq!(task.priority, priorities.into_iter().next().unwrap_or_default());
        }
    }
}

#[test]
fn untitled_task_shows_session_title() {
    let named = r#","message":"[Goal] 봄 캠페인 문구\n확인해 주세요","workSessionId":"ws_1""#;
    let message = line(
        "a2a.send",
        "eden",
        START_MS,
        &format!(r#""fromAgent":"eden","toAgent":"seum","conversationId":"c"{named}"#),
    );
    let task = |session: &str| {
        let more = format!(r#""taskId":"task_x","workSessionId":"{session}""#);
        let hub = hub(&[message.clone(), line("task.started", "eden", START_MS + 1, &more)]);
        let found = query::tasks(&hub, START_MS + 9, &TasksQuery::default()).unwrap().tasks.remove(0);
        (found.title.clone(), found.shown_title().to_owned())
    };
    assert_eq!(task("ws_1"), (String::new(), "봄 캠페인 문구".to_owned()));
    assert_eq!(task("ws_2"), (String::new(), String::new()), "a session without a title of its own lends none");
}
