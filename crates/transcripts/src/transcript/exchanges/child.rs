//! Derivation of spawn and result events of child sessions, from the transcripts of parent and child. A child whose
//! parent's transcript is missing gets the parent `unknown`.

use super::call::{CallMark, Tool};
use super::join::add;
use super::notice::{ChildNotice, ChildOutcome};
use super::scan::{AgentTurn, ExchangeNoticeKind, ExchangeScan};
use super::{ExchangeEvent, ExchangeEventKind, ExchangeParty};

/// All children that were found, by the calls that made them and by their own sessions.
pub(super) fn children(scans: &[&ExchangeScan]) -> Vec<ExchangeEvent> {
    let mut out = Vec::new();
    let mut known: Vec<usize> = Vec::new();
    for scan in scans {
        let spawns: Vec<&CallMark> = scan.calls.iter().filter(|call| call.tool == Tool::Spawn).collect();
        for (at, call) in spawns.iter().enumerate() {
            let answer = call.answer.as_ref();
            let key = answer.and_then(|answer| answer.child_key.as_deref());
            let own = own_session(scans, call, &known);
            known.extend(own);
            let own = own.map(|at| scans[at]);
            let mut child = key
                .or(own.and_then(|own| own.party.key.as_deref()))
                .map_or_else(|| call.target(), ExchangeParty::of_key);
            if child.agent == "unknown" && call.target_agent.is_none() {
                child.agent.clone_from(&scan.party.agent);
            }
            let spawn = spawned(scan, call, &child, own);
            let begun = spawn.kind == ExchangeEventKind::Spawn;
            let name = spawn.exchange.clone();
            out.push(spawn);
            if begun {
                // The same label may be given again: a note is about the latest child before it.
                let until = spawns.iter().skip(at + 1).find(|next| next.label == call.label).map(|next| next.at_ms);
                out.extend(ended(scan, call, &child, own, until, &name));
            }
        }
    }
    for (at, scan) in scans.iter().enumerate() {
        if !known.contains(&at) {
            out.extend(orphan(scan));
        }
    }
    out
}

/// The child's own transcript.
fn own_session(scans: &[&ExchangeScan], call: &CallMark, known: &[usize]) -> Option<usize> {
    let answer = call.answer.as_ref()?;
    let key = answer.child_key.as_deref()?;
    let keyed = |scan: &ExchangeScan| scan.party.key.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(key));
    let agent = ExchangeParty::of_key(key).agent;
    // An archive has no key: it is known by the run that began it, else by its task.
    let begun = |scan: &ExchangeScan| {
        scan.party.key.is_none()
            && scan.party.agent == agent
            && scan.run_starts.iter().any(|start| match (&start.run, &answer.run_id) {
                (Some(run), Some(wanted)) => run == wanted,
                _ => start.task.is_some() && start.task == call.text && start.at_ms >= call.at_ms,
            })
    };
    let free = |at: &usize| !known.contains(at);
    let found = |test: &dyn Fn(&ExchangeScan) -> bool| (0..scans.len()).filter(free).find(|at| test(scans[*at]));
    found(&keyed).or_else(|| found(&begun))
}

fn spawned(scan: &ExchangeScan, call: &CallMark, child: &ExchangeParty, own: Option<&ExchangeScan>) -> ExchangeEvent {
    let answer = call.answer.as_ref();
    let refused =
        answer.is_some_and(|answer| answer.child_key.is_none() && answer.status.as_deref() != Some("accepted"));
    let run = answer.and_then(|answer| answer.run_id.clone());
    let place = call.places.first().copied().unwrap_or_default();
    let name = run.clone().unwrap_or_else(|| format!("{}@{place}", scan.session_id));
    let kind = if refused { ExchangeEventKind::SpawnFailed } else { ExchangeEventKind::Spawn };
    let mut event = ExchangeEvent::new(kind, call.at_ms, &name, &scan.party, child);
    event.text = call.text.clone();
    event.label = call.label.clone();
    event.run_id = run;
    event.status = answer.and_then(|answer| answer.status.clone());
    event.error = answer.and_then(|answer| answer.error.clone());
    event.context = call.belongs();
    event.cause = scan.began(place);
    call.places.iter().for_each(|place| add(&mut event, scan, *place));
    if let Some((own, task)) =
        own.and_then(|own| Some((own, own.run_starts.iter().find(|start| start.task.is_some())?)))
    {
        add(&mut event, own, task.place);
        event.text = event.text.take().or_else(|| task.task.clone());
    }
    event
}

