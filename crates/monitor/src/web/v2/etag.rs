//! ETags and cached responses of the REST v2 routes whose response depends on the position of the live stream.
//!
//! A weak ETag names the stream position at which a response was made. A request with the current ETag gets `304`.
//! Requests for the same address within one second share one response while nothing changes ([`response_cache`]),
//! because a change often makes a hundred clients query at once.
//!
//! Every change of the data advances the position. Changes caused only by passing time do so within twenty seconds
//! (`live::publisher`). For a fleet the positions of all machines count. The ETag also contains the current minute, because some responses depend on the day or the
//! hour. There are no ETags while the log is being read at start-up, because the position does not advance then.

mod response_cache;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

pub(crate) use self::response_cache::ResponseCache;
use crate::app::AppState;
use crate::web::machines::{FleetVersion, Machines};
use crate::web::state::WebState;

const SECOND_MS: i64 = 1_000;
const MINUTE_SECONDS: i64 = 60;

/// Answers `304` to a request that shows the tag of the present answer; puts the tag on every other answer.
pub(super) async fn etag(State(state): State<WebState>, request: Request, next: Next) -> Response {
    // Before the answer is made: it may be newer than its tag, never older.
    let version = state.app.is_ready().then(|| StateVersion::now(&state.app));
    answer(&state, version, request, next).await
}

/// The same for answers of all machines of a fleet.
pub(super) async fn fleet_etag(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let fleet = state.fleet.as_ref().and_then(Machines::version);
    let version = fleet.map(|fleet| StateVersion { fleet, ..StateVersion::now(&state.app) });
    answer(&state, version, request, next).await
}

async fn answer(state: &WebState, version: Option<StateVersion>, request: Request, next: Next) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let Some(version) = version.filter(|_| is_read) else { return next.run(request).await };
    let key: CacheKey = (request.uri().path().to_owned(), request.uri().query().map(str::to_owned));
    let tag = version.tag(&key);
    if shows_tag(request.headers(), &tag) {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response();
    }
    let mut response = match *request.method() {
        Method::GET => state.responses.answer(&version, key, request, next).await,
        _ => next.run(request).await,
    };
    if response.status() == StatusCode::OK
        && let Ok(tag) = HeaderValue::from_str(&tag)
    {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// Path and query of a request, as sent.
type CacheKey = (String, Option<String>);

/// What an answer depends on besides its address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct StateVersion {
    epoch: String,
    /// The position in the stream.
    seq: u64,
    /// Answers contain the time, by which pages set their clock.
    second: i64,
    /// Number of changes of the hub. Clients get a change some moments later as the next position, but the author of a
    /// write reads its result at once.
    changes: u64,
    /// Versions of the machines; only for answers of a fleet.
    fleet: FleetVersion,
}

impl StateVersion {
    fn now(state: &AppState) -> Self {
        let (epoch, seq) = state.live().position();
        let second = state.now().div_euclid(SECOND_MS);
        Self { epoch: epoch.to_owned(), seq, second, changes: state.live().version(), fleet: FleetVersion::default() }
    }

    /// Names an answer by the run of the process, the position, the minute and the address.
    fn tag(&self, key: &CacheKey) -> String {
        let mut hash = DefaultHasher::new();
        (key, &self.epoch, self.fleet.positions).hash(&mut hash);
        let minute = self.second.div_euclid(MINUTE_SECONDS);
        format!("W/\"{}-{minute}-{:016x}\"", self.seq, hash.finish())
    }
}

/// `If-None-Match` is a list of tags, or `*`, which names no particular answer and is skipped.
pub(crate) fn shows_tag(headers: &HeaderMap, tag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let lists = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|shown| strong(shown) == strong(tag))
}
