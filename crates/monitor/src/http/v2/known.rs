//! Answers that are there already: a weak tag names the position in the stream that an answer was made at. Who shows it
//! again is told that nothing changed. Who asks the same within the same second gets the answer that was made for it while
//! nothing changed, as when a hundred clients ask at once because something did ([`made`]).
//!
//! Everything that these answers show moves the position when it changes, the passing of time within twenty seconds
//! (`live::publisher`). What depends on the day or the hour besides is covered by the minute in the tag. While the history
//! is read the position stands still, so there are no tags.

mod made;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

pub(crate) use self::made::Made;
use crate::state::AppState;

const SECOND_MS: i64 = 1_000;
const MINUTE_SECONDS: i64 = 60;

/// Answers `304` to who shows the tag of the answer it would get, and puts a tag on every other one.
pub(super) async fn known(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) || !state.is_ready() {
        return next.run(request).await;
    }
    // Before the answer is made: it may be newer than its tag, never older.
    let moment = Moment::of(&state);
    let asked: Asked = (request.uri().path().to_owned(), request.uri().query().map(str::to_owned));
    let tag = moment.tag(&asked);
    if shows(request.headers(), &tag) {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response();
    }
    let mut response = match *request.method() {
        Method::GET => state.made().answer(&moment, asked, request, next).await,
        _ => next.run(request).await,
    };
    if response.status() == StatusCode::OK
        && let Ok(tag) = HeaderValue::from_str(&tag)
    {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// Path and query of a question, as they were asked.
type Asked = (String, Option<String>);

/// What an answer depends on besides its question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Moment {
    epoch: String,
    /// The position in the stream.
    seq: u64,
    /// Answers tell the time, by which pages set their clock.
    second: i64,
    /// How often what is known has changed: clients hear of it some moments later as the next position, but who has
    /// just written asks at once for what came of it.
    version: u64,
}

impl Moment {
    fn of(state: &AppState) -> Self {
        let (epoch, seq) = state.live().position();
        let second = state.now().div_euclid(SECOND_MS);
        Self { epoch: epoch.to_owned(), seq, second, version: state.live().version() }
    }

    /// Names an answer by the run of the process, the position, the minute and the question.
    fn tag(&self, asked: &Asked) -> String {
        let mut hash = DefaultHasher::new();
        (asked, &self.epoch).hash(&mut hash);
        let minute = self.second.div_euclid(MINUTE_SECONDS);
        format!("W/\"{}-{minute}-{:016x}\"", self.seq, hash.finish())
    }
}

/// `If-None-Match` is a list of tags, or `*`, which asks for no particular answer and is passed over.
fn shows(headers: &HeaderMap, tag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let lists = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|shown| strong(shown) == strong(tag))
}
