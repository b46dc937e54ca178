//! Rules of the event doctor (linter of the coordination log) for a single event: unknown type, implausible time, cut
//! text, long id, missing role, session type or work session.

use std::borrow::Cow;

use crate::event::{Event, Field, is_shortened};
use protocol::api::FindingKind;
use protocol::role::{Role, SessionType};
use protocol::time::to_iso;

/// Several flows append at once, so a little disorder is normal (`contract/events.md` §1).
const CLOCK_TOLERANCE_MS: i64 = 60_000;
/// Below this a time is probably in seconds (`contract/events.md` §1.1).
const SECONDS_BELOW: i64 = 100_000_000_000;
/// 2020-01-01: no such log existed before.
pub const PAST_BEFORE: i64 = 1_577_836_800_000;
/// A clock may be a day off and is not far in the future yet.
const FUTURE_AFTER_MS: i64 = 86_400_000;
/// Longest text of a send; of a send before E4, a spawn, an auto-route and every preview (`contract/events.md` §5.1).
const LONG_CUT: usize = 4000;
const SHORT_CUT: usize = 200;

type ReportFinding<'a> = dyn FnMut(FindingKind, Cow<'static, str>) + 'a;

/// Reports every finding that one event shows by itself.
pub(super) fn check(event: &Event, now: i64, found: &mut ReportFinding<'_>) {
    if !is_known_type(event.event_type()) {
        found(FindingKind::UnknownType, event.event_type().to_owned().into());
    }
    if let Some(detail) = suspicious_time(event, now) {
        found(FindingKind::SuspiciousTime, detail);
    }
    if let Some(detail) = cut(event) {
        found(FindingKind::Truncated, detail);
    }
    if let Some((name, _)) = IDS.into_iter().find(|(_, field)| event.text(*field).is_some_and(is_shortened)) {
        found(FindingKind::LongId, name.into());
    }
    context(event, found);
}

/// Ids by which events are assigned.
const IDS: [(&str, Field); 7] = [
    ("agentId", Field::AgentId),
    ("fromAgent", Field::FromAgent),
    ("toAgent", Field::ToAgent),
    ("workSessionId", Field::WorkSessionId),
    ("conversationId", Field::ConversationId),
    ("taskId", Field::TaskId),
    ("runId", Field::RunId),
];

/// The role of this event is not stated: its own line has no valid role, and its type does not determine one.
#[must_use]
pub fn role_unstated(event: &Event) -> bool {
    let mut missing = false;
    context(event, &mut |kind, _| missing |= kind == FindingKind::MissingRole);
    let states_role = || event.text(Field::EventRole).is_some_and(|text| text.parse::<Role>().is_ok());
    missing || (!is_known_type(event.event_type()) && !states_role())
}

/// Whether a time can be compared with its neighbour's.
pub(super) fn is_plausible(at: i64, now: i64) -> bool {
    at >= PAST_BEFORE && at <= now.saturating_add(FUTURE_AFTER_MS)
}

/// How far the time went back, when that is more than the writer's usual disorder.
pub(super) fn clock_jump(before: i64, at: i64) -> Option<String> {
    let back = before - at;
    (back > CLOCK_TOLERANCE_MS).then(|| format!("{} → {} (-{} s)", to_iso(before), to_iso(at), back / 1000))
}

fn suspicious_time(event: &Event, now: i64) -> Option<Cow<'static, str>> {
    match event.at {
        at if is_plausible(at, now) => None,
        0 => Some(unusable_time(event)),
        at if at < SECONDS_BELOW => Some(format!("seconds: {at}").into()),
        at if at < PAST_BEFORE => Some(format!("farPast: {at}").into()),
        at => Some(format!("farFuture: {at}").into()),
    }
}

