//! Message struct of the home page: one field per text. Each language is a value of it.

use coordination::api::{ApprovalKind, AttentionKind};

/// Messages of home.
pub struct HomeMessages {
    /// Leads to past moments.
    pub past: &'static str,
    pub title: &'static str,
    pub unsure: &'static str,
    pub unsure_offline: &'static str,
    /// Of what only a person can settle; `more`: the answer was cut, there are more than that.
    pub headline: fn(waiting: usize, more: bool) -> String,
    /// Matters that agents wait for among themselves (`more`: at least), working agents, active sessions.
    pub summary: fn(between: usize, more: bool, working: usize, active: u32) -> String,
    /// Of a past moment.
    pub headline_then: fn(usize) -> String,
    /// Of what was read last, while the link is down.
    pub headline_before: fn(waiting: usize) -> String,
    pub summary_before: fn(working: usize, active: u32) -> String,
    pub for_me: &'static str,
    pub between_agents: &'static str,
    pub between_agents_calm: &'static str,
    /// Guesses of the classifier.
    /// Links from the work list to a new rule of alerts.
    pub alert_rule: fn(group: &str) -> String,
    pub alert_rule_like_this: &'static str,
    pub checks: &'static str,
    pub show_more: fn(usize) -> String,
    pub show_less: &'static str,
    /// Nothing for a person to settle.
    pub calm: &'static str,
    pub calm_hint: &'static str,
    pub attention: fn(AttentionKind) -> &'static str,
    /// A blocked task without its own reason.
    pub task_blocked: fn(agent: &str) -> String,
    /// An agent at a terminal waits for the permission to use a tool; which one may be unknown.
    pub permission: fn(agent: &str, tool: &str) -> String,
    pub question: fn(agent: &str) -> String,
    pub agent_failed: fn(agent: &str) -> String,
    pub send_blocked: fn(other: &str) -> String,
    pub no_reply: fn(other: &str) -> String,
    pub zombie: fn(agent: &str) -> String,
    /// Agents that wait for each other, joined by arrows.
    pub deadlock: fn(names: &str) -> String,
    pub approval: fn(agent: &str) -> String,
    /// The agent may be unknown.
    pub tool_approval: fn(kind: ApprovalKind, agent: &str) -> String,
    pub agent_request: fn(agent: &str) -> String,
    /// Words that an agent wrote about itself, as opposed to what is inferred.
    pub stated: fn(note: &str) -> String,
    /// When OpenClaw ends a request, or a statement, by itself.
    pub request_ends: fn(at: &str) -> String,
    pub statement_ends: fn(at: &str) -> String,
    pub request_unreadable: &'static str,
    /// Characters of a request that are not sent here.
    pub left_out: fn(u32) -> String,
    pub answer_in_openclaw: &'static str,
    /// What would settle a matter: who can unblock it, and what they would have to do.
    pub settle_unblock: fn(names: &str) -> String,
    pub settle_action: fn(action: &str) -> String,
    pub settle_nobody: &'static str,
    pub settle_approval: &'static str,
    pub settle_permission: fn(agent: &str) -> String,
    /// The permission can be given on the page, too.
    pub settle_permission_here: &'static str,
    pub settle_question: fn(agent: &str) -> String,
    pub settle_failed: fn(agent: &str) -> String,
    pub settle_reply: fn(recipient: &str, asking: &str) -> String,
    pub settle_policy: &'static str,
    pub settle_refused: fn(recipient: &str, asking: &str) -> String,
    /// By the code of the event.
    pub settle_backoff: fn(reason: &str) -> &'static str,
    pub settle_zombie: &'static str,
    pub settle_deadlock: &'static str,
    pub settle_tool_approval: &'static str,
    pub settle_agent_request: fn(agent: &str) -> String,
    /// Requests with the same words.
    pub times: fn(u32) -> String,
    /// Requests about a task that got no reply.
    pub in_vain: fn(u32) -> String,
    /// Agents that wait for the one that is stuck, directly or through others.
    pub held_up: fn(u32) -> String,
    /// Those of them that go on once a person has settled the line.
    pub freed: fn(u32) -> String,
    /// The first of them by name: `이든, 다짐 외 1명`; `more` are not named.
    pub waiters: fn(names: &str, more: u32) -> String,
    pub sent_by: fn(agent: &str) -> String,
    pub requests: fn(u32) -> String,
    pub retries: fn(u32) -> String,
    pub evidence: &'static str,
    pub categories: &'static str,
    pub sessions_unit: fn(u32) -> &'static str,
    pub active: fn(u32) -> String,
    pub quiet: &'static str,
    pub empty: &'static str,
    pub spark: &'static str,
    pub all_hint: &'static str,
    pub agents: &'static str,
    pub agents_region: &'static str,
    /// Stuck matters of others that an agent could settle.
    pub could_settle: fn(usize) -> String,
    /// `14명 모두 보기`: to the page of the agents.
    pub all_agents: fn(usize) -> String,
    pub idle: fn(usize) -> String,
    /// `외 3명`: resting ones that are not named.
    pub other_agents: fn(usize) -> String,
    pub no_agents: &'static str,
    pub empty_title: &'static str,
    pub empty_text: &'static str,
    pub log_missing_title: &'static str,
    pub log_missing_text: &'static str,
    pub home_missing_title: &'static str,
    pub home_missing_text: &'static str,
    pub not_folder_title: &'static str,
    pub not_folder_text: &'static str,
    pub unreadable_title: &'static str,
    pub unreadable_text: &'static str,
    pub starting_title: &'static str,
    pub starting_text: &'static str,
    pub source_unknown_title: &'static str,
    pub source_unknown_text: &'static str,
    pub unread: &'static str,
    pub unread_files: fn(u32) -> String,
    pub unblock_failed: fn(agent: &str) -> String,
    pub backoff: fn(agent: &str) -> String,
    /// Why prompts fail, by the code of the event; unknown codes are shown as written.
    pub backoff_reason: fn(&str) -> &str,
    pub backoff_times: fn(u32) -> String,
    /// Sessions without grounds are more, or fewer, than usual.
    pub fallback_drift: fn(more: bool) -> &'static str,
    /// The recent figures next to the usual ones.
    pub drift_figures: fn(part: u32, whole: u32, share: &str, low: &str, high: &str) -> String,
    /// Title of a notification of many new lines.
    pub new_lines: fn(usize) -> String,
    pub headline_but_hidden: fn(hidden: usize) -> String,
    pub calm_but_hidden: fn(hidden: usize) -> String,
    pub put_away: &'static str,
    pub put_away_done: &'static str,
    pub put_away_n: fn(usize) -> String,
    pub until_news: &'static str,
    pub not_today: &'static str,
    pub bring_back: &'static str,
}
