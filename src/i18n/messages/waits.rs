//! Message struct of the tree of waiting agents: one field per text. Each language is a value of it.

use coordination::api::WaitKind;

/// Messages of the tree of waiting agents.
pub struct WaitTreeMessages {
    pub title: &'static str,
    /// Nobody waits any more.
    pub nobody: &'static str,
    pub failed: &'static str,
    /// Others wait for it, and it waits for no agent.
    pub root: &'static str,
    pub deadlock: &'static str,
    /// What an agent waits for, before the time.
    pub kind: fn(WaitKind) -> &'static str,
    pub queue: fn(place: u32) -> String,
    pub times: fn(u32) -> String,
    /// Other agents of the tree that it waits for.
    pub also: fn(names: &str) -> String,
    /// Waits for agents outside of the tree.
    pub elsewhere: fn(u32) -> String,
    /// Agents that are not shown.
    pub more: fn(usize) -> String,
}
