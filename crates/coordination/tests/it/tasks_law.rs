//! Property tests of task lists and task searches. Tasks come from workspace folders and from the log. In whatever
//! order folders and log are read, the results are equal, and they equal those of a scan of all tasks.
//!
//! Another test: the age of an agent's state is the age of the event that the state names as its evidence.
//!
//! Proves (work): Lists and searches of tasks are the same in whatever order log and folders are read.

use std::collections::BTreeSet;
use std::sync::Arc;

use coordination::api::{
    AgentCard, AgentState, AgentsQuery, STALE_AFTER_MS, SearchKind, SearchQuery, TaskDetail, TaskSummary, TasksPage,
    TasksQuery,
};
use coordination::event::{Event, parse_lines};
use coordination::hub::Hub;
use coordination::ids::{AgentId, TaskId};
use coordination::query;
use coordination::search::WordFilter;
use coordination::search::index::{NoIndex, SearchIndex};
use coordination::workspace::{AgentWorkspace, HistoryEntry, Step, StepState, Task, TaskStatus, Workspace};
use proptest::collection::vec;
use proptest::prelude::*;

const START_MS: i64 = 1_771_500_000_000;
const NOW: i64 = START_MS + 3_600_000;
const DAY: i64 = 86_400_000;

const TEXTS: &[&str] = &[
    "배포 자동화",
    "## 배포\n\n결제 점검을 먼저",
    "nginx를 켠다",
    "T-1 정리",
    "workSession 저장\n배포",
    "",
    "`---`\n회의록 옮기기",
    "ㅂㅍ",
];
const WORDS: &[&str] =
    &["배포", "배포를", "t-1", "결제", "work_session", "T-1", "eden", "배포 결제", "ㅂㅍ", "없는말", "회의 -배포"];
const AGENTS: [&str; 3] = ["eden", "seum", "dajim"];

fn id() -> impl Strategy<Value = TaskId> {
    (0_u8..6).prop_map(|number| TaskId::from(format!("T-{number}")))
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(TEXTS).prop_map(str::to_owned)
}

fn status() -> impl Strategy<Value = TaskStatus> {
    prop::sample::select(vec![TaskStatus::Pending, TaskStatus::Blocked, TaskStatus::InProgress, TaskStatus::Completed])
}

fn time() -> impl Strategy<Value = String> {
    (0_u32..60).prop_map(|minute| format!("2026-02-19T11:{minute:02}:00Z"))
}

fn file() -> impl Strategy<Value = Task> {
    let step = text().prop_map(|content| Step { id: "s".to_owned(), content, status: StepState::Pending, order: 1 });
    let session = prop::option::of((0_u8..3).prop_map(|number| format!("ws-{number}").into()));
    (id(), text(), vec(step, 0..3), status(), prop::option::of(time()), prop::option::of(time()), session).prop_map(
        |(id, description, steps, status, created, last_activity, work_session_id)| Task {
            id,
            description,
            steps,
            status,
            created,
            last_activity,
            work_session_id,
            ..Task::default()
        },
    )
}

fn entry() -> impl Strategy<Value = HistoryEntry> {
    (prop::option::of(id()), text(), time(), status()).prop_map(|(id, description, completed, status)| HistoryEntry {
        id,
        description,
        completed,
        status,
        month: "2026-02".to_owned(),
        ..HistoryEntry::default()
    })
}

/// Up to three agents' folders, sometimes the same folder twice.
fn workspace() -> impl Strategy<Value = Workspace> {
    let folder = (prop::sample::select(&AGENTS[..]), vec(file(), 0..4), vec(entry(), 0..4));
    vec(folder, 0..4).prop_map(|folders| {
        let agents = folders.into_iter().map(|(agent, tasks, history)| AgentWorkspace {
            agent_id: agent.into(),
            tasks,
            history: history.into_iter().map(Arc::new).collect(),
            ..AgentWorkspace::default()
        });
        Workspace { agents: agents.collect() }
    })
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let kind =
        prop::sample::select(vec!["task.started", "task.blocked", "task.completed", "a2a.send", "task.progress"]);
    let line = (kind, prop::sample::select(&AGENTS[..]), id(), 0_u8..3, 0_i64..120).prop_map(
        |(kind, agent, id, session, minute)| {
            serde_json::json!({"type": kind, "agentId": agent, "ts": START_MS - minute * 60_000, "data": {
                "fromAgent": agent, "toAgent": "dajim", "taskId": id, "workSessionId": format!("ws-{session}"),
            }})
            .to_string()
        },
    );
    vec(line, 0..16)
}

fn events(lines: &[String]) -> Vec<Event> {
    parse_lines(lines.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes(), "f", 0).0
}

/// All pages of the list.
fn listed(hub: &Hub, query: &TasksQuery) -> (TasksPage, Vec<TaskSummary>) {
    let first = query::tasks(hub, NOW, query).unwrap();
    let (mut all, mut next) = (first.tasks.clone(), first.next.clone());
    while next.is_some() {
        let page = query::tasks(hub, NOW, &TasksQuery { after: next, ..query.clone() }).unwrap();
        assert_eq!((&page.status_counts, page.total), (&first.status_counts, first.total));
        all.extend(page.tasks);
        next = page.next;
    }
    assert_eq!(all.len(), first.total as usize, "each once");
    (first, all)
}

type TaskNames = BTreeSet<(AgentId, TaskId)>;

fn names(tasks: &[TaskSummary]) -> TaskNames {
    tasks.iter().map(|task| (task.agent_id.clone(), task.id.clone())).collect()
}

