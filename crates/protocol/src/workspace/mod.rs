//! Model and parsers of workspace files: tasks, archive, current focus, plans, team state and milestones
//! (`contract/workspace.md` §3–§7, §9). The parsers are pure functions from text to values; the monitor reads files.

mod current;
mod files;
mod flaw;
mod history;
mod milestones;
mod plan;
mod records;
mod task_file;
mod types;

pub use current::{current_summary, parse_current};
pub use files::{FileContent, FileKind, WorkspaceFile, is_month, valid_agent_id, valid_task_id};
pub use flaw::{FlawKind, TaskFlaw};
pub use history::parse_history;
pub use milestones::{Milestone, MilestoneItem, parse_milestones};
pub use plan::{parse_plan, parse_team_state};
pub use records::*;
pub use task_file::parse_task;
pub use types::*;
