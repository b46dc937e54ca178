//! Normaliser of coding agents' events into one stream (event schema 1.1, `contract/event-schema-v1_1.md`). It turns
//! hooks of Claude Code and Codex into schema events, and converts schema events to and from events of the coordination log.
//!
//! The result does not depend on the order of the inputs or on repeated inputs. There are two exceptions: of two
//! different schema events with the same id, the first one wins; and old tool events are evicted to bound memory. This
//! crate does no IO; the monitor's `sources/agent_events` does. Start with [`Ledger`], which takes the inputs, and
//! [`hook`].

#![warn(missing_docs)]

mod beats;
mod check;
mod event;
pub mod hook;
mod input;
mod item;
mod key;
mod ledger;
mod map;
mod program;
mod refused;
mod state;
mod timeline;

pub use beats::{BeatSlot, Beats, BeatsChanged, connection_heartbeat};
pub use check::{Defaults, check};
pub use coordination_log::event::HOOKS_TOKEN;
pub use event::{Kind, SchemaEvent, Severity, Source, VERSION};
pub use input::{AgentsChanged, Changed, HookStamp, InputKind, SchemaInput};
pub use item::{read_event, read_item, read_item_with, write_item};
pub use key::{canonical, event_id};
pub use ledger::{InputVersion, Ledger};
pub use map::{conversation_id, folded, from_coordination, to_coordination, work_session_id};
pub use program::AgentProgram;
pub use protocol::api::Fault;
pub use refused::{ErrorRate, schema_error};
pub use state::{AgentNow, AgentStage, Beat, beat};
pub use timeline::{EventProducer, EventTimeline};