/// Everything that lists and searches tell.
fn lists_and_searches(hub: &Hub) -> (Vec<TaskSummary>, Vec<String>, Vec<TaskNames>) {
    let (page, all) = listed(hub, &TasksQuery { limit: Some(3), ..TasksQuery::default() });
    let mut texts = vec![format!("{:?} {:?}", page.status_counts, page.agent_counts)];
    let mut index = SearchIndex::new();
    assert!(hub.index_entries(0, u32::MAX).iter().all(|entry| index.add(entry)));
    let mut found = Vec::new();
    for word in WORDS {
        let search_query = SearchQuery { q: (*word).to_owned(), limit: Some(100), ..SearchQuery::default() };
        let answer = query::search(hub, &index, NOW, &search_query).unwrap();
        assert_eq!(answer, query::search(hub, &NoIndex, NOW, &search_query).unwrap(), "{word}");
        let tasks = answer.hits.iter().filter(|hit| hit.kind == SearchKind::Tasks);
        found.push(tasks.map(|hit| (hit.from.clone().unwrap(), hit.task_id.clone().unwrap())).collect());
        texts.push(serde_json::to_string(&(answer.hits, answer.counts, answer.facets)).unwrap());
        let (page, tasks) =
            listed(hub, &TasksQuery { q: Some((*word).to_owned()), limit: Some(2), ..TasksQuery::default() });
        texts.push(format!("{:?} {:?}", page.status_counts, names(&tasks)));
    }
    (all, texts, found)
}

/// Whether a search for these words finds a task, by a look at all it says.
fn holds(words: &str, detail: &TaskDetail) -> bool {
    let texts: Vec<&str> =
        [detail.task.id.as_str(), &detail.task.title, detail.task.agent_id.as_str(), &detail.description]
            .into_iter()
            .chain(detail.steps.iter().map(|step| step.content.as_str()))
            .collect();
    words.split(' ').all(|word| {
        let (word, wanted) = word.strip_prefix('-').map_or((word, true), |word| (word, false));
        let words = WordFilter::read(word).unwrap();
        texts.iter().any(|text| words.are_in(text)) == wanted
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn task_lists_are_order_independent_match_scan(
        (lines, first, last) in (lines(), workspace(), workspace()),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut hub = Hub::new();
        hub.apply(events(&lines));
        hub.set_workspace(last.clone());
        let (all, texts, found) = lists_and_searches(&hub);

        // Folders that were there before, events before, between and after them, the newest first.
        let mut other = Hub::new();
        let events = events(&lines);
        let (early, late) = events.split_at(cut.index(events.len() + 1));
        other.set_workspace(first);
        late.iter().rev().for_each(|event| drop(other.apply(vec![event.clone()])));
        let mut partly = last.clone();
        partly.agents.iter_mut().step_by(2).for_each(|folder| folder.tasks.truncate(1));
        other.set_workspace(partly);
        other.apply(early.to_vec());
        other.set_workspace(last);
        let (other_all, other_texts, _) = lists_and_searches(&other);
        prop_assert_eq!(&all, &other_all);
        prop_assert_eq!(texts, other_texts);

        let details: Vec<TaskDetail> =
            all.iter().map(|task| query::task(&hub, NOW, &task.agent_id, &task.id).unwrap()).collect();
        for (word, found) in WORDS.iter().zip(found) {
            let naive: TaskNames = details
                .iter()
                .filter(|detail| holds(word, detail))
                .map(|detail| (detail.task.agent_id.clone(), detail.task.id.clone()))
                .collect();
            prop_assert_eq!(found, naive, "{}", word);
            let words = WordFilter::read(word).unwrap();
            let says = |task: &&TaskSummary| {
                words.is_all(words.mask(task.id.as_str()) | words.mask(&task.title))
            };
            let (_, listed) = listed(&hub, &TasksQuery { q: Some((*word).to_owned()), ..TasksQuery::default() });
            let naive: Vec<&TaskSummary> = all.iter().filter(says).collect();
            prop_assert_eq!(listed.iter().collect::<Vec<_>>(), naive, "{}", word);
        }
    }

    /// The age of an agent's state is of the event that it names, no state outlives its limit, and home counts what the
    /// agents page counts.
    #[test]
    fn a3_agent_state_age_matches_its_evidence(
        lines in lines(), workspace in workspace(), after in 0_i64..3 * DAY,
    ) {
        let mut hub = Hub::new();
        let events = events(&lines);
        hub.apply(events.clone());
        hub.set_workspace(workspace);
        let now = START_MS + after;
        let page = query::agents(&hub, now, &AgentsQuery::default());
        for AgentCard { agent, evidence, .. } in &page.agents {
            let named = evidence.as_ref().and_then(|evidence| evidence.event_id.as_ref());
            if let Some(event) = named.and_then(|id| events.iter().find(|event| event.id() == *id)) {
                prop_assert_eq!(agent.state_at, Some(event.at), "{:?}", evidence);
            }
            if agent.state == AgentState::Working {
                let newest = agent.state_at.max(agent.acted_at);
                prop_assert!(newest.is_some_and(|at| now - at <= STALE_AFTER_MS), "{:?}", agent);
                prop_assert!(agent.state_at.is_none_or(|at| now - at <= DAY), "{:?}", agent);
            }
            prop_assert_eq!(agent.state_by(now), agent.state);
        }
        let cards: Vec<_> = page.agents.into_iter().map(|card| card.agent).collect();
        prop_assert_eq!(query::home(&hub, now).agents, cards);
    }
}
