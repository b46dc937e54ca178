//! Query of `GET sessions/{id}/threads/{threadId}`: a page of messages with the marks between them (retries, ends,
//! missing answers) and the delivery state of each send.

use std::collections::BTreeSet;

use super::QueryError;
use super::page::{self, EventMark, before, through};
use crate::api::{Exchange, Mark, MarkKind, Message, MessageKind, Payload, ThreadPage, ThreadQuery, ThreadSummary};
use crate::delivery::DeliveryState;
use crate::event::{Event, Field};
use crate::hub::Tracked;
use crate::hub::{Hub, NONE, Thread, count, line};
use crate::ids::{SessionId, ThreadId};
use crate::{merge, text};

/// Default number of messages of a page.
pub(super) const DEFAULT_LIMIT: u32 = 100;
pub(super) const MAX_LIMIT: u32 = 500;

/// `GET sessions/{id}/threads/{threadId}`.
///
/// # Errors
/// When the limit or a page mark is not acceptable.
pub fn thread_page(
    hub: &Hub,
    now: i64,
    session_id: &SessionId,
    thread_id: &ThreadId,
    query: &ThreadQuery,
) -> Result<Option<ThreadPage>, QueryError> {
    let limit = page::limit(query.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let older_than = EventMark::read("before", query.before.as_ref())?;
    let newer_than = EventMark::read("after", query.after.as_ref())?;
    let Some(thread) = find(hub, session_id, thread_id) else { return Ok(None) };
    let list = &thread.messages;
    let around = query.around.as_ref().and_then(|id| hub.find(&id.as_str().into()));
    let (from, to) = if let Some(mark) = older_than {
        let to = before(hub, list, &mark);
        (to.saturating_sub(limit), to)
    } else if let Some(mark) = newer_than {
        let from = through(hub, list, &mark);
        (from, list.len().min(from + limit))
    } else if let Some(index) = around {
        let at = list.partition_point(|other| crate::hub::order(hub.events(), *other, index).is_lt());
        let from = at.saturating_sub(limit / 2).min(list.len().saturating_sub(limit));
        (from, list.len().min(from + limit))
    } else {
        (list.len().saturating_sub(limit), list.len())
    };
    Ok(Some(part(hub, now, session_id, thread, from, to)))
}

/// The thread, when it has something to show.
pub(super) fn find<'a>(hub: &'a Hub, session: &SessionId, id: &ThreadId) -> Option<&'a Thread> {
    hub.session(session)?.state.threads.iter().find(|thread| thread.id == *id && thread.is_shown())
}

/// Messages `from..to` of a thread, with the marks that follow them up to the next page.
pub(super) fn part(hub: &Hub, now: i64, session: &SessionId, thread: &Thread, from: usize, to: usize) -> ThreadPage {
    let list = &thread.messages;
    let shown = list.get(from..to).unwrap_or_default();
    let follows = |mark: u32, place: usize| {
        list.get(place).is_none_or(|message| crate::hub::order(hub.events(), mark, *message).is_ge())
    };
    let marks = thread
        .marks
        .iter()
        .filter(|(mark, _)| (from == 0 || follows(*mark, from)) && (to >= list.len() || !follows(*mark, to)));
    let sends: BTreeSet<u32> = shown.iter().copied().collect();
    let exchanges = thread.exchanges.list.iter().filter(|tracked| sends.contains(&tracked.event));
    ThreadPage {
        session_id: session.clone(),
        thread: thread_summary(hub, now, thread),
        messages: shown.iter().map(|index| message(hub, *index)).collect(),
        offset: count(from),
        marks: marks.map(|(index, send)| mark(hub, *index, *send)).collect(),
        exchanges: exchanges.map(|tracked| exchange(hub, now, tracked)).collect(),
        previous_page: shown.first().filter(|_| from > 0).map(|index| EventMark::encode(hub, *index)),
        next_page: shown.last().filter(|_| to < list.len()).map(|index| EventMark::encode(hub, *index)),
        cursor: hub.cursor(),
        now,
    }
}

/// A thread in its session's list.
pub(super) fn thread_summary(hub: &Hub, now: i64, thread: &Thread) -> ThreadSummary {
    ThreadSummary {
        thread_id: thread.id.clone(),
        conversation_id: thread.conversation_id().map(str::to_owned),
        parent: thread.parent.as_deref().cloned(),
        from: thread.from.clone(),
        to: thread.to.clone(),
        message_count: count(thread.messages.len()),
        transcript_only_messages: thread.from_transcripts,
        start_time: thread.start,
        last_time: thread.last,
        answered: thread.exchanges.answered,
        trouble: thread.trouble(now),
        last_message: thread.messages.last().map(|index| line(hub.event(*index))),
    }
}

