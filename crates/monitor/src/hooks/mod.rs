//! Claude Code's hooks (`contract/event-schema-v1_1.md` B, C): `wrapper` is the command that each event starts, the
//! rest puts it into the settings of Claude Code and takes it out again. The monitor's side is not here.

mod drop_file;
mod input;
mod payload;
mod place;
mod send;
mod stamp;
pub(crate) mod wrapper;

pub use drop_file::DROP_FILE;
pub use payload::Capture;
pub use send::Monitor;
