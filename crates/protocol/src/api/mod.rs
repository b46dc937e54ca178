//! Wire types of REST v2 and the live stream, shared by the monitor and the dashboard. Times are UTC epoch milliseconds
//! unless a field says otherwise.
//!
//! States, reasons and errors are codes; the dashboard has the texts for them. Errors also have an English sentence,
//! for scripts and logs.

mod agent;
mod alert_rule;
mod alerts;
mod archive;
mod attention;
mod between;
mod changes;
mod check;
mod classifier;
mod decision;
mod delegation;
mod drift;
mod error;
mod event;
mod evidence;
mod flat;
mod fleet;
mod fleet_lists;
mod flow;
mod health;
mod home;
mod ingest;
mod live;
mod names;
mod origin;
mod past;
mod permission;
mod person_request;
mod quality;
mod query;
mod quiet_hours;
mod recap;
#[cfg(feature = "openapi")]
mod schema;
mod search;
mod session;
mod shared_record;
mod source;
mod speak;
mod store;
mod store_row;
mod strict;
mod task;
mod taught;
mod thread;
mod timeline;
mod waits;

pub use agent::*;
pub use alert_rule::*;
pub use alerts::*;
pub use archive::*;
pub use attention::*;
pub use between::*;
pub use changes::*;
pub use check::*;
pub use classifier::*;
pub use decision::*;
pub use delegation::*;
pub use drift::*;
pub use error::*;
pub use event::*;
pub use evidence::*;
pub use fleet::*;
pub use fleet_lists::*;
pub use flow::*;
pub use health::*;
pub use home::*;
pub use ingest::*;
pub use live::*;
pub use names::*;
pub use origin::*;
pub use past::*;
pub use permission::*;
pub use person_request::*;
pub use quality::*;
pub use query::*;
pub use quiet_hours::*;
pub use recap::*;
#[cfg(feature = "openapi")]
pub use schema::*;
pub use search::*;
pub use session::*;
pub use shared_record::*;
pub use source::*;
pub use speak::*;
pub use store::*;
pub use store_row::*;
pub use task::*;
pub use taught::*;
pub use thread::*;
pub use timeline::*;
pub use waits::*;
