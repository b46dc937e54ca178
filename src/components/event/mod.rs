//! Events as rows, and the delegation tree.

pub mod list;
mod row;
mod tree;

pub use row::EventRowView;
pub use tree::DelegationTree;
