//! Handler of `GET /api/v2/evidence`: an evidence file of a session, thread, search or period, as a download.

use std::fmt::Display;
use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use coordination::api::{ErrorBody, ErrorCode, EvidenceFormat, EvidenceQuery, SharedRecord};
use coordination::event::first_line_hash;
use coordination::evidence::{self, EventPlace, EvidenceFile, EvidenceHeader, EvidenceScope, LogBytes};
use coordination::query;
use coordination::transcript::mask;
use tokio::sync::Semaphore;

use crate::app::AppState;
use crate::home::HomeDir;
use crate::web::bundle::page_around_evidence;
use crate::web::error::{ApiError, session_not_found};
use crate::web::extract::StrictQuery;
use crate::web::security::Viewer;

/// Bytes of log files that are read for one file.
const MAX_LOG_BYTES: u64 = 1 << 30;

/// A log file: its name in event ids, its name, its bytes.
type ReadLog = (String, String, Vec<u8>);

/// The lines of the log that a session, thread, search or period consists of, with their places and hashes.
/// `task-monitor verify` checks them.
#[utoipa::path(
    get, path = "/evidence", tag = "events",
    responses(
        (status = 200, content((String = "application/x-ndjson"), (String = "text/html"))),
        (status = 404, description = "No such session or thread, or no line of the log belongs to that", body = ErrorBody),
        (status = 503, description = "The log cannot be read now, or there is no dashboard for a page", body = ErrorBody),
    )
)]
pub(super) async fn get(
    State(state): State<AppState>,
    viewer: Viewer,
    StrictQuery(query): StrictQuery<EvidenceQuery>,
) -> Result<Response, ApiError> {
    let name = query.session.as_ref().map_or("events", |session| session.as_str());
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(60).collect();
    let names = state.status().log_status.tokens.clone();
    let home = state.settings().home.clone();
    let scope = EvidenceScope {
        session: query.session,
        thread: query.thread,
        q: query.q,
        since: query.since,
        until: query.until,
    };
    let header = EvidenceHeader {
        made_by: viewer.user.or(query.by),
        note: query.note,
        ..EvidenceHeader::new(scope, state.now(), format!("task-monitor {}", env!("CARGO_PKG_VERSION")))
    };
    let mask = query.mask.then_some(mask as fn(&str) -> String);
    // One at a time, until its work is over: each holds the log files with its lines.
    static MAKING: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(1)));
    let permit = Arc::clone(&MAKING).acquire_owned().await;
    let scope = header.scope.clone();
    let (events, roster, notes) = state
        .run_indexed_query(move |hub, index, _| {
            let notes = if query.notes { query::notes_of(hub, scope.session.as_ref()) } else { Vec::new() };
            (evidence::events_with_index(hub, index, &scope), hub.roster().clone(), notes)
        })
        .await;
    let events = events.ok_or_else(|| match (&header.scope.session, &header.scope.thread) {
        (Some(session), None) => ApiError::not_found(session_not_found(session)),
        _ => ApiError::not_found("There is no such thread in the session"),
    })?;
    if events.is_empty() {
        return Err(ApiError::not_found("No line of the log belongs to that"));
    }
    let format = query.format;
    let bundle = state.settings().bundle.clone();
    let made = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let mut file = written(&home, names, &events, notes, header, mask)?;
        file.name_agents(&roster, mask);
        Ok::<_, ApiError>(match format {
            EvidenceFormat::Ndjson => file.to_text(),
            EvidenceFormat::Html => {
                file.to_html(&page_around_evidence(bundle.as_deref()).map_err(|error| no_page(&error))?)
            }
        })
    });
    let text = made.await.map_err(|_| ApiError::of_status(StatusCode::INTERNAL_SERVER_ERROR))??;
    let headers = [
        (header::CONTENT_TYPE, format.media_type().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"evidence-{name}.{}\"", format.as_str())),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, text).into_response())
}

fn written(
    home: &HomeDir,
    mut names: Vec<(String, String)>,
    events: &[EventPlace],
    notes: Vec<SharedRecord>,
    header: EvidenceHeader,
    mask: Option<fn(&str) -> String>,
) -> Result<EvidenceFile, ApiError> {
    let unavailable = |what: &dyn Display| {
        tracing::warn!(%what, "an evidence file could not be made");
        let error =
            format!("{what}: the line could not be read at its place; the log is being changed or was replaced");
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error)
    };
    names.retain(|(token, _)| events.iter().any(|event| event.token == *token));
    let logs = read(home, names).map_err(|(name, error)| unavailable(&format!("{name} ({error})")))?;
    let bytes: Vec<_> = logs.iter().map(|(token, name, bytes)| LogBytes { token, name, bytes }).collect();
    let mut file = EvidenceFile::collect(events, &bytes, header, mask).map_err(|place| unavailable(&place))?;
    file.add_notes(notes, &bytes, mask);
    Ok(file)
}

fn no_page(error: &anyhow::Error) -> ApiError {
    tracing::warn!(%error, "the page of an evidence file could not be made");
    let error = format!("{error:#}: this monitor can make the file without a page only");
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error)
}

/// Reads log files by their names, in the order of the names with the live log last. A file whose first line is another
/// one is left out: it has taken the place of the one that is meant.
fn read(home: &HomeDir, mut names: Vec<(String, String)>) -> Result<Vec<ReadLog>, (String, std::io::Error)> {
    let live = home.live_log();
    names.sort_by(|(_, one), (_, other)| (live.ends_with(one), one).cmp(&(live.ends_with(other), other)));
    let folder = home.open().and_then(|home| home.folder("logs")).map_err(|error| ("logs".to_owned(), error))?;
    let mut left = MAX_LOG_BYTES;
    let mut logs = Vec::new();
    for (token, name) in names {
        let bytes = folder.read(&name, left).map_err(|error| (name.clone(), error))?;
        left = left.saturating_sub(bytes.len() as u64);
        let hash = token.split('~').next().unwrap_or(&token);
        if first_line_hash(&bytes) == hash {
            logs.push((token, name, bytes));
        }
    }
    Ok(logs)
}
