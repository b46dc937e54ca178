//! Forwarding of writes to a mirrored machine: they are carried out by the machine's own monitor, and its answer is the answer. The rights are
//! those of this monitor; whether the machine takes changes from the fleet at all is set there.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use coordination::api::ErrorCode;
use serde_json::Value;
use tower::ServiceExt as _;

use super::error::ApiError;
use super::fleet_reads::{self, HomeRead};
use super::security::{Author, ByFleet, MayAnswer, MayCategorize, MaySpeak};
use super::state::WebState;
use crate::config::Settings;
use crate::fleet::{CommandFault, CommandReply, CommandRunner, FleetCommand, FleetMember, ReadReply, refusal};

/// Largest body that goes to another machine: a message of the servers holds a megabyte.
const MAX_BODY_BYTES: usize = 512 * 1024;
/// Largest answer.
const MAX_ANSWER_BYTES: usize = 900 * 1024;

/// Error for what does not go over the fleet.
const MACHINE_ONLY: &str = "This is done on the machine itself, not over the fleet";

/// The write that this process carries out itself.
const VISIT: &str = "/api/v2/me/visit";

/// Who may make a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Right {
    Categorize,
    Speak,
    Answer,
}

/// The right that a path needs; `None` for what is only done on the machine itself.
fn right(path: &str) -> Option<Right> {
    let v2 = path.strip_prefix("/api/v2/").unwrap_or_default();
    match v2 {
        "speak" => Some(Right::Speak),
        "categories" | "classifier/config" => Some(Right::Categorize),
        _ if v2.starts_with("permission-requests/") && v2.ends_with("/answer") => Some(Right::Answer),
        _ if v2.starts_with("shared/") => Some(Right::Categorize),
        _ if v2.starts_with("sessions/") && v2.ends_with("/category") => Some(Right::Categorize),
        _ if path.starts_with("/api/work-sessions/") && path.ends_with("/category") => Some(Right::Categorize),
        _ => None,
    }
}

/// Sends the writes of a mirror to its machine, and the reads that only the machine can answer. Last visits are of readers of
/// this process, which stores them.
pub(super) async fn forward(State(state): State<WebState>, request: Request, next: Next) -> Response {
    match (&state.member, request.method()) {
        (None, _) | (_, &Method::OPTIONS) => next.run(request).await,
        (Some(member), &Method::GET | &Method::HEAD) => match HomeRead::of_path(request.uri().path()) {
            Some(read) => fleet_reads::answer((&state, member), read, request, next).await,
            None => next.run(request).await,
        },
        // The aggregator's own readers.
        (Some(_), &Method::POST) if request.uri().path() == VISIT => next.run(request).await,
        (Some(member), _) => sent(&state, member, request).await.unwrap_or_else(|refusal| refusal),
    }
}

async fn sent(state: &WebState, member: &FleetMember, request: Request) -> Result<Response, Response> {
    let (mut parts, body) = request.into_parts();
    let right = right(parts.uri.path()).ok_or_else(on_machine_only)?;
    let author = match right {
        Right::Categorize => {
            MayCategorize::from_request_parts(&mut parts, state).await.map(|MayCategorize(author)| author)
        }
        Right::Speak => MaySpeak::from_request_parts(&mut parts, state).await.map(|MaySpeak(author)| author),
        Right::Answer => MayAnswer::from_request_parts(&mut parts, state).await.map(|MayAnswer(author)| author),
    }?;
    // Who cannot see what would run does not allow it.
    if right == Right::Answer && !member.has_reads() {
        return Err(fleet_reads::not_offered(&member.info.name).into_response());
    }
    let too_large = |_| ApiError::of_status(StatusCode::PAYLOAD_TOO_LARGE).into_response();
    let bytes = axum::body::to_bytes(body, MAX_BODY_BYTES).await.map_err(too_large)?;
    let not_text = |_| ApiError::of_status(StatusCode::BAD_REQUEST).into_response();
    if is_rule(&bytes) {
        return Err(on_machine_only());
    }
    let (by, is_forwarded) = match author {
        Author::Forwarded(user) => (user, true),
        Author::Unnamed => (None, false),
    };
    let command = FleetCommand {
        source: member.id.clone(),
        method: parts.method.to_string(),
        path: parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        body: String::from_utf8(bytes.to_vec()).map_err(not_text)?,
        by,
        is_forwarded,
    };
    let reply = member.run(&command).await.map_err(|fault| error_of(&fault, &member.info.name).into_response())?;
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::BAD_GATEWAY);
    Ok((status, [(header::CONTENT_TYPE, "application/json")], reply.body).into_response())
}

fn on_machine_only() -> Response {
    ApiError::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, MACHINE_ONLY).into_response()
}

/// Whether a shared record is a rule of alerts, which says what is sent where.
fn is_rule(body: &[u8]) -> bool {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    body.pointer("/content/kind").and_then(Value::as_str) == Some("rule")
}

/// A name of a person, as a proxy may give it.
fn is_name(by: &str) -> bool {
    by.chars().count() <= 200 && !by.chars().any(char::is_control)
}

fn error_of(fault: &CommandFault, machine: &str) -> ApiError {
    let code = match fault {
        CommandFault::Offline | CommandFault::Unreachable => ErrorCode::MachineOffline,
        CommandFault::Uncertain => ErrorCode::DurabilityUncertain,
    };
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, code, format!("{machine}: {fault}"))
}

