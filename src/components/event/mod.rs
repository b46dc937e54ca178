//! Events as rows, and the delegation tree.

mod axis;
pub mod faces;
pub mod list;
mod row;
mod tree;

pub use row::EventRowView;
pub use tree::DelegationTree;
