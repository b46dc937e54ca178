//! OpenAPI components that many operations share: error responses, headers, tags and security schemes. Examples of
//! parameters and request bodies are also here.

use coordination::delivery::DeliveryState;
use coordination::digest::digest_hex;
use coordination::workspace::TaskStatus;
use serde_json::{Map, Value, json};

/// Answers that are the same wherever they occur: status, name, when.
const RESPONSES: [(&str, &str, &str); 15] = [
    ("400", "BadRequest", "The path, a parameter or the body cannot be read or is not acceptable; `field` says which"),
    ("401", "Unauthorized", "A write without the right token or page session"),
    ("403", "Forbidden", "This origin or page may not do this here"),
    ("404", "NotFound", "Nothing by that id"),
    ("408", "TooSlow", "The request did not arrive in time"),
    ("409", "Conflict", "Somebody else changed it meanwhile: the value that the client saw is no longer in force"),
    ("413", "TooLarge", "The body is larger than this route takes"),
    ("414", "TooLong", "The address is too long"),
    ("415", "NotJson", "The body must be `application/json`"),
    ("421", "Misdirected", "This host name is not answered here"),
    ("422", "NotAcceptable", "A field of the body holds what cannot be accepted; `field` says which"),
    ("429", "TooManyFailures", "Too many requests were refused; asked again after `Retry-After`"),
    ("500", "Internal", "A fault of the monitor; `requestId` names it in its log"),
    ("503", "Unavailable", "A file cannot be read, or the change could not be written: the old value stays in force"),
    ("507", "DiskFull", "The disk is full: the change was not written, the old value stays in force"),
];

/// Answers from before the route is known, and so without a body of ours.
const BARE: [(&str, &str, &str); 1] = [("431", "HeadersTooLarge", "The headers are too large")];

/// Describes the ETag of an operation: its header, `If-None-Match` and the answer 304 (`web::v2::etag`).
pub(super) fn tagged(operation: &mut Value) {
    let shown = json!({ "$ref": "#/components/parameters/IfNoneMatch" });
    match operation.get_mut("parameters").and_then(Value::as_array_mut) {
        Some(parameters) => parameters.push(shown),
        None => operation["parameters"] = json!([shown]),
    }
    operation["responses"]["200"]["headers"]["ETag"] = json!({ "$ref": "#/components/headers/Tag" });
    operation["responses"]["304"] = json!({ "$ref": "#/components/responses/NotModified" });
    if let Some(responses) = operation["responses"].as_object_mut() {
        responses.sort_keys();
    }
}

/// `components.parameters`.
pub(super) fn parameters() -> Value {
    json!({
        "IfNoneMatch": {
            "name": "If-None-Match", "in": "header", "required": false, "schema": { "type": "string" },
            "description": "Tags of earlier answers to the same question: when one of them is still current, nothing \
                is sent again",
        },
    })
}

/// Title and version.
pub(super) fn info() -> Value {
    json!({
        "title": "task-monitor",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "REST v2 (`/api/v2`) and the input of hooks. REST 1.x is described in \
            `docs/contract/monitor-api.md`. Times are UTC epoch milliseconds unless a field says otherwise. An absent \
            value is left out of an answer, never `null`; newer monitors may add fields and words. A blank parameter \
            counts as absent.",
        "license": { "name": "MIT", "identifier": "MIT" },
    })
}

/// Descriptions of the groups of operations.
pub(super) fn tags() -> Value {
    let tag = |(name, description): (&str, &str)| json!({ "name": name, "description": description });
    let all = [
        ("state", "The monitor, its files, and the whole at a glance"),
        ("sessions", "Sessions, their threads and what was said"),
        ("work", "Agents, tasks and delegated runs"),
        ("events", "The log, event by event"),
        ("categories", "Categories set by hand, and the record of that"),
        ("classifier", "What the classifier was taught"),
        ("speak", "Messages to agents through the gateway"),
        ("alerts", "Messages to chats, phones and mailboxes about what waits"),
        ("coding agents", "What Claude Code and its like tell, as one normalised stream"),
        ("live", "What happens, as it happens: the same frames three ways"),
    ];
    Value::Array(all.map(tag).to_vec())
}

