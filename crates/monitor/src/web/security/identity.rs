//! Signed-in person of a request, and the extractors [`MayCategorize`], [`MaySpeak`] and [`MayAnswer`], which
//! check that person's rights.
//! A name in a header is believed only from a trusted proxy.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use coordination::api::ErrorCode;

use super::auth::{ByFleet, FleetReader, WriteAuth};
use super::client_ip::Caller;
use crate::config::{IdentitySettings, Members};
use crate::web::error::ApiError;
use crate::web::state::WebState;

/// Longest name of a user or group, in characters.
const MAX_NAME_CHARS: usize = 200;
/// Longest header that is read, in bytes.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// Groups that are read of one user.
const MAX_GROUPS: usize = 200;

/// A signed-in person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) user: String,
    groups: Vec<String>,
}

impl Identity {
    /// The person that a trusted proxy names. A header that comes twice, is empty, or is not a plain line names nobody.
    pub(super) fn from_headers(settings: &IdentitySettings, headers: &HeaderMap) -> Option<Self> {
        let user = single(headers, &settings.header).filter(|user| is_name(user))?;
        let groups = settings.groups_header.as_ref().and_then(|name| single(headers, name)).unwrap_or_default();
        let groups = groups.split(',').map(str::trim).filter(|group| is_name(group)).take(MAX_GROUPS);
        Some(Self { groups: groups.map(str::to_owned).collect(), user })
    }

    fn is_in(&self, members: &Members) -> bool {
        members.contains(&self.user, &self.groups)
    }
}

/// The one value of a header, in UTF-8.
fn single(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let mut values = headers.get_all(name).into_iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let text = std::str::from_utf8(value.as_bytes()).ok()?.trim();
    (text.len() <= MAX_HEADER_BYTES).then(|| text.to_owned())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= MAX_NAME_CHARS && !text.chars().any(char::is_control)
}

/// Refuses what a person may not see. Requests that no trusted proxy forwards are by programs and people on this machine
/// or with the token; rights do not limit them.
pub(super) fn check_view(settings: Option<&IdentitySettings>, caller: &Caller) -> Result<(), ApiError> {
    check(settings, caller, |settings| &settings.view)
}

fn check(
    settings: Option<&IdentitySettings>,
    caller: &Caller,
    members: impl FnOnce(&IdentitySettings) -> &Members,
) -> Result<(), ApiError> {
    let Some(settings) = settings.filter(|_| caller.is_forwarded()) else { return Ok(()) };
    let members = members(settings);
    let allowed = match &caller.identity {
        Some(identity) => identity.is_in(members),
        None => *members == Members::Everybody,
    };
    if allowed { Ok(()) } else { Err(forbidden(caller)) }
}

fn forbidden(caller: &Caller) -> ApiError {
    let error = match &caller.identity {
        Some(Identity { user, .. }) => format!("{user} has not the right to do this"),
        None => "The proxy names no user, and this needs a right".to_owned(),
    };
    ApiError::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, error)
}

/// Person who asks, and what they may do; for answers that depend on it. Refuses nobody.
#[derive(Debug, Clone)]
pub(in crate::web) struct Viewer {
    /// Name that a trusted proxy gives.
    pub(in crate::web) user: Option<String>,
    /// May change categories, as far as rights limit that.
    pub(in crate::web) may_categorize: bool,
    /// May send messages to agents, likewise.
    pub(in crate::web) may_speak: bool,
    /// May see and answer permission requests, likewise.
    pub(in crate::web) may_answer: bool,
    /// The person looks at a page of the fleet.
    pub(in crate::web) is_of_fleet: bool,
}

impl FromRequestParts<WebState> for Viewer {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Self::Rejection> {
        if let Some(FleetReader { may_answer, may_speak }) = parts.extensions.get().copied() {
            return Ok(Self { user: None, may_categorize: false, may_speak, may_answer, is_of_fleet: true });
        }
        let Some(caller) = parts.extensions.get::<Caller>() else {
            let all = Self { user: None, may_categorize: true, may_speak: true, may_answer: true, is_of_fleet: false };
            return Ok(all);
        };
        let settings = state.app.settings().identity.as_ref();
        let may = |members: fn(&IdentitySettings) -> &Members| check(settings, caller, members).is_ok();
        Ok(Self {
            user: caller.identity.as_ref().map(|identity| identity.user.clone()),
            may_categorize: may(|settings| &settings.categorize),
            may_speak: may(|settings| &settings.speak),
            may_answer: may(|settings| &settings.answer),
            is_of_fleet: false,
        })
    }
}

/// Name of the person whose write was allowed, for the audit log.
#[derive(Debug, Clone)]
pub(in crate::web) enum Author {
    /// The person that a proxy names, if it names one.
    Forwarded(Option<String>),
    /// A program or page on this machine or with the token.
    Unnamed,
}

impl Author {
    /// The person that a proxy named; without a proxy, the name that the request itself gives.
    #[must_use]
    pub(in crate::web) fn or_claimed(self, claimed: Option<String>) -> Option<String> {
        match self {
            Self::Forwarded(user) => user,
            Self::Unnamed => claimed,
        }
    }
}

/// Proof that a request may change categories and classifier words.
#[derive(Debug, Clone)]
pub(in crate::web) struct MayCategorize(pub(in crate::web) Author);

/// Proof that a request may send messages to agents.
#[derive(Debug, Clone)]
pub(in crate::web) struct MaySpeak(pub(in crate::web) Author);

/// Proof that a request comes from a page and may answer permission requests. Programs send no `Origin`: what an agent
/// runs does not answer for it by accident, though a program of the same user can pretend to be a page.
#[derive(Debug, Clone)]
pub(in crate::web) struct MayAnswer(pub(in crate::web) Author);

impl FromRequestParts<WebState> for MayAnswer {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Response> {
        if !parts.headers.contains_key(header::ORIGIN) {
            let error = "Permission requests are answered on a page; this request names no origin";
            let error = ApiError::new(StatusCode::FORBIDDEN, ErrorCode::ForbiddenOrigin, error);
            return Err(error.into_response());
        }
        author(parts, state, |settings| &settings.answer).await.map(Self)
    }
}

impl FromRequestParts<WebState> for MayCategorize {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Response> {
        author(parts, state, |settings| &settings.categorize).await.map(Self)
    }
}

impl FromRequestParts<WebState> for MaySpeak {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Response> {
        author(parts, state, |settings| &settings.speak).await.map(Self)
    }
}

async fn author(
    parts: &mut Parts,
    state: &WebState,
    members: impl FnOnce(&IdentitySettings) -> &Members + Send,
) -> Result<Author, Response> {
    WriteAuth::from_request_parts(parts, state).await?;
    if let Some(ByFleet(author)) = parts.extensions.get() {
        return Ok(author.clone());
    }
    let settings = state.app.settings().identity.as_ref();
    let Some(caller) = parts.extensions.get::<Caller>() else { return Ok(Author::Unnamed) };
    check(settings, caller, members).map_err(ApiError::into_response)?;
    let user = || caller.identity.as_ref().map(|identity| identity.user.clone());
    Ok(if settings.is_some() && caller.is_forwarded() { Author::Forwarded(user()) } else { Author::Unnamed })
}
