//! Parser of notices that OpenClaw sends in an agent's name, such as `[SYSTEM - UNBLOCK REQUEST]` (`contract/events.md`
//! §7.3). It returns the kind of the notice and its reason, or the text after the heading where no reason is given. It
//! accepts the whole text or its single-line preview.

use super::is_machine;

/// A notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice<'a> {
    /// Which one.
    pub kind: NoticeKind,
    /// Its reason; of a notice without one what follows its heading, without task ids. May be empty.
    pub text: &'a str,
}

/// Kinds of notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// `[SYSTEM REMINDER - TASK CONTINUATION]`: continue the task.
    Continue,
    /// `[SYSTEM - UNBLOCK REQUEST]`: help a blocked task.
    Unblock,
    /// `[ESCALATION - UNBLOCK REQUEST (Final Attempt)]`: the same for the last time.
    LastUnblock,
    /// `[UNBLOCK RESOLVED]`: the task is no longer blocked.
    Unblocked,
    /// `[SYSTEM - ZOMBIE TASK ESCALATED]`: a task without a sign for long.
    Zombie,
    /// Any other heading of the kind.
    Other,
}

/// Lines of the notice that say nothing of their own.
const CLOSING: [&str; 2] = ["Please help unblock and reply", "Please help"];
const REASON: &str = "Reason:";
const TASK: &str = "Task:";

/// Reads a text that begins with the heading of a notice. Linear in the text.
#[must_use]
pub fn notice(text: &str) -> Option<Notice<'_>> {
    let text = text.trim_start();
    if !is_machine(text) {
        return None;
    }
    let (heading, rest) = text.split_once(']').unwrap_or((text, ""));
    let rest = rest.trim();
    let kind = match heading.get(1..).unwrap_or_default() {
        "SYSTEM REMINDER - TASK CONTINUATION" => NoticeKind::Continue,
        "SYSTEM - UNBLOCK REQUEST" => NoticeKind::Unblock,
        "SYSTEM - ZOMBIE TASK ESCALATED" => NoticeKind::Zombie,
        "UNBLOCK RESOLVED" => NoticeKind::Unblocked,
        heading if heading.starts_with("ESCALATION - UNBLOCK REQUEST") => NoticeKind::LastUnblock,
        _ => NoticeKind::Other,
    };
    let body = match rest.split_once(REASON) {
        Some((_, reason)) => reason,
        None => without_task(rest),
    };
    let body = body.trim_start().lines().next().unwrap_or_default();
    let end = CLOSING.iter().filter_map(|closing| body.find(closing)).min().unwrap_or(body.len());
    Some(Notice { kind, text: body.get(..end).unwrap_or(body).trim() })
}

/// `Task: task_…` at the beginning, taken off.
fn without_task(text: &str) -> &str {
    let Some(rest) = text.strip_prefix(TASK) else { return text };
    rest.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d12_notices_are_read_whole_and_as_previews() {
        let unblock = "[SYSTEM - UNBLOCK REQUEST]\nTask: task_42c47820c84592b83868\nReason: 관세사 확인서가 필요함\nPlease help unblock and reply.";
        let preview = super::super::preview(unblock, 200);
        let last = unblock.replace("[SYSTEM - UNBLOCK REQUEST]", "[ESCALATION - UNBLOCK REQUEST (Final Attempt)]");
        let cases = [
            (unblock, NoticeKind::Unblock, "관세사 확인서가 필요함"),
            (&preview, NoticeKind::Unblock, "관세사 확인서가 필요함"),
            (&last, NoticeKind::LastUnblock, "관세사 확인서가 필요함"),
            (
                "[SYSTEM REMINDER - TASK CONTINUATION]\nYou have an unfinished task. Continue with the next step.",
                NoticeKind::Continue,
                "You have an unfinished task. Continue with the next step.",
            ),
            ("[UNBLOCK RESOLVED] Task: task_1", NoticeKind::Unblocked, ""),
            ("[UNBLOCK RESOLVED] Task: task_1 권한을 받음", NoticeKind::Unblocked, "권한을 받음"),
            ("[SYSTEM - ZOMBIE TASK ESCALATED]", NoticeKind::Zombie, ""),
            ("[SYSTEM MAINTENANCE] 10분 뒤 재시작", NoticeKind::Other, "10분 뒤 재시작"),
            ("[SYSTEM", NoticeKind::Other, ""),
        ];
        for (text, kind, body) in cases {
            assert_eq!(notice(text), Some(Notice { kind, text: body }), "{text}");
        }
        assert_eq!(notice("배포해 줘"), None);
        assert_eq!(notice("보고: [SYSTEM - UNBLOCK REQUEST]"), None);
    }
}
