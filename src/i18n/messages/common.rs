//! Message struct of texts that several pages share: categories, statuses, errors and common buttons. It has one field
//! per text; each language is a value of it.

use coordination::api::{AgentState, ConfigState, ErrorCode};
use coordination::category::Category;
use coordination::delivery::DeliveryState;
use coordination::role::Role;
use coordination::session::Status;
use coordination::text::Notice;
use coordination::text::hidden::HiddenKind;
use coordination::workspace::{Priority, TaskStatus};

use crate::routes::Since;

/// Messages of the domain.
pub struct CommonMessages {
    pub category: fn(Category) -> &'static str,
    /// Used in rows of ten.
    pub category_short: fn(Category) -> &'static str,
    pub category_hint: fn(Category) -> &'static str,
    pub status: fn(Status) -> &'static str,
    pub role: fn(Role) -> &'static str,
    pub delivery: fn(DeliveryState) -> &'static str,
    pub agent_state: fn(AgentState) -> &'static str,
    /// Before the time of an agent's newest event or change.
    pub last_sign: &'static str,
    /// Why an agent counts as silent.
    pub silent_why: &'static str,
    /// Added to an agent that works on something else.
    pub blocked_tasks: fn(u32) -> String,
    pub task_status: fn(TaskStatus) -> &'static str,
    pub priority: fn(Priority) -> &'static str,
    pub since: fn(Since) -> &'static str,
    pub config_state: fn(ConfigState) -> &'static str,
    /// Placeholder title of a session without a title (`titleSource: default`).
    pub default_title: &'static str,
    pub unknown_agent: &'static str,
    pub all: &'static str,
    pub everything: &'static str,
    pub inferred: &'static str,
    pub inferred_hint: &'static str,
    pub resolved: &'static str,
    pub notes_n: fn(u32) -> String,
    pub by_hand: &'static str,
    pub guessed: &'static str,
    pub retry: &'static str,
    pub close: &'static str,
    pub cancel: &'static str,
    pub copy: &'static str,
    pub copied: &'static str,
    pub copy_failed: &'static str,
    pub more: &'static str,
    pub loading: &'static str,
    pub clear_filters: &'static str,
    pub remove_filter: fn(&str) -> String,
    /// Before the name of a machine, for screen readers.
    pub machine: &'static str,
    pub agent: &'static str,
    /// Two counts as words before, number, words after.
    pub threads_messages: fn(u32, u32) -> [(&'static str, u32, &'static str); 2],
    pub load_failed: &'static str,
    pub not_offered: &'static str,
    /// The program of a page could not be fetched.
    pub part_missing: &'static str,
    /// A page that an evidence page does not have.
    pub not_in_evidence: &'static str,
    pub not_in_evidence_text: &'static str,
    pub reload: &'static str,
    pub error_network: &'static str,
    pub error_decode: &'static str,
    pub error_unsupported: &'static str,
    pub error: fn(ErrorCode) -> &'static str,
    pub error_allowed: fn(field: &str, allowed: &str) -> String,
    /// Why a file could not be read, by the cause the monitor gives; unknown causes are shown as written.
    pub cause: fn(&str) -> Option<&'static str>,
    pub request_id: &'static str,
    pub not_found: &'static str,
    /// Shows the filters of a list, with the number of active ones.
    pub filters: fn(set: usize) -> String,
    /// Text of a notice that OpenClaw itself wrote.
    pub notice: fn(Notice<'_>) -> String,
    pub not_found_hint: &'static str,
    pub to_home: &'static str,
    pub unread_n: fn(u32) -> String,
    pub unread_some: &'static str,
    pub unread_sessions: fn(u32, more: bool) -> String,
    pub all_read: &'static str,
    pub all_read_done: &'static str,
    pub undo: &'static str,
    /// Label of a mark for an invisible character: its kind and its code point.
    pub hidden_char: fn(HiddenKind, &str) -> String,
    /// A name that only looks like this agent's.
    pub imitates: fn(&str) -> String,
    /// Shows a long text as a whole, with its bytes.
    pub whole_text: fn(&str) -> String,
    pub fold: &'static str,
}