/// Result of the child, from the notices to the parent and from the child's own last turn.
fn ended(
    parent: &ExchangeScan,
    call: &CallMark,
    child: &ExchangeParty,
    own: Option<&ExchangeScan>,
    until: Option<i64>,
    name: &str,
) -> Option<ExchangeEvent> {
    let about = |notice: &ChildNotice| match (&notice.session_id, own) {
        (Some(id), Some(own)) => **id == *own.session_id,
        _ => Some(&notice.label) == call.label.as_ref() || Some(&notice.label) == call.text.as_ref(),
    };
    let mut first: Option<&ChildNotice> = None;
    let mut places: Vec<(i64, u64)> = Vec::new();
    for notice in &parent.notices {
        if let ExchangeNoticeKind::Child(child) = &notice.kind
            && notice.at_ms >= call.at_ms
            && until.is_none_or(|until| notice.at_ms < until)
            && about(child)
        {
            first = first.or(Some(child));
            places.push((notice.at_ms, notice.place));
        }
    }
    // Where no note is written, the parent's words about it are: their run bears the child's key.
    let announced = child.key.as_deref().map(|key| format!("announce:v1:{key}:"));
    let words = |turn: &&AgentTurn| {
        let run = turn.run.as_deref().unwrap_or_default();
        announced.as_deref().is_some_and(|start| run.starts_with(start))
    };
    places.extend(parent.turns.iter().filter(words).map(|turn| (turn.at_ms, turn.place)));
    let last = own.and_then(|own| Some((own, own.turns.last()?)));
    let own_end = last.map(|(_, turn)| turn);
    let at_ms = places.iter().map(|(at_ms, _)| *at_ms).min().or(own_end.map(|turn| turn.at_ms))?;
    let mut event = ExchangeEvent::new(ExchangeEventKind::ChildResult, at_ms, name, child, &parent.party);
    event.label = call.label.clone();
    event.run_id = call.answer.as_ref().and_then(|answer| answer.run_id.clone());
    event.outcome = Some(first.map_or_else(|| own_end.map_or(ChildOutcome::Unknown, outcome), |notice| notice.outcome));
    event.error = first.and_then(|notice| notice.error.clone()).or_else(|| own_end.and_then(|turn| turn.error.clone()));
    event.text = first.and_then(|notice| notice.text.clone());
    event.text = event.text.take().or_else(|| own_end.filter(|turn| !turn.failed).and_then(|turn| turn.text.clone()));
    if let Some((own, turn)) = last {
        add(&mut event, own, turn.place);
    }
    places.iter().for_each(|(_, place)| add(&mut event, parent, *place));
    Some(event)
}

fn outcome(turn: &AgentTurn) -> ChildOutcome {
    match (turn.failed, &turn.text) {
        (false, Some(_)) => ChildOutcome::Ok,
        (true, _) => ChildOutcome::Error,
        (false, None) => ChildOutcome::Unknown,
    }
}

/// A child whose parent's transcript is missing.
fn orphan(scan: &ExchangeScan) -> Vec<ExchangeEvent> {
    let Some(task) = scan.run_starts.iter().find(|start| start.task.is_some()) else { return Vec::new() };
    let parent = ExchangeParty { agent: "unknown".to_owned(), key: None };
    let name = task.run.clone().unwrap_or_else(|| format!("{}@{}", scan.session_id, task.place));
    let mut spawn = ExchangeEvent::new(ExchangeEventKind::Spawn, task.at_ms, &name, &parent, &scan.party);
    spawn.text = task.task.clone();
    spawn.run_id = task.run.clone();
    add(&mut spawn, scan, task.place);
    let result = scan.turns.last().map(|turn| {
        let mut event = ExchangeEvent::new(ExchangeEventKind::ChildResult, turn.at_ms, &name, &scan.party, &parent);
        event.outcome = Some(outcome(turn));
        event.error = turn.error.clone();
        event.text = turn.text.clone().filter(|_| !turn.failed);
        event.run_id = task.run.clone();
        add(&mut event, scan, turn.place);
        event
    });
    [Some(spawn), result].into_iter().flatten().collect()
}
