//! Components of events: rows of the flat list, and the delegation tree.

mod axis;
mod burst;
pub mod list;
mod row;
pub mod style;
mod tree;

pub use burst::BurstRow;
pub use row::EventRowView;
pub use tree::DelegationTreeView;
