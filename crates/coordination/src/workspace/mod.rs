//! Workspace files as values: tasks, archive, focus, plans, team state (`contract/workspace.md` §3–§7).
//! Parsing is pure: text in, values out; reading the files is the monitor's work.

mod types;

pub use types::*;
