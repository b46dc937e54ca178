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
use super::security::{Author, ByFleet, MayCategorize, MaySpeak};
use super::state::WebState;
use crate::config::Settings;
use crate::fleet::{CommandFault, CommandReply, CommandRunner, FleetCommand};

/// Largest body that goes to another machine: a message of the servers holds a megabyte.
const MAX_BODY_BYTES: usize = 512 * 1024;
/// Largest answer.
const MAX_ANSWER_BYTES: usize = 900 * 1024;

/// Who may make a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Right {
    Categorize,
    Speak,
}

/// The right that a path needs; `None` for what is only done on the machine itself.
fn right(path: &str) -> Option<Right> {
    let v2 = path.strip_prefix("/api/v2/").unwrap_or_default();
    match v2 {
        "speak" => Some(Right::Speak),
        "categories" | "classifier/config" => Some(Right::Categorize),
        _ if v2.starts_with("shared/") => Some(Right::Categorize),
        _ if v2.starts_with("sessions/") && v2.ends_with("/category") => Some(Right::Categorize),
        _ if path.starts_with("/api/work-sessions/") && path.ends_with("/category") => Some(Right::Categorize),
        _ => None,
    }
}

/// Sends every write of a mirror to its machine.
pub(super) async fn forward(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    match state.member.clone().filter(|_| !is_read) {
        None => next.run(request).await,
        Some(member) => sent(&state, &member, request).await.unwrap_or_else(|refusal| refusal),
    }
}

async fn sent(state: &WebState, member: &crate::fleet::FleetMember, request: Request) -> Result<Response, Response> {
    let (mut parts, body) = request.into_parts();
    let right = right(parts.uri.path()).ok_or_else(on_machine_only)?;
    let author = match right {
        Right::Categorize => {
            MayCategorize::from_request_parts(&mut parts, state).await.map(|MayCategorize(author)| author)
        }
        Right::Speak => MaySpeak::from_request_parts(&mut parts, state).await.map(|MaySpeak(author)| author),
    }?;
    let too_large = |_| ApiError::of_status(StatusCode::PAYLOAD_TOO_LARGE).into_response();
    let bytes = axum::body::to_bytes(body, MAX_BODY_BYTES).await.map_err(too_large)?;
    let not_text = |_| ApiError::of_status(StatusCode::BAD_REQUEST).into_response();
    if is_rule(&bytes) {
        return Err(on_machine_only());
    }
    let command = FleetCommand {
        source: member.id.clone(),
        method: parts.method.to_string(),
        path: parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        body: String::from_utf8(bytes.to_vec()).map_err(not_text)?,
        by: match author {
            Author::Forwarded(user) => user,
            Author::Unnamed => None,
        },
    };
    let reply = member.run(&command).await.map_err(|fault| error_of(&fault, &member.info.name).into_response())?;
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::BAD_GATEWAY);
    Ok((status, [(header::CONTENT_TYPE, "application/json")], reply.body).into_response())
}

fn on_machine_only() -> Response {
    let error = "This is done on the machine itself, not over the fleet";
    ApiError::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, error).into_response()
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
    Arc::new(move |command: FleetCommand| {
        let (routes, request) = (routes.clone(), request_of(command, &host, &base));
        Box::pin(async move {
            let answered = match request {
                Some(request) => routes.oneshot(request).await,
                None => Ok(ApiError::of_status(StatusCode::BAD_REQUEST).into_response()),
            };
            let response = match answered {
                Ok(response) => response,
                Err(never) => match never {},
            };
            let status = response.status().as_u16();
            let body = axum::body::to_bytes(response.into_body(), MAX_ANSWER_BYTES).await.unwrap_or_default();
            CommandReply { status, body: String::from_utf8_lossy(&body).into_owned() }
        })
    })
}

/// The request of a command, as the page of this monitor would make it; `None` for one that may not come this way.
fn request_of(command: FleetCommand, host: &str, base: &str) -> Option<Request> {
    let (path, _) = command.path.split_once('?').unwrap_or((&command.path, ""));
    right(path)?;
    if is_rule(command.body.as_bytes()) || !command.by.as_deref().is_none_or(is_name) {
        return None;
    }
    let request = Request::builder()
        .method(command.method.as_str())
        .uri(format!("{}{}", base.trim_end_matches('/'), command.path))
        .header(header::HOST, host)
        .header(header::ORIGIN, format!("http://{host}"))
        .header(header::CONTENT_TYPE, "application/json")
        .extension(ByFleet(command.by))
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
            ("/api/v2/permission-requests/p/answer", None),
            ("/api/hooks/claude-code", None),
            ("/api/hooks/permission", None),
            ("/api/v2/schema-events", None),
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
        };
        let request = |method, path| request_of(command(method, path), "127.0.0.1:1", "/hub/");
        assert_eq!(request("PUT", "/api/v2/shared/n-1").expect("a request").uri().path(), "/hub/api/v2/shared/n-1");
        assert!(request("GET", "/api/v2/speak").is_none(), "no write");
        assert!(request("POST", "/api/hooks/permission").is_none(), "not over the fleet");
        assert!(request("POST", "/api/v2/speak?\n").is_none(), "no address");
        let shared = || command("PUT", "/api/v2/shared/r-1");
        let rule = FleetCommand { body: r#"{"content":{"kind":"rule","name":"x"}}"#.to_owned(), ..shared() };
        assert!(request_of(rule, "127.0.0.1:1", "/").is_none(), "a rule of alerts");
        let named = |by: &str| FleetCommand { by: Some(by.to_owned()), ..shared() };
        assert!(request_of(named("세움"), "127.0.0.1:1", "/").is_some());
        assert!(request_of(named("a\nb"), "127.0.0.1:1", "/").is_none(), "no name");
    }
}
