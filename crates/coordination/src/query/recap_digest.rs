//! Recap in the form in which it leaves the machine: names of agents as people read them, texts without secrets and hidden
//! characters, a path for each line. Costs what [`recap`] costs.

use super::alert_lines::{MAX_DETAIL_CHARS, MAX_TITLE_CHARS, alert_path, clean};
use super::recap::recap;
use crate::alerts::{RecapDigest, RecapDigestLine};
use crate::api::{RecapLine, RecapQuery};
use crate::hub::Hub;
use crate::ids::AgentId;
use crate::url_encode::url_encode;

/// What changed from `since` to `now`. `offset` is the zone of its words, in minutes ahead of UTC; `partial` says that some
/// inputs could not be read.
#[must_use]
pub fn recap_digest(hub: &Hub, since: i64, now: i64, offset: i64, partial: bool) -> RecapDigest {
    let changes = recap(hub, now, &RecapQuery { since: Some(since) });
    let lines = changes.lines.iter().map(|line| digest_line(hub, line)).collect();
    RecapDigest { since: changes.since, until: now, offset, totals: changes.totals, lines, partial }
}

fn digest_line(hub: &Hub, line: &RecapLine) -> RecapDigestLine {
    let name = |id: Option<&AgentId>| {
        let name = id.map(|id| hub.display_name(id).unwrap_or(id.as_str()));
        name.map(|name| clean(name, MAX_TITLE_CHARS)).unwrap_or_default()
    };
    let attention = line.attention.as_deref();
    RecapDigestLine {
        kind: line.kind,
        outcome: line.outcome,
        attention: attention.map(|attention| attention.kind),
        at: line.at,
        count: line.count,
        agent: name(line.agent.as_ref()),
        other: name(line.other.as_ref()),
        title: clean(&line.title, MAX_TITLE_CHARS),
        detail: attention.map(|attention| clean(&attention.detail, MAX_DETAIL_CHARS)).unwrap_or_default(),
        took_ms: line.took_ms,
        usual_ms: line.usual_ms,
        path: recap_path(line),
    }
}

/// Path below the dashboard of the evidence of a line; a test of the page holds it equal to the page's own link.
#[must_use]
pub fn recap_path(line: &RecapLine) -> String {
    if let Some(attention) = &line.attention {
        return alert_path(attention);
    }
    if let Some((agent, task)) = line.agent.as_ref().zip(line.task_id.as_ref()) {
        return format!("tasks/{}/{}", url_encode(agent.as_str()), url_encode(task.as_str()));
    }
    let Some(session) = &line.session_id else {
        let agent = line.agent.iter().map(|agent| format!("agent={}", url_encode(agent.as_str())));
        let open = line.event_id.iter().map(|event| format!("open={}", url_encode(event.as_str())));
        let query: Vec<String> = agent.chain(open).collect();
        return if query.is_empty() { "events".to_owned() } else { format!("events?{}", query.join("&")) };
    };
    let mut path = format!("s/{}", url_encode(session.as_str()));
    if let Some(thread) = &line.thread_id {
        path.push_str(&format!("/t/{}", url_encode(thread.as_str())));
        if let Some(event) = &line.event_id {
            path.push_str(&format!("?at={}", url_encode(event.as_str())));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use serde_json::json;

    #[test]
    fn digest_line_hides_secrets_and_hidden_characters() {
        let secret = "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let attention = json!({
            "kind": "approval", "inferred": false, "since": 5, "agent": "eden", "taskId": "task_1", "detail": secret,
        });
        let line: RecapLine = decode(json!({
            "kind": "blocked", "at": 5, "count": 1, "agent": "eden\u{202e}", "other": secret, "attention": attention,
            "title": format!("배포\n\u{202e} {secret}"),
        }))
        .unwrap();
        let shown = digest_line(&Hub::new(), &line);
        let text = serde_json::to_string(&shown).unwrap();
        assert!(!text.contains("ghp_") && !text.contains('\u{202e}') && !text.contains("\\n"), "{text}");
        assert!(shown.title.contains("배포 [U+202E]") && shown.agent.contains("eden"), "{text}");
        let kind = shown.attention;
        assert_eq!((kind, shown.path.as_str()), (Some(crate::api::AttentionKind::Approval), "tasks/eden/task_1"));
    }
}