/// Carries out commands of the fleet with the routes of this monitor.
pub(super) fn runner(routes: Router, settings: &Settings) -> CommandRunner {
    let (host, base) = (format!("127.0.0.1:{}", settings.port), settings.base_path.clone());
    let may_answer = settings.fleet.as_ref().is_some_and(|fleet| fleet.reads);
    Arc::new(move |command: FleetCommand| {
        let (routes, request) = (routes.clone(), request_of(command, (&host, &base), may_answer));
        Box::pin(async move {
            let Some(request) = request else {
                let ReadReply { head, body } = not_over_fleet();
                return CommandReply { status: head.status, body: String::from_utf8_lossy(&body).into_owned() };
            };
            let response = answer_of(routes, request).await;
            let status = response.status().as_u16();
            let body = axum::body::to_bytes(response.into_body(), MAX_ANSWER_BYTES).await.unwrap_or_default();
            CommandReply { status, body: String::from_utf8_lossy(&body).into_owned() }
        })
    })
}

/// Answer of the routes of this monitor.
pub(super) async fn answer_of(routes: Router, request: Request) -> Response {
    match routes.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// The answer to what does not come over the fleet.
pub(super) fn not_over_fleet() -> ReadReply {
    refusal(StatusCode::FORBIDDEN.as_u16(), ErrorCode::Forbidden, MACHINE_ONLY)
}

/// The request of a command, as the page of this monitor would make it; `None` for one that may not come this way.
/// `may_answer`: permission requests are shown to the fleet, so they may be answered there.
fn request_of(command: FleetCommand, (host, base): (&str, &str), may_answer: bool) -> Option<Request> {
    // A fragment would end the path that is asked for before the one that is looked at.
    if command.path.contains('#') {
        return None;
    }
    let (path, _) = command.path.split_once('?').unwrap_or((&command.path, ""));
    if right(path)? == Right::Answer && !may_answer {
        return None;
    }
    if is_rule(command.body.as_bytes()) || !command.by.as_deref().is_none_or(is_name) {
        return None;
    }
    let is_named = command.is_forwarded || command.by.is_some();
    let author = if is_named { Author::Forwarded(command.by) } else { Author::Unnamed };
    let request = Request::builder()
        .method(command.method.as_str())
        .uri(format!("{}{}", base.trim_end_matches('/'), command.path))
        .header(header::HOST, host)
        .header(header::ORIGIN, format!("http://{host}"))
        .header(header::CONTENT_TYPE, "application/json")
        .extension(ByFleet(author))
        .body(Body::from(command.body));
    request
        .ok()
        .filter(|request| matches!(*request.method(), Method::POST | Method::PUT | Method::PATCH | Method::DELETE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_writes_of_people_go_to_another_machine() {
        for (path, wanted) in [
            ("/api/v2/sessions/ws_1/category", Some(Right::Categorize)),
            ("/api/work-sessions/ws_1/category", Some(Right::Categorize)),
            ("/api/v2/shared/n-1", Some(Right::Categorize)),
            ("/api/v2/speak", Some(Right::Speak)),
            ("/api/v2/permission-requests/p/answer", Some(Right::Answer)),
            ("/api/v2/permission-requests/p", None),
            ("/api/hooks/claude-code", None),
            ("/api/hooks/permission", None),
            ("/api/v2/schema-events", None),
            (VISIT, None),
            ("/api/v2/alerts/test", None),
            ("/api/v2/push-subscriptions", None),
            ("/", None),
        ] {
            assert_eq!(right(path), wanted, "{path}");
        }
        let command = |method: &str, path: &str| FleetCommand {
            source: String::new(),
            method: method.to_owned(),
            path: path.to_owned(),
            body: String::new(),
            by: None,
            is_forwarded: false,
        };
        let at = ("127.0.0.1:1", "/hub/");
        let request = |method, path| request_of(command(method, path), at, false);
        assert_eq!(request("PUT", "/api/v2/shared/n-1").expect("a request").uri().path(), "/hub/api/v2/shared/n-1");
        assert!(request("GET", "/api/v2/speak").is_none(), "no write");
        assert!(request("POST", "/api/hooks/permission").is_none(), "not over the fleet");
        assert!(request("PUT", "/api/v2/shared/n-1#x").is_none(), "an address with a fragment");
        assert!(request("POST", "/api/v2/speak?\n").is_none(), "no address");
        let shared = || command("PUT", "/api/v2/shared/r-1");
        let rule = FleetCommand { body: r#"{"content":{"kind":"rule","name":"x"}}"#.to_owned(), ..shared() };
        assert!(request_of(rule, at, false).is_none(), "a rule of alerts");
        let named = |by: &str| FleetCommand { by: Some(by.to_owned()), ..shared() };
        assert!(request_of(named("세움"), at, false).is_some());
        assert!(request_of(named("a\nb"), at, false).is_none(), "no name");
        let answer = || command("POST", "/api/v2/permission-requests/p/answer");
        assert!(request_of(answer(), at, true).is_some());
        assert!(request_of(answer(), at, false).is_none(), "permission requests are not shown to the fleet");
    }

    #[test]
    fn name_in_a_body_counts_only_without_a_proxy() {
        let author = |by: Option<&str>, is_forwarded| {
            let command = FleetCommand {
                source: String::new(),
                method: "PUT".to_owned(),
                path: "/api/v2/shared/n-1".to_owned(),
                body: String::new(),
                by: by.map(str::to_owned),
                is_forwarded,
            };
            let request = request_of(command, ("127.0.0.1:1", "/"), false).expect("a request");
            let ByFleet(author) = request.extensions().get::<ByFleet>().cloned().expect("a mark");
            author.or_claimed(Some("somebody".to_owned()))
        };
        assert_eq!(author(None, false).as_deref(), Some("somebody"));
        assert_eq!(author(None, true), None, "the proxy names nobody");
        assert_eq!(author(Some("eden"), true).as_deref(), Some("eden"));
    }
}
