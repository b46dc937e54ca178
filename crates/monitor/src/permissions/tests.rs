//! Tests of the state machine of permission requests over random schedules, against a model that knows only when each
//! request may end and how.
//!
//! Proves (claude-code): Over random schedules of answers, time limits, lost hooks and ends of calls, each request ends once,
//! its hook gets at most one decision, and only one that a person gave for exactly that call.

use coordination::api::{
    Danger, DangerKind, GivenAnswer, PermissionAnswer, PermissionChannel, PermissionDecision, PermissionState,
    PermissionSummary, PermissionVerdict, RequestedCall,
};
use coordination::ids::AgentId;
use proptest::prelude::*;
use serde_json::json;
use tokio::sync::oneshot;

use super::agent_event::{AgentSign, sign_of};
use super::requests::{AnswerRefused, Asker, Requests, WaitingRequest};

#[derive(Debug, Clone)]
enum ScheduleStep {
    Claim { request: usize, decision: PermissionDecision, right_digest: bool, confirmed: bool },
    Deliver(usize),
    Release(usize),
    Expire(usize),
    HookGone(usize),
    CallEnded { agent: usize },
    AgentStopped { agent: usize },
}

/// What the model knows of one request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum RequestModel {
    Open,
    /// With the claimed decision.
    Claimed(PermissionDecision),
    Ended(PermissionState),
}

fn asker(agent: usize) -> Asker {
    Asker { session: "s1".to_owned(), native: (agent > 0).then(|| format!("a{agent}")) }
}

fn request(number: usize) -> (WaitingRequest, oneshot::Receiver<PermissionVerdict>) {
    let (verdict, hook) = oneshot::channel();
    let call =
        RequestedCall { tool: "Bash".to_owned(), input: json!({"command": format!("rm -rf {number}")}), cwd: None };
    let summary = PermissionSummary {
        id: format!("r{number}"),
        channel: PermissionChannel::Hook,
        agent: AgentId::from("team~leader"),
        session_id: None,
        event_id: None,
        tool: "Bash".to_owned(),
        asked_at: 1_000,
        expires_at: 31_000,
        serial: false,
        state: PermissionState::Open,
        answer: None,
    };
    // Every second call is hard to undo.
    let dangers = (number % 2 == 1).then(|| Danger { kind: DangerKind::Deletes, words: "rm -rf".to_owned() });
    let open = WaitingRequest {
        summary,
        digest: call.digest(),
        bytes: 0,
        call,
        dangers: dangers.into_iter().collect(),
        first_words: None,
        last_words: None,
        key: format!("evt_{number}"),
        asker: asker(number % 3),
        terminal: "t".to_owned(),
        answering: false,
        opened: false,
        verdict,
    };
    (open, hook)
}

fn event(kind: &str, agent: usize) -> AgentSign {
    let mut payload = json!({"tool_name": "Bash"});
    if let Some(native) = asker(agent).native {
        payload["native_agent_id"] = native.into();
    }
    let event = json!({"type": kind, "ts": "1970-01-01T00:00:02.000Z", "agent_id": "team/leader",
        "terminal_session_id": "t", "session_id": "s1", "payload": payload});
    sign_of(&event.to_string()).expect("a sign")
}

const COUNT: usize = 6;

fn step() -> impl Strategy<Value = ScheduleStep> {
    let decision = prop_oneof![
        Just(PermissionDecision::Allow),
        Just(PermissionDecision::Deny),
        Just(PermissionDecision::Terminal)
    ];
    prop_oneof![
        4 => (0..COUNT, decision, any::<bool>(), any::<bool>()).prop_map(|(request, decision, right_digest, confirmed)| {
            ScheduleStep::Claim { request, decision, right_digest, confirmed }
        }),
        4 => (0..COUNT).prop_map(ScheduleStep::Deliver),
        1 => (0..COUNT).prop_map(ScheduleStep::Release),
        1 => (0..COUNT).prop_map(ScheduleStep::Expire),
        1 => (0..COUNT).prop_map(ScheduleStep::HookGone),
        1 => (0..3_usize).prop_map(|agent| ScheduleStep::CallEnded { agent }),
        1 => (0..3_usize).prop_map(|agent| ScheduleStep::AgentStopped { agent }),
    ]
}

