//! Components of events: rows of the flat list, and the delegation tree.

mod axis;
mod burst;
pub mod faces;
pub mod list;
mod row;
mod tree;

pub use burst::BurstRow;
pub use row::EventRowView;
pub use tree::DelegationTree;