/// The two ways to show the right to write.
pub(super) fn security() -> Value {
    json!({
        "token": {
            "type": "apiKey", "in": "header", "name": "X-Task-Monitor-Token",
            "description": "The write token of the monitor's settings",
        },
        "pageSession": {
            "type": "apiKey", "in": "cookie", "name": "task_hub_session",
            "description": "Given to the served page on this machine; the name ends with `_` and the port where the \
                address names one. Counts only together with an `Origin` that is the monitor's own",
        },
    })
}

/// `components.responses`.
pub(super) fn responses() -> Value {
    let schema = json!({ "$ref": "#/components/schemas/ErrorBody" });
    let described = |&(_, name, text): &(&str, &str, &str)| {
        let content = json!({ "application/json": { "schema": schema } });
        let headers = headers_of_an_answer();
        (name.to_owned(), json!({ "description": text, "headers": headers, "content": content }))
    };
    let bare = |&(_, name, text): &(&str, &str, &str)| (name.to_owned(), json!({ "description": text }));
    let mut all: Map<String, Value> = RESPONSES.iter().map(described).chain(BARE.iter().map(bare)).collect();
    let mut headers = headers_of_an_answer();
    headers["ETag"] = json!({ "$ref": "#/components/headers/Tag" });
    let text = "The answer with that tag is still current; it is not sent again";
    all.insert("NotModified".to_owned(), json!({ "description": text, "headers": headers }));
    all.into()
}

/// `components.headers`.
pub(super) fn headers() -> Value {
    let text = "Names this answer in the monitor's log";
    let tag = "Names this answer: shown as `If-None-Match`, it spares the next one while nothing changed. Absent while \
        the history is read";
    json!({
        "RequestId": { "description": text, "required": true, "schema": { "type": "string" } },
        "Tag": { "description": tag, "schema": { "type": "string", "pattern": "^W/\"[!#-~]+\"$" } },
    })
}

/// The headers of every answer of ours.
pub(super) fn headers_of_an_answer() -> Value {
    json!({ "X-Request-Id": { "$ref": "#/components/headers/RequestId" } })
}

/// Status and name of the common answers of an operation that takes parameters or a body (`takes_input`), or `writes`.
pub(super) fn responses_of(
    path: &str,
    takes_input: bool,
    writes: bool,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let by_id = path.contains('{');
    // These read files while they are asked.
    let reads_files = ["/api/v2/category-changes", "/api/v2/schema-events"];
    let files = writes || path.ends_with("/history") || reads_files.iter().any(|start| path.starts_with(start));
    RESPONSES.iter().chain(&BARE).filter_map(move |&(status, name, _)| {
        let has = match status {
            "400" => takes_input,
            "404" => by_id,
            "401" | "409" | "413" | "415" | "422" | "507" => writes,
            "503" => files,
            _ => true,
        };
        has.then_some((status, name))
    })
}

/// Something that is there in `fixtures/everything`.
pub(super) fn example(path: &str, parameter: &Value) -> Option<Value> {
    let named = |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or_default();
    let text = match (named("in"), named("name")) {
        ("path", "id") if path.starts_with("/api/v2/events/") => EVENT,
        ("path", "id") if path.contains("/tasks/{agent}") => TASK,
        ("path", "id") if path.contains("/agents/") => AGENT,
        ("path", "id") if path.contains("/push-subscriptions/") => SUBSCRIPTION,
        ("path", "id") => SESSION,
        ("path", "thread") => THREAD,
        ("path", "agent") => AGENT,
        ("query", "q") => "배포",
        ("query", "since") => "2026-02-01T00:00:00Z",
        _ => return None,
    };
    Some(text.into())
}

