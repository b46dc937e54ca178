//! Handler of `GET /metrics`: state of the monitor in the Prometheus text format. All values but the request durations are
//! read when they are asked for. Labels have a bounded set of values: no agent, session or address is a label.

mod fleet;
mod process;
mod registry;
mod requests;

use std::sync::atomic::Ordering;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use coordination::api::{AlertsPage, AttentionKind, Health, SourceState, StoreState};
use coordination::delivery::DeliveryState;
use coordination::query::{self, REPLY_BUCKETS, Totals};
use prometheus_client::encoding::prometheus_text;
use serde::Serialize;

use self::registry::{LabelledValue, Metrics};
use super::error::ApiError;
use super::state::WebState;
use crate::core::hub_cache::CacheStatus;

pub(super) use self::process::note_start;
pub(crate) use self::requests::RequestMetrics;
pub(super) use self::requests::measure;

/// All metrics.
pub(super) async fn metrics(State(state): State<WebState>) -> Result<Response, ApiError> {
    let totals = state.app.run_query(query::totals).await;
    let app = state.app.clone();
    let health = tokio::task::spawn_blocking(move || app.health());
    let health = health.await.map_err(|_| ApiError::of_status(axum::http::StatusCode::INTERNAL_SERVER_ERROR))?;
    let mut metrics = Metrics::new();
    metrics.labelled("build_info", "Version of the program", [("version", crate::version::VERSION.to_owned(), 1)]);
    metrics.gauge("ready", "1 once the history is read", u64::from(state.app.is_ready()));
    add_sources(&mut metrics, &health);
    add_totals(&mut metrics, &totals);
    add_live(&mut metrics, &state, &health);
    add_writes(&mut metrics, &state, &health);
    add_alerts(&mut metrics, &state.app.alerts().page());
    if let Some(cache) = state.app.cache_status() {
        add_cache(&mut metrics, cache);
    }
    if let Some(machines) = &state.fleet {
        fleet::add(&mut metrics, machines.fleet());
    }
    metrics.requests(&state.requests);
    process::add(&mut metrics);
    let text = metrics.encode().map_err(|_| ApiError::of_status(axum::http::StatusCode::INTERNAL_SERVER_ERROR))?;
    Ok(([(header::CONTENT_TYPE, prometheus_text::CONTENT_TYPE)], text).into_response())
}

/// The log, the files of agents and the event doctor.
fn add_sources(metrics: &mut Metrics, health: &Health) {
    let states = [
        SourceState::Ok,
        SourceState::Starting,
        SourceState::LogMissing,
        SourceState::HomeMissing,
        SourceState::HomeNotFolder,
        SourceState::Unreadable,
    ];
    let help = "State of the coordination log: 1 for the one it is in";
    metrics.labelled("log_state", help, one_of(states, health.source.state));
    let ahead_ms = health.source.events_ahead_ms(health.now).unwrap_or_default();
    let help = "Seconds by which the newest events are ahead of the monitor's clock; 0 within five minutes";
    metrics.gauge("log_clock_ahead_seconds", help, u64::try_from(ahead_ms / 1000).unwrap_or_default());
    metrics.gauge("log_lag_bytes", "Bytes of the log on disk that are not read yet", health.lag_bytes);
    metrics.gauge("log_pending_bytes", "Bytes of unfinished last lines", health.pending_bytes);
    metrics.counter("log_bad_lines", "Lines of the log that could not be read", health.bad_lines);
    if let Some(following) = &health.following {
        metrics.counter("log_rotations", "Renames of the live log to an archive", following.rotations);
        metrics.counter("log_replacements", "Logs truncated or replaced under their name", following.replaced);
        let help = "Bytes that were cut off or overwritten before they became a complete line";
        metrics.counter("log_truncated_unread_bytes", help, following.truncated_unread);
    }
    metrics.gauge("unreadable_files", "Files that exist and cannot be read", health.unreadable.len() as u64);
    metrics.gauge("events", "Events held", health.events);
    if let Some(transcripts) = &health.transcripts {
        metrics.gauge("transcripts", "Transcripts that are followed", transcripts.transcripts);
        metrics.counter("transcript_bytes", "Bytes read of transcripts", transcripts.bytes);
        let help = "Lines of transcripts that could not be understood";
        metrics.gauge("transcript_bad_lines", help, transcripts.bad_lines);
    }
}

/// Sessions, the work list and deliveries.
fn add_totals(metrics: &mut Metrics, totals: &Totals) {
    let sessions = totals.sessions;
    let by_status = [("active", sessions.active), ("quiet", sessions.quiet), ("archived", sessions.archived)];
    let by_status = by_status.map(|(status, number)| ("status", status.to_owned(), u64::from(number)));
    metrics.labelled("sessions", "Work sessions by status", by_status);
    let attention = AttentionKind::MATTERS
        .map(|kind| ("kind", wire_word(&kind), totals.attention.get(&kind).copied().unwrap_or_default()));
    metrics.labelled("attention", "Lines of the work list by kind", attention);
    let help = "Agents that wait for another one, for its answer or for its help with a blocked task";
    metrics.gauge("held_up_agents", help, totals.held_up);
    let sends = DeliveryState::ALL
        .into_iter()
        .map(|state| ("state", state.as_str().to_owned(), totals.sends.get(&state).copied().unwrap_or_default()));
    metrics.labelled("sends", "Messages between agents by delivery state", sends);
    let bounds = REPLY_BUCKETS.map(f64::from);
    let help = "Time from a message between agents to its answer";
    metrics.histogram("reply_seconds", help, &bounds, &totals.replies.buckets, totals.replies.sum_ms);
}

