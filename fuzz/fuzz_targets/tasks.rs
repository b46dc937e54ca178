//! Fuzz target of the parsers of agent workspace files: tasks, current task, plans, milestones, history and team state.
//! No input causes a panic. An unknown status of a task is recorded as a flaw. Every listed task can be queried.
#![no_main]

use coordination::api::{AgentsQuery, TasksQuery};
use coordination::hub::Hub;
use coordination::query;
use coordination::workspace::{
    AgentWorkspace, Workspace, parse_current, parse_history, parse_milestones, parse_plan, parse_task, parse_team_state,
};
use libfuzzer_sys::fuzz_target;

const NOW: i64 = 1_772_000_000_000;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let task = parse_task("task_a1".into(), &text);
    if let Some(task) = &task {
        let steps = task.steps_progress();
        assert_eq!(steps.total as usize, task.steps.len());
        assert!(task.raw_status.is_none() || !task.flaws.is_empty(), "an unknown status is a flaw");
    }
    let milestones = parse_milestones(&text);
    assert!(milestones.iter().all(|one| one.done <= one.total && one.items.len() <= one.total as usize));
    drop(parse_team_state(&text));
    let agent = AgentWorkspace {
        agent_id: "eden".into(),
        tasks: task.into_iter().collect(),
        history: parse_history("2026-02", &text),
        current: parse_current(&text),
        plans: vec![parse_plan("plan", &"eden".into(), &text)],
        milestones,
        unreadable: Vec::new(),
    };
    let mut hub = Hub::new();
    hub.set_workspace(Workspace { agents: vec![agent] });
    let page = query::tasks(&hub, NOW, &TasksQuery::default()).expect("no cursor was given");
    for task in &page.tasks {
        query::task(&hub, NOW, &task.agent_id, &task.id).expect("a listed task");
    }
    let agents = query::agents(&hub, NOW, &AgentsQuery::default()).agents;
    assert!(agents.iter().any(|card| card.agent.id.as_str() == "eden"), "a folder is an agent, whatever its files say");
});
