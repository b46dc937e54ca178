//! Tests of what OpenClaw asks of a person: approvals and statements of agents as lines of home, until they are decided or
//! end by themselves.
//!
//! Proves (work): Each approval that waits in OpenClaw's gateway is a line for a person with the command as recorded, and
//! each session whose agent asks for attention is one in the agent's own words; both are over when they are decided or
//! their time has passed, and a statement without a request for attention makes no line.

use std::sync::Arc;

use coordination::api::{
    AgentStatement, AgentsQuery, ApprovalKind, ApprovalRequest, Attention, AttentionGroup, AttentionKind,
    RequestedCall, WaitsQuery,
};
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;
use coordination::store::{PendingApproval, PersonRequests};
use serde_json::json;

use super::log::{START_MS, hub, line};

const END_MS: i64 = START_MS + 600_000;

fn approval(id: &str, agent: Option<&str>) -> PendingApproval {
    PendingApproval {
        request: ApprovalRequest {
            id: id.to_owned(),
            kind: ApprovalKind::Exec,
            text: "rm -rf **/build\n./deploy.sh".to_owned(),
            ..ApprovalRequest::default()
        },
        title: None,
        agent_id: agent.map(Into::into),
        session_key: agent.map(|agent| format!("agent:{agent}:main")),
        created_at: START_MS,
        expires_at: END_MS,
        call: None,
        is_forwarded: false,
    }
}

fn statement(note: &str, attention: Option<&str>, expires_at: i64, session: &str) -> AgentStatement {
    let attention = attention.map(str::to_owned);
    AgentStatement { note: note.to_owned(), attention, expires_at, session_key: format!("agent:eden:{session}") }
}

fn hub_with(requests: PersonRequests) -> Hub {
    let mut hub = hub(&[]);
    assert!(!hub.set_person_requests(requests).is_empty());
    hub
}

fn lines(hub: &Hub, now: i64) -> Vec<Attention> {
    query::home(hub, now).attention
}

#[test]
fn pending_approval_is_a_line_until_its_end() {
    let gateway_page = Some("http://127.0.0.1:18789/".to_owned());
    let approvals = vec![approval("a/1", Some("eden")), approval("b", None)];
    let mut hub =
        hub_with(PersonRequests { approvals, gateway_page: gateway_page.clone(), ..PersonRequests::default() });
    let shown = lines(&hub, END_MS - 1);
    let [first, second] = &shown[..] else { panic!("{shown:?}") };
    assert_eq!(
        (first.kind, first.group(), first.inferred),
        (AttentionKind::ToolApproval, AttentionGroup::Person, false)
    );
    assert_eq!((first.since, first.until), (START_MS, Some(END_MS)));
    assert_eq!(first.detail, "rm -rf **/build ./deploy.sh", "one line, with its marks");
    assert_eq!(first.session_key.as_deref(), Some("agent:eden:main"));
    let request = first.approval.as_ref().unwrap();
    assert_eq!(request.text, "rm -rf **/build\n./deploy.sh", "as it was recorded");
    assert_eq!(request.url.as_deref(), Some("http://127.0.0.1:18789/approve/a%2F1"));
    assert_ne!(first.key(), second.key());
    assert_eq!(second.agent, None);
    assert_eq!(query::totals(&hub, START_MS).attention.get(&AttentionKind::ToolApproval), Some(&2));
    assert_eq!(lines(&hub, END_MS), [], "the gateway denied them");

    let rest = PersonRequests { approvals: vec![approval("b", None)], gateway_page, ..PersonRequests::default() };
    let changes = hub.set_person_requests(rest.clone());
    assert!(!changes.is_empty(), "one is decided");
    assert_eq!(lines(&hub, START_MS).len(), 1);
    assert!(hub.set_person_requests(rest).is_empty(), "nothing new");
}