/// Why an event has no time. Rare, so the line may be read a second time.
fn unusable_time(event: &Event) -> Cow<'static, str> {
    let value = event.to_value();
    let written = ["timestampMs", "ts", "timestamp"].into_iter().find_map(|key| value.get(key));
    match written {
        None => "missing".into(),
        Some(value) if value.as_f64().is_some_and(|number| number < 0.0) => format!("negative: {value}").into(),
        Some(value) => format!("unusable: {value}").into(),
    }
}

/// The catalogue of `contract/events.md` §4: emitted by some version, or declared.
fn is_known_type(event_type: &str) -> bool {
    let Some((family, name)) = event_type.split_once('.') else { return false };
    match family {
        "a2a" => {
            matches!(name, "send" | "response" | "complete" | "auto_route" | "spawn" | "spawn_result" | "retry")
        }
        "task" => matches!(
            name,
            "started"
                | "updated"
                | "completed"
                | "cancelled"
                | "approved"
                | "resumed"
                | "backlog_picked"
                | "blocked"
                | "backlog_added"
        ),
        "continuation" => matches!(name, "sent" | "backoff" | "complete" | "completed"),
        "unblock" => matches!(name, "requested" | "failed"),
        "plan" => matches!(name, "submitted" | "approved" | "rejected"),
        "backlog" => name == "auto_picked",
        "zombie" => name == "abandoned",
        "milestone" => name == "sync_failed",
        "resume_reminder" => name == "sent",
        _ => false,
    }
}

/// Where the writer cut the only text, in UTF-16 units; a preview next to the whole message is no loss.
fn cut(event: &Event) -> Option<Cow<'static, str>> {
    let (name, text, limit) = match (event.event_type(), event.message(), event.reply_preview()) {
        ("a2a.send", Some(text), _) if event.text(Field::EventRole).is_some() || longer_than(text, SHORT_CUT) => {
            ("message", text, LONG_CUT)
        }
        ("a2a.send" | "a2a.spawn" | "a2a.auto_route", Some(text), _) => ("message", text, SHORT_CUT),
        (_, Some(_), _) | (_, None, None) => return None,
        (_, None, Some(text)) => ("replyPreview", text, SHORT_CUT),
    };
    let at_limit = text.len() >= limit && text.len() <= limit * 3 && text.encode_utf16().count() == limit;
    at_limit.then(|| format!("{name}: {limit}").into())
}

fn longer_than(text: &str, units: usize) -> bool {
    text.len() > units && text.encode_utf16().nth(units).is_some()
}

/// Checks sender, receiver and context fields, where a writer of E4 or later would have written them.
fn context(event: &Event, found: &mut ReportFinding<'_>) {
    let spawn = event.event_type() == "a2a.spawn" || event.event_type() == "a2a.spawn_result";
    let talk = matches!(event.event_type(), "a2a.send" | "a2a.response" | "a2a.complete");
    if !talk && !spawn {
        return;
    }
    let named = || Cow::Owned(event.event_type().to_owned());
    if event.text(Field::WorkSessionId).is_none() {
        found(FindingKind::MissingWorkSession, named());
    }
    if spawn || never_has_role(event) {
        return;
    }
    let text_of = |field| event.text(field);
    if text_of(Field::EventRole).and_then(|text| text.parse::<Role>().ok()).is_none() {
        found(FindingKind::MissingRole, named());
    }
    let typed = |field| text_of(field).and_then(|text| text.parse::<SessionType>().ok()).is_some();
    if !(typed(Field::FromSessionType) && typed(Field::ToSessionType)) {
        found(FindingKind::MissingSessionTypes, named());
    }
}

/// Whether it is the twin of a spawn, a sub-agent's result, a concurrency refusal or a failed job: no version of the
/// writer gave these a role (`contract/events.md` §2, §5.2).
fn never_has_role(event: &Event) -> bool {
    event.delegation_hint()
        || event.target_session_key().is_some_and(|key| key.contains(":subagent:"))
        || (event.run_id().is_some() && event.event_type() != "a2a.send")
        || event.is_concurrency_block()
        || event.flag(Field::ConcurrencyBlocked) == Some(true)
        || event.outcome() == Some("failed")
}
