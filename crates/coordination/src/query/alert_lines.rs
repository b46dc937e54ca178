//! Lines of the work list for alerts: all of them, not only those that home shows, and the form in which a line leaves the
//! machine. Names of agents are as people read them, texts are without secrets and hidden characters.

use super::attention::attention_without_guesses;
use crate::alerts::AlertLine;
use crate::api::{Attention, AttentionKind};
use crate::hub::Hub;
use crate::ids::AgentId;
use crate::schema::hook::hide_secrets;
use crate::text;
use crate::url_encode::url_encode;

/// Maximum number of lines. Those that hold up most agents come first.
const MAX_ALERT_LINES: usize = 2_000;
/// Maximum length of a title and of a detail in a message, in characters.
pub(super) const MAX_TITLE_CHARS: usize = 120;
pub(super) const MAX_DETAIL_CHARS: usize = 300;

/// The work list, and whether there are more lines.
#[must_use]
pub fn alert_lines(hub: &Hub, now: i64) -> (Vec<Attention>, bool) {
    attention_without_guesses(hub, now, MAX_ALERT_LINES)
}

/// A line as a message shows it.
#[must_use]
pub fn alert_line(hub: &Hub, line: &Attention) -> AlertLine {
    let name = |id: &AgentId| clean(hub.display_name(id).unwrap_or(id.as_str()), MAX_TITLE_CHARS);
    let named = |id: Option<&AgentId>| id.map(name).unwrap_or_default();
    AlertLine {
        kind: line.kind,
        agent: named(line.agent.as_ref()),
        other: named(line.other.as_ref()),
        cycle: line.cycle.iter().map(name).collect(),
        waiters: line.waiters.iter().map(name).collect(),
        held_up: line.held_up,
        since: line.since,
        inferred: line.inferred,
        title: clean(&line.title, MAX_TITLE_CHARS),
        detail: clean(&line.detail, MAX_DETAIL_CHARS),
        path: alert_path(line),
    }
}

/// A text on one line, without secrets. Characters that show nothing, or turn the text around, are named.
pub(super) fn clean(text: &str, chars: usize) -> String {
    let masked = hide_secrets(text);
    let words: Vec<&str> = masked.split_whitespace().collect();
    let line = text::hidden::marked(&words.join(" ")).replace(char::is_control, " ");
    match line.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Path below the dashboard of the page on which a line is settled; a test of the page holds it equal to the page's own
/// link. Home for what has no page of its own.
#[must_use]
pub fn alert_path(line: &Attention) -> String {
    if let Some(request) = line.requests.first() {
        return format!("permission/{}", url_encode(&request.id));
    }
    let about_task = matches!(
        line.kind,
        AttentionKind::TaskBlocked
            | AttentionKind::UnblockFailed
            | AttentionKind::Backoff
            | AttentionKind::Approval
            | AttentionKind::Zombie
            | AttentionKind::Deadlock
    );
    if let Some((agent, task)) = line.agent.as_ref().zip(line.task_id.as_ref()).filter(|_| about_task) {
        return format!("tasks/{}/{}", url_encode(agent.as_str()), url_encode(task.as_str()));
    }
    if line.kind == AttentionKind::FallbackDrift {
        return "drift".to_owned();
    }
    if let Some(key) = &line.session_key {
        return format!("sessions/{}", url_encode(key));
    }
    let Some(session) = &line.session_id else {
        return if line.kind == AttentionKind::Approval { "tasks".to_owned() } else { String::new() };
    };
    let mut path = format!("s/{}", url_encode(session.as_str()));
    if let Some(thread) = &line.thread_id {
        path.push_str(&format!("/t/{}", url_encode(thread.as_str())));
        if let Some(event) = &line.event_id {
            path.push_str(&format!("?at={}", url_encode(&event.to_string())));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;

    fn line(more: &serde_json::Value) -> Attention {
        let mut line = serde_json::json!({ "kind": "taskBlocked", "inferred": false, "since": 5, "agent": "eden" });
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        decode(line).unwrap()
    }

    #[test]
    fn alert_line_hides_secrets_and_hidden_characters() {
        let written = line(&serde_json::json!({
            "taskId": "task 1", "title": "deploy\u{202e} now", "detail": "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        }));
        let shown = alert_line(&Hub::new(), &written);
        assert!(!shown.detail.contains("ghp_") && !shown.title.contains('\u{202e}'), "{shown:?}");
        assert_eq!((shown.agent.as_str(), shown.path.as_str()), ("eden", "tasks/eden/task%201"));
    }

    #[test]
    fn alert_paths_lead_to_what_settles_the_line() {
        let place =
            serde_json::json!({ "kind": "noReply", "sessionId": "ws_1", "threadId": "conv:a", "eventId": "f-1" });
        assert_eq!(alert_path(&line(&place)), "s/ws_1/t/conv:a?at=f-1");
        assert_eq!(alert_path(&line(&serde_json::json!({ "kind": "permission", "sessionId": "ws_1" }))), "s/ws_1");
        let request = serde_json::json!({ "kind": "permission", "requests": [{ "id": "r1", "expiresAt": 5 }] });
        assert_eq!(alert_path(&line(&request)), "permission/r1");
        assert_eq!(alert_path(&line(&serde_json::json!({ "kind": "approval" }))), "tasks");
        assert_eq!(alert_path(&line(&serde_json::json!({ "kind": "question" }))), "");
    }
}
