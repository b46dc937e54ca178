//! Components of tasks: list row, steps, detail view, plans, milestones.

mod blocked;
mod detail;
mod flaws;
mod history;
mod milestones;
mod plans;
mod progress_line;
mod row;
mod steps;
mod titles;

pub use detail::TaskDetailView;
pub use milestones::MilestonesSection;
pub use plans::PlanView;
pub use row::{TaskRow, task_title};
pub use titles::provide_task_titles;