/// Clients of the live stream, and the search index.
fn add_live(metrics: &mut Metrics, state: &WebState, health: &Health) {
    if let Some(live) = &health.live {
        let transports = [("websocket", live.sockets), ("sse", live.events), ("poll", live.polls)];
        let transports = transports.map(|(transport, number)| ("transport", transport.to_owned(), number));
        metrics.labelled("live_clients", "Connected live clients by transport", transports);
        metrics.counter("live_slow_disconnects", "Live clients cut because they read too slowly", live.cut);
    }
    let (frames, bytes) = state.app.live().published();
    metrics.counter("live_frames", "Frames published to live clients", frames);
    metrics.counter("live_frame_bytes", "Bytes of published frames, each counted once", bytes);
    if let Some(index) = &health.index {
        metrics.gauge("search_index_events", "Events that the search index covers", index.events);
        metrics.gauge("search_index_bytes", "Memory of the search index", index.bytes);
    }
}

/// What the monitor writes: manual categories, answers to permission requests, and the journal of coding agents' events.
fn add_writes(metrics: &mut Metrics, state: &WebState, health: &Health) {
    let outcomes = state.app.overrides().outcomes();
    let outcomes = [
        ("written", &outcomes.written),
        ("conflict", &outcomes.conflicts),
        ("failed", &outcomes.failed),
        ("uncertain", &outcomes.uncertain),
    ];
    let outcomes = outcomes.map(|(word, count)| ("outcome", word.to_owned(), count.load(Ordering::Relaxed)));
    let help = "Changes of categories, classifier words and shared records by outcome";
    metrics.labelled_counter("changes", help, outcomes);
    let (open, ended) = state.app.permissions().counts();
    metrics.gauge("permission_requests_open", "Permission requests that can be answered on a page", open);
    let ended = ended.into_iter().map(|(outcome, count)| ("outcome", outcome.to_owned(), count));
    metrics.labelled_counter("permission_requests", "Ended permission requests by how they ended", ended);
    let answers =
        state.app.approvals().counts().into_iter().map(|(outcome, count)| ("outcome", outcome.to_owned(), count));
    let help = "Answers to approvals of OpenClaw by what became of them at the gateway";
    metrics.labelled_counter("approval_answers", help, answers);
    if let Some(overrides) = &health.overrides {
        let states = [StoreState::Ok, StoreState::Damaged, StoreState::ReadOnly, StoreState::Uncertain];
        let help = "State of the file of manual categories: 1 for the one it is in";
        metrics.labelled("overrides_state", help, one_of(states, overrides.state));
        metrics.gauge("overrides", "Manual categories in force", overrides.entries);
        metrics.gauge("overrides_pending", "Changes of categories that are not written yet", overrides.pending);
    }
    if let Some(journal) = &health.ingest {
        let help = "1 while events of coding agents are accepted";
        metrics.gauge("agent_events_writable", help, u64::from(journal.writable));
        let outcomes =
            [("accepted", journal.accepted), ("duplicate", journal.duplicates), ("rejected", journal.rejected)];
        let outcomes = outcomes.map(|(outcome, number)| ("outcome", outcome.to_owned(), number));
        metrics.labelled_counter("agent_event_items", "Posted and dropped items by outcome", outcomes);
        metrics.gauge("agent_events_journal_bytes", "Size of the journal of coding agents' events", journal.bytes);
        let help = "Lines of that journal that cannot be read";
        metrics.gauge("agent_events_journal_bad_lines", help, journal.bad_lines);
    }
}

/// Messages to the sinks of alerts. The names of sinks are those of the settings, so there are few.
fn add_alerts(metrics: &mut Metrics, alerts: &AlertsPage) {
    if alerts.sinks.is_empty() {
        return;
    }
    let outcomes = alerts.sinks.iter().flat_map(|sink| {
        let outcomes = [("sent", sink.sent), ("failed", sink.failed), ("given_up", sink.given_up)];
        outcomes.map(|(outcome, number)| ([("sink", sink.name.clone()), ("outcome", outcome.to_owned())], number))
    });
    metrics.labelled_twice("alerts", "Alerts by sink and outcome; failed counts attempts", outcomes);
    metrics.gauge("alerts_outbox", "Alerts that wait to be sent", alerts.pending);
}

/// The file that makes the next start short.
fn add_cache(metrics: &mut Metrics, cache: CacheStatus) {
    metrics.gauge("cache_covered_bytes", "Bytes of the log that the cache on disk covers", cache.covered_bytes);
    let saves = [("saved", cache.saves), ("failed", cache.failures)];
    let saves = saves.map(|(outcome, number)| ("outcome", outcome.to_owned(), number));
    metrics.labelled_counter("cache_saves", "Saves of the cache by outcome", saves);
}

/// Series of an enumeration: 1 for the current value, 0 for the others.
fn one_of<T: Serialize + PartialEq + Copy, const N: usize>(all: [T; N], current: T) -> [LabelledValue; N] {
    all.map(|value| ("state", wire_word(&value), u64::from(value == current)))
}

/// The word of a value in the API.
fn wire_word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => "unknown".to_owned(),
    }
}