const SESSION: &str = "ws_f5f4e26b-e8e9-4194-b086-99cca9522db6";
const THREAD: &str = "conv:e63e3481-207c-4afe-aad9-0784972e86e2";
const EVENT: &str = "8aa7210a35-331737";
const AGENT: &str = "eden";
const TASK: &str = "task_7f3a91c02b4de8815a60";
/// Address at a push service, and the id that the monitor gives its subscription. Keys are those of the example of RFC 8291.
const PUSH_ENDPOINT: &str = "https://updates.push.services.mozilla.com/wpush/v2/example";
const SUBSCRIPTION: &str = "e1d4f23604999c0f";
const PUSH_KEY: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const PUSH_SECRET: &str = "BTBZMqHH6r4Tts7J_aSIgg";

/// An answer may hold a word that this build does not know; a query cannot.
pub(super) fn known_words(schema: &mut Value) {
    let target = if schema.get("items").is_some() { &mut schema["items"] } else { schema };
    let words = match target.get("$ref").and_then(Value::as_str) {
        Some("#/components/schemas/TaskStatus") => json!(TaskStatus::ALL.map(TaskStatus::as_str)),
        Some("#/components/schemas/DeliveryState") => json!(DeliveryState::ALL.map(DeliveryState::as_str)),
        _ => return,
    };
    *target = json!({ "type": "string", "enum": words });
}

/// A body that the route takes.
pub(super) fn body_example(method: &str, path: &str) -> Value {
    match (method, path) {
        ("patch", "/api/v2/categories") => {
            json!({ "items": [{ "workSessionId": SESSION, "collabCategory": "infra_ops" }], "updatedBy": "eden" })
        }
        ("post", "/api/v2/speak") => {
            json!({ "to": AGENT, "text": "먼저 확인해 주세요", "requestId": "an-example-of-a-name", "updatedBy": "eden" })
        }
        ("post", "/api/v2/alerts/test") => json!({ "sink": "chat" }),
        ("post", "/api/v2/alerts/retry") => json!({ "id": 0, "updatedBy": "eden" }),
        ("post", "/api/v2/push-subscriptions") => json!({
            "endpoint": PUSH_ENDPOINT, "keys": { "p256dh": PUSH_KEY, "auth": PUSH_SECRET }, "name": "Firefox · Android",
            "language": "ko",
        }),
        ("post", "/api/hooks/permission") => json!({
            "key": "8c35adc1-0000-4000-8000-000000000001:toolu_01ABC", "session": "8c35adc1-0000-4000-8000-000000000001",
            "call": { "tool": "Bash", "input": { "command": "npm test" }, "cwd": "/repo" }, "waitSeconds": 1,
        }),
        ("post", "/api/v2/permission-requests/{id}/answer") => json!({
            "decision": "allow", "digest": digest_hex("npm test", 64), "updatedBy": "eden",
        }),
        ("put", "/api/v2/shared/{id}") => json!({
            "content": { "kind": "note", "place": { "workSessionId": SESSION }, "text": "운영에 반영함" }, "expected": 0,
            "updatedBy": "eden",
        }),
        ("post", "/api/hooks/claude-code") => json!({
            "received_at": "2026-02-21T05:16:00.000Z", "terminal_session_id": "term_a1b2c3",
            "payload": {
                "session_id": "8c35adc1-0000-4000-8000-000000000001", "cwd": "/repo", "hook_event_name": "PreToolUse",
                "tool_name": "Bash", "tool_input": { "description": "테스트 실행" }, "tool_use_id": "toolu_01ABC",
            },
        }),
        ("post", "/api/v2/schema-events") => json!([{
            "id": "evt_assign_1", "version": "1.1", "ts": "2026-02-13T15:00:00.000Z", "type": "manager_assign",
            "source": "synthetic", "workspace_id": "repo_task-hub", "terminal_session_id": "term_a1b2c3",
            "agent_id": "core/leader", "target_agent_id": "core/worker-1", "task_id": "task_101",
            "payload": { "summary": "불안정한 테스트 수정" },
        }]),
        ("put", _) => json!({
            "config": { "words": [{ "word": "배포", "category": "infra_ops", "weight": 4 }] }, "updatedBy": "eden",
        }),
        ("delete", _) => json!({ "updatedBy": "eden", "reason": "A mistake" }),
        _ => json!({ "collabCategory": "infra_ops", "updatedBy": "eden" }),
    }
}
