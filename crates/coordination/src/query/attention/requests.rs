//! Work list lines of what OpenClaw records for a person: approvals of commands and tools that wait in its gateway, and
//! sessions whose agent asks for attention itself (`contract/sessions.md` §2.3). Both end by themselves.

use super::line;
use crate::api::{ApprovalRequest, Attention, AttentionKind, PermissionRef};
use crate::hub::{DETAIL_CHARS, Hub};
use crate::store::PendingApproval;
use crate::url_encode::url_encode;

/// What is in force at `now`.
pub(super) fn requests(hub: &Hub, now: i64, lines: &mut Vec<Attention>) {
    let requests = hub.person_requests();
    let approvals = requests.approvals.iter().filter(|approval| approval.expires_at > now);
    let pages = approval_pages(hub);
    let is_answerable = |approval: &PendingApproval| requests.is_answerable(approval);
    lines.extend(approvals.map(|approval| approval_line(approval, pages.as_deref(), is_answerable(approval))));
    for (agent, statement) in &requests.statements {
        if statement.expires_at > now && statement.attention.is_some() {
            lines.push(Attention {
                agent: Some(agent.clone()),
                detail: statement.note.clone(),
                session_key: Some(statement.session_key.clone()),
                until: Some(statement.expires_at),
                // Nothing says since when.
                ..line(AttentionKind::AgentRequest, 0, "agentStatus".to_owned())
            });
        }
    }
}

/// Address of the gateway's pages of approvals, where it has them: the id follows.
fn approval_pages(hub: &Hub) -> Option<String> {
    let dashboard = &hub.roster().dashboard;
    let gateway = hub.person_requests().gateway_page.as_ref().filter(|_| !dashboard.off)?;
    Some(format!("{gateway}{}approve/", dashboard.path))
}

fn page_of(pages: &str, id: &str) -> String {
    format!("{pages}{}", url_encode(id))
}

/// An approval that a page of the monitor answers, over or not, and the gateway's own page of it.
#[must_use]
pub fn answerable_approval(hub: &Hub, id: &str) -> Option<PendingApproval> {
    let requests = hub.person_requests();
    let approval = requests.approvals.iter().find(|approval| approval.request.id == id)?;
    requests.is_answerable(approval).then(|| {
        let url = approval_pages(hub).map(|pages| page_of(&pages, id));
        PendingApproval { request: ApprovalRequest { url, ..approval.request.clone() }, ..approval.clone() }
    })
}

fn approval_line(approval: &PendingApproval, pages: Option<&str>, is_answerable: bool) -> Attention {
    let request =
        ApprovalRequest { url: pages.map(|pages| page_of(pages, &approval.request.id)), ..approval.request.clone() };
    let answer = PermissionRef { id: request.id.clone(), expires_at: approval.expires_at };
    Attention {
        agent: approval.agent_id.clone(),
        title: approval.title.clone().unwrap_or_default(),
        detail: first_line(&request.text),
        session_key: approval.session_key.clone(),
        until: Some(approval.expires_at).filter(|at| *at < i64::MAX),
        requests: is_answerable.then_some(answer).into_iter().collect(),
        approval: Some(Box::new(request)),
        ..line(AttentionKind::ToolApproval, approval.created_at, "operator_approvals".to_owned())
    }
}

/// The first words of a command on one line. It is no message: its stars and backticks mean something.
fn first_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(DETAIL_CHARS) {
        None => words,
        Some((end, _)) => format!("{}…", &words[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_is_one_line_with_its_marks() {
        assert_eq!(first_line("rm **/*.log\n\t&& `pwd`"), "rm **/*.log && `pwd`");
        assert_eq!(first_line(&"가".repeat(DETAIL_CHARS + 1)).chars().count(), DETAIL_CHARS + 1);
    }
}
