//! Parser of the lines that the task tools write into `## Progress` (`contract/workspace.md` §3). Recognised lines are
//! translated. Other lines are an agent's own text and stay as written.

use coordination::ids::AgentId;

use crate::i18n::messages::ProgressMessages;

/// One progress line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgressLine {
    Started,
    AwaitsApproval,
    Approved,
    Blocked(String),
    Resumed,
    Request { n: u32, agent: AgentId, escalated: bool },
    StepCompleted(String),
    StepStarted(String),
    StepSkipped(String),
    Reordered,
    Completed,
    Cancelled(String),
    Recovered(u32),
    StopGuard(u32),
    Forced(u32),
    Text(String),
}

impl ProgressLine {
    /// Reads one line.
    pub fn parse(line: &str) -> Self {
        let line = line.trim();
        match line {
            "Task started" => return Self::Started,
            "Task created - awaiting approval" => return Self::AwaitsApproval,
            "Task approved and started" => return Self::Approved,
            "Task resumed from blocked state" => return Self::Resumed,
            "Task completed" => return Self::Completed,
            "Task cancelled" => return Self::Cancelled(String::new()),
            _ => {}
        }
        Self::with_argument(line).unwrap_or_else(|| Self::Text(line.to_owned()))
    }

    fn with_argument(line: &str) -> Option<Self> {
        if let Some(reason) = line.strip_prefix("[BLOCKED]") {
            return Some(Self::Blocked(reason.trim().to_owned()));
        }
        if let Some(reason) = line.strip_prefix("Task cancelled:") {
            return Some(Self::Cancelled(reason.trim().to_owned()));
        }
        if line.starts_with("Steps reordered:") {
            return Some(Self::Reordered);
        }
        if let Some(rest) = line.strip_prefix("[UNBLOCK REQUEST ") {
            let (count, rest) = rest.split_once(']')?;
            let rest = rest.trim().strip_prefix("Sent to ")?;
            let (agent, escalated) = match rest.strip_suffix("[ESCALATED TO DISCORD]") {
                Some(agent) => (agent, true),
                None => (rest, false),
            };
            return Some(Self::Request { n: first_number(count)?, agent: AgentId::from(agent.trim()), escalated });
        }
        if line.starts_with("Auto-recovered to backlog") {
            return Some(Self::Recovered(first_number(line.rsplit_once('#')?.1)?));
        }
        if line.starts_with("Stop Guard:") {
            return Some(Self::StopGuard(first_number(line)?));
        }
        if line.starts_with("Force completed with") {
            return Some(Self::Forced(first_number(line)?));
        }
        Self::step(line)
    }

    /// `[s2] <text> — completed`
    fn step(line: &str) -> Option<Self> {
        let (id, rest) = line.strip_prefix('[')?.split_once(']')?;
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        let (text, state) = rest.rsplit_once('—')?;
        let text = text.trim().to_owned();
        match state.trim() {
            "completed" => Some(Self::StepCompleted(text)),
            "started" => Some(Self::StepStarted(text)),
            "skipped" => Some(Self::StepSkipped(text)),
            _ => None,
        }
    }

    /// The line in words; `name` turns an agent's id into its name.
    pub fn say(&self, words: &ProgressMessages, name: impl Fn(&AgentId) -> String) -> String {
        match self {
            Self::Started => words.started.to_owned(),
            Self::AwaitsApproval => words.awaits_approval.to_owned(),
            Self::Approved => words.approved.to_owned(),
            Self::Blocked(reason) => (words.blocked)(reason),
            Self::Resumed => words.resumed.to_owned(),
            Self::Request { n, agent, escalated: false } => (words.request)(*n, &name(agent)),
            Self::Request { n, agent, escalated: true } => (words.request_escalated)(*n, &name(agent)),
            Self::StepCompleted(step) => (words.step_completed)(step),
            Self::StepStarted(step) => (words.step_started)(step),
            Self::StepSkipped(step) => (words.step_skipped)(step),
            Self::Reordered => words.reordered.to_owned(),
            Self::Completed => words.completed.to_owned(),
            Self::Cancelled(reason) => (words.cancelled)(reason),
            Self::Recovered(n) => (words.recovered)(*n),
            Self::StopGuard(n) => (words.stop_guard)(*n),
            Self::Forced(n) => (words.forced)(*n),
            Self::Text(text) => text.clone(),
        }
    }
}

fn first_number(text: &str) -> Option<u32> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String = text[start..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_tool_lines_are_recognised() {
        use ProgressLine as P;
        let cases = [
            ("Task started", P::Started),
            ("Task created - awaiting approval", P::AwaitsApproval),
            ("Task approved and started", P::Approved),
            ("[BLOCKED] 운영 DB 접근 권한 필요", P::Blocked("운영 DB 접근 권한 필요".into())),
            ("Task resumed from blocked state", P::Resumed),
            ("[UNBLOCK REQUEST 2/3] Sent to seum", P::Request { n: 2, agent: "seum".into(), escalated: false }),
            (
                "[UNBLOCK REQUEST 3/3] Sent to ruda [ESCALATED TO DISCORD]",
                P::Request { n: 3, agent: "ruda".into(), escalated: true },
            ),
            ("[s2] Fix the tag pinning — completed", P::StepCompleted("Fix the tag pinning".into())),
            ("[s3] A — B — started", P::StepStarted("A — B".into())),
            ("[s4] 문서 갱신 — skipped", P::StepSkipped("문서 갱신".into())),
            ("Steps reordered: s2, s1", P::Reordered),
            ("Task completed", P::Completed),
            ("Task cancelled: 중복 작업", P::Cancelled("중복 작업".into())),
            ("Auto-recovered to backlog after zombie detection (reassign #2/3)", P::Recovered(2)),
            ("Stop Guard: task_complete blocked — 2 steps remaining", P::StopGuard(2)),
            ("Force completed with 1 steps remaining: 시간 부족", P::Forced(1)),
        ];
        for (line, expected) in cases {
            assert_eq!(P::parse(line), expected, "{line}");
        }
    }

    #[test]
    fn agent_text_stays_as_written() {
        for line in ["로그를 읽는 중", "[메모] 나중에 — completed", "[UNBLOCK REQUEST] ?", "Stop Guard: none", ""]
        {
            assert_eq!(ProgressLine::parse(line), ProgressLine::Text(line.to_owned()), "{line}");
        }
    }
}
