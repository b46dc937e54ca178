//! Tasks: rows, steps, and everything known about one.

mod blocked;
mod detail;
mod plans;
mod row;
mod steps;

pub use detail::TaskDetailView;
pub use row::TaskRow;
pub use steps::{StepList, StepsBar};
