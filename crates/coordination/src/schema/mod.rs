//! Event schema 1.1: events of coding agents as one normalised stream (`contract/event-schema-v1_1.md`), and their
//! conversion into the log's kinds.
//!
//! Every input is a [`SchemaInput`]; hooks become [`SchemaEvent`]s, those become events of the coordination log. The
//! result is a function of the set of inputs, whatever their order and number.

mod beats;
mod book;
mod check;
mod event;
pub mod hook;
mod input;
mod item;
mod key;
mod ledger;
mod map;
mod refused;
mod state;

pub use crate::api::Fault;
pub use crate::event::HOOKS_TOKEN;
pub use beats::{BeatSlot, Beats, BeatsChanged, connection_heartbeat};
pub use book::{EventTimeline, From};
pub use check::{Defaults, check};
pub use event::{Kind, SchemaEvent, Severity, Source, VERSION};
pub use input::{AgentsChanged, Changed, Input, InputKind, Stamp};
pub use item::{read_event, read_item, read_item_with, write_item};
pub use key::{canonical, event_id};
pub use ledger::{InputVersion, Ledger};
pub use map::{conversation_id, folded, from_coordination, to_coordination, work_session_id};
pub use refused::{ErrorRate, schema_error};
pub use state::{AgentNow, AgentStage, Beat, beat};