proptest! {
    #[test]
    fn each_request_ends_once_by_the_first_that_decides(steps in proptest::collection::vec(step(), 1..60)) {
        let mut requests = Requests::default();
        let mut hooks: Vec<Option<oneshot::Receiver<PermissionVerdict>>> = Vec::new();
        let mut digests = Vec::new();
        for number in 0..COUNT {
            let (open, hook) = request(number);
            digests.push(open.digest.clone());
            requests.add(open).expect("room");
            hooks.push(Some(hook));
        }
        let mut model = [RequestModel::Open; COUNT];
        let mut allowed = [0_usize; 3];
        for step in steps {
            match step {
                ScheduleStep::Claim { request, decision, right_digest, confirmed } => {
                    let digest = if right_digest { digests[request].clone() } else { "0".repeat(64) };
                    let answer = PermissionAnswer { decision, digest, reason: None, confirmed, updated_by: None };
                    let claimed = requests.claim(&format!("r{request}"), &answer).map(|_| ());
                    let needs_press = decision == PermissionDecision::Allow && request % 2 == 1 && !confirmed;
                    let expected = match model[request] {
                        RequestModel::Ended(_) => Err(AnswerRefused::Ended),
                        RequestModel::Claimed(_) => Err(AnswerRefused::BeingAnswered),
                        RequestModel::Open if hooks[request].is_none() => Err(AnswerRefused::Ended),
                        RequestModel::Open if !right_digest => Err(AnswerRefused::OtherCall),
                        RequestModel::Open if needs_press => Err(AnswerRefused::Unconfirmed),
                        RequestModel::Open => Ok(()),
                    };
                    prop_assert_eq!(claimed, expected);
                    if expected.is_ok() {
                        model[request] = RequestModel::Claimed(decision);
                    }
                }
                ScheduleStep::Deliver(request) => {
                    let RequestModel::Claimed(decision) = model[request] else { continue };
                    let answer = GivenAnswer { decision, at: 0, by: None, reason: None };
                    let ended = requests.deliver(&format!("r{request}"), answer).expect("claimed");
                    let taken = hooks[request].take().map(|mut hook| hook.try_recv().expect("the answer"));
                    let state = if taken.is_some() { PermissionState::Answered } else { PermissionState::NotDelivered };
                    prop_assert_eq!(ended.state, state);
                    if let Some(verdict) = taken {
                        prop_assert_eq!(&verdict.digest, &digests[request]);
                        let expected = Some(decision).filter(|decision| *decision != PermissionDecision::Terminal);
                        prop_assert_eq!(verdict.decision, expected);
                        allowed[request % 3] += usize::from(decision == PermissionDecision::Allow);
                    }
                    model[request] = RequestModel::Ended(state);
                }
                ScheduleStep::Release(request) => {
                    requests.release(&format!("r{request}"));
                    if matches!(model[request], RequestModel::Claimed(_)) {
                        model[request] = match hooks[request] {
                            Some(_) => RequestModel::Open,
                            None => RequestModel::Ended(PermissionState::Withdrawn),
                        };
                    }
                }
                ScheduleStep::Expire(request) => {
                    let ended = requests.end(&format!("r{request}"), PermissionState::Expired);
                    prop_assert_eq!(ended, !matches!(model[request], RequestModel::Claimed(_)));
                    if model[request] == RequestModel::Open {
                        model[request] = RequestModel::Ended(PermissionState::Expired);
                    }
                }
                ScheduleStep::HookGone(request) => drop(hooks[request].take()),
                ScheduleStep::CallEnded { agent } => {
                    let AgentSign::CallEnded(end) = event("tool_succeeded", agent) else { panic!("an end") };
                    requests.call_ended(&end);
                    if allowed[agent] > 0 {
                        allowed[agent] -= 1;
                    } else if let Some(oldest) = (0..COUNT).find(|it| it % 3 == agent && model[*it] == RequestModel::Open) {
                        model[oldest] = RequestModel::Ended(PermissionState::Terminal);
                    }
                }
                ScheduleStep::AgentStopped { agent } => {
                    requests.agent_stopped(&asker(agent));
                    for (number, state) in model.iter_mut().enumerate() {
                        if number % 3 == agent && *state == RequestModel::Open {
                            *state = RequestModel::Ended(PermissionState::Withdrawn);
                        }
                    }
                }
            }
            let open: Vec<String> = requests.open().iter().map(|open| open.summary.id.clone()).collect();
            let expected = (0..COUNT).filter(|it| !matches!(model[*it], RequestModel::Ended(_))).map(|it| format!("r{it}"));
            prop_assert_eq!(open, expected.collect::<Vec<_>>());
        }
        for (number, state) in model.iter().enumerate() {
            let id = format!("r{number}");
            let ended: Vec<_> = requests.ended().filter(|ended| ended.summary.id == id).collect();
            match state {
                RequestModel::Ended(state) => {
                    prop_assert_eq!(ended.len(), 1);
                    prop_assert_eq!(ended[0].summary.state, *state);
                    // No other end gives the hook a decision.
                    if let Some(mut hook) = hooks[number].take() {
                        prop_assert!(hook.try_recv().is_err());
                    }
                }
                RequestModel::Open | RequestModel::Claimed(_) => prop_assert!(ended.is_empty()),
            }
        }
    }
}

#[test]
fn requests_beyond_the_limit_are_refused() {
    let mut requests = Requests::default();
    let accepted = (0..600).filter(|number| requests.add(request(*number).0).is_ok()).count();
    assert_eq!(accepted, 512);
}