/// The delivery of a send.
pub(super) fn exchange(hub: &Hub, now: i64, tracked: &Tracked) -> Exchange {
    Exchange {
        id: hub.id(tracked.event),
        sent_at: tracked.sent_at,
        state: tracked.state_at(now),
        delivery: tracked.delivery(hub.events()),
    }
}

/// An event as a bubble.
pub(super) fn message(hub: &Hub, index: u32) -> Message {
    let event = hub.event(index);
    let own = of_event(event);
    let Some(fill) = hub.fill(index) else { return own };
    let whole = fill.text.as_deref().and_then(text::clean);
    let truncated = own.truncated && whole.is_none();
    let filled = whole.is_some();
    Message { text: whole.unwrap_or(own.text), truncated, filled, transcript: fill.place.clone(), ..own }
}

/// An event as a bubble, from its own fields.
fn of_event(event: &Event) -> Message {
    let written = event.written_text().unwrap_or_default();
    let by_human = text::human_prefix(written);
    let body = by_human.unwrap_or(written);
    let outcome =
        text::outcome(body).filter(|outcome| matches!(outcome.word.as_str(), "success" | "partial" | "failed"));
    Message {
        id: event.id(),
        at: event.at,
        from: event.speaker(),
        to: event.addressee(),
        kind: match event.event_type() {
            "a2a.send" => MessageKind::Send,
            "a2a.response" if event.turn().is_some() => MessageKind::Turn,
            "a2a.response" => MessageKind::Reply,
            _ => MessageKind::Other,
        },
        turn: event.turn(),
        max_turns: event.max_turns(),
        text: event.display_text().unwrap_or_default(),
        truncated: event.origin().is_log() && event.is_truncated(),
        filled: false,
        human: by_human.is_some(),
        system: by_human.is_none() && text::is_machine(body),
        team: text::team(body).map(|team| team.name),
        intent: event.intent().map(str::to_owned),
        payload: event.payload_type().map(|kind| payload(kind, event.payload_json())),
        outcome: outcome.map(|outcome| outcome.word),
        task_id: event.task_id(),
        origin: event.origin(),
        transcript: merge::place_of(event),
    }
}

fn payload(kind: &str, written: Option<&str>) -> Payload {
    let body = match written {
        Some(written) => serde_json::from_str(written).unwrap_or_else(|_| written.into()),
        None => serde_json::Value::Null,
    };
    Payload { kind: kind.to_owned(), body }
}

/// An event as a mark; `send` is the send's event or [`NONE`].
pub(super) fn mark(hub: &Hub, index: u32, send: u32) -> Mark {
    let event = hub.event(index);
    let (from, to) = (event.speaker(), event.addressee());
    // A response comes from the agent that was addressed.
    let (from, to) = if event.event_type() == "a2a.response" { (to, from) } else { (from, to) };
    Mark {
        id: event.id(),
        at: event.at,
        kind: mark_kind(event),
        exchange_id: (send != NONE).then(|| hub.id(send)),
        from,
        to,
    }
}

fn mark_kind(event: &Event) -> MarkKind {
    match event.event_type() {
        "a2a.retry" => MarkKind::Retry {
            attempt: event.count(Field::Attempt).unwrap_or(1),
            max_attempts: event.count(Field::MaxAttempts).unwrap_or(3),
            error_code: event.error_code().map(str::to_owned),
            backoff_ms: event.count(Field::BackoffMs).map(i64::from),
        },
        "a2a.auto_route" => MarkKind::AutoRoute { text: event.display_text().unwrap_or_default() },
        "a2a.complete" => {
            let turns = event.count(Field::ActualTurns).or_else(|| event.count(Field::TotalTurns));
            MarkKind::Complete {
                reason: event.termination_reason().map(str::to_owned),
                turns,
                max_turns: event.count(Field::EffectiveTurns).or_else(|| event.count(Field::ConfiguredMaxTurns)),
                early: event.flag(Field::EarlyTermination).unwrap_or(false),
                announced: event.flag(Field::Announced).unwrap_or(false),
                failed: event.outcome() == Some("failed"),
                detail: event.error().or(event.wait_error()).map(str::to_owned),
            }
        }
        _ => match event.missing_answer() {
            Some(fate) if fate.state == DeliveryState::Blocked => {
                MarkKind::Blocked { reason: fate.reason, detail: fate.detail }
            }
            Some(fate) => MarkKind::NoReply { reason: fate.reason, detail: fate.detail, waited_secs: fate.waited_secs },
            None => {
                MarkKind::NoReply { reason: crate::delivery::ReasonClass::Unspecified, detail: None, waited_secs: None }
            }
        },
    }
}
