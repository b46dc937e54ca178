//! Workspace files as values: tasks, archive, focus, plans, team state (`contract/workspace.md` §3–§7).
//! Parsing is pure: text in, values out; reading the files is the monitor's work.

mod current;
mod flaw;
mod history;
mod milestones;
mod plan;
mod records;
mod task_file;
mod types;

pub use current::{current_summary, parse_current};
pub use flaw::{FlawKind, TaskFlaw};
pub use history::parse_history;
pub use milestones::{Milestone, MilestoneItem, parse_milestones};
pub use plan::{parse_plan, parse_team_state};
pub use records::*;
pub use task_file::parse_task;
pub use types::*;