/// Only what can be shown whole, of a known agent, while there is a gateway to send the answer to.
#[test]
fn approval_that_a_page_can_answer_leads_there() {
    let call = Arc::new(RequestedCall { tool: "exec".to_owned(), input: json!({"command": "ls"}), cwd: None });
    let whole =
        |id: &str, agent: Option<&str>| PendingApproval { call: Some(Arc::clone(&call)), ..approval(id, agent) };
    let approvals = vec![whole("a", Some("eden")), whole("b", None), approval("c", Some("eden"))];
    for (gateway_page, expected) in [(Some("http://127.0.0.1:18789/".to_owned()), vec!["a"]), (None, vec![])] {
        let requests = PersonRequests { approvals: approvals.clone(), gateway_page, ..PersonRequests::default() };
        let hub = hub_with(requests);
        let shown = lines(&hub, START_MS);
        let answerable: Vec<&str> = shown.iter().flat_map(|line| &line.requests).map(|request| &*request.id).collect();
        assert_eq!(answerable, expected);
        let known = ["a", "b", "c", "d"].map(|id| query::answerable_approval(&hub, id).is_some());
        assert_eq!(known, [!expected.is_empty(), false, false, false]);
    }
}

#[test]
fn approval_links_to_the_dashboard_as_configured() {
    for (config, url) in [
        (r#"{gateway:{controlUi:{basePath:"/claw/"}}}"#, Some("http://127.0.0.1:1/claw/approve/a")),
        (r#"{gateway:{controlUi:{basePath:"/c law"}}}"#, None),
        (r#"{gateway:{controlUi:{enabled:false}}}"#, None),
        ("{}", Some("http://127.0.0.1:1/approve/a")),
    ] {
        let gateway_page = Some("http://127.0.0.1:1/".to_owned());
        let approvals = vec![approval("a", Some("eden"))];
        let mut hub = hub_with(PersonRequests { approvals, gateway_page, ..PersonRequests::default() });
        hub.set_roster(Roster::parse(config, &mut |_| Err(String::new())).unwrap());
        let line = lines(&hub, START_MS).remove(0);
        assert_eq!(line.approval.unwrap().url.as_deref(), url, "{config}");
    }
}

#[test]
fn agent_that_asks_for_attention_is_a_line_in_its_words() {
    let statements = vec![
        ("eden".into(), statement("결제 키가 필요합니다", Some("key"), END_MS, "main")),
        ("eden".into(), statement("두 번째 세션", Some("of-later"), END_MS, "second")),
        ("eden".into(), statement("번역 중", None, END_MS + 1, "third")),
    ];
    let hub = hub_with(PersonRequests { statements, ..PersonRequests::default() });
    let shown = lines(&hub, START_MS);
    let words: Vec<_> = shown.iter().map(|line| (line.kind, line.detail.as_str(), line.inferred)).collect();
    let (kind, first) = (AttentionKind::AgentRequest, "결제 키가 필요합니다");
    assert_eq!(words, [(kind, first, false), (kind, "두 번째 세션", false)]);
    assert_ne!(shown[0].key(), shown[1].key());
    assert_eq!((shown[0].since, shown[0].until), (0, Some(END_MS)));
    assert_eq!(lines(&hub, END_MS), []);
    let says = |now| {
        let page = query::agents(&hub, now, &AgentsQuery::default());
        page.agents.into_iter().find(|card| card.agent.id.as_str() == "eden")?.agent.statement.map(|said| said.note)
    };
    assert_eq!(says(START_MS).as_deref(), Some("번역 중"), "what lasts longest, asked for or not");
    assert_eq!(says(END_MS + 1), None);
}

#[test]
fn renewed_statement_is_a_new_proof() {
    let line = |note: &str, until| {
        let statements = vec![("eden".into(), statement(note, Some("hand"), until, "main"))];
        lines(&hub_with(PersonRequests { statements, ..PersonRequests::default() }), START_MS).remove(0)
    };
    let (first, later) = (line("하나", END_MS), line("둘", END_MS + 1));
    assert_eq!(first.subject_key(), later.subject_key());
    assert_ne!(first.proof_key(), later.proof_key(), "who hid the first sees the second");
}

#[test]
fn agent_that_waits_for_approval_is_a_root_with_its_decision() {
    let asks = r#""fromAgent":"miri","toAgent":"eden","conversationId":"c","message":"확인 부탁""#;
    let mut hub = hub(&[line("a2a.send", "miri", START_MS, asks)]);
    let approvals = vec![approval("a", Some("eden"))];
    hub.set_person_requests(PersonRequests { approvals, ..PersonRequests::default() });
    let waiting = query::waits(&hub, START_MS, &WaitsQuery { agent: Some("eden".into()) });
    let person = waiting.agents[0].person.unwrap();
    assert_eq!((person.kind, person.since, waiting.agents[0].root), (AttentionKind::ToolApproval, START_MS, true));
    assert_eq!(lines(&hub, START_MS)[0].held_up, 1);
}
