//! Components of a message thread: message bubbles, small lines between them (such as a retry or a missing answer),
//! rows of delegated runs, and the search bar. `flow.rs` makes the list of these items. `window.rs` decides when more
//! messages are loaded.

mod bubble;
mod delivery;
pub mod find;
pub mod flow;
mod marks;
mod meanwhile;
mod payload;
mod run;
mod sections;
mod stream;
pub mod strip;
pub mod window;

pub use bubble::{MessageNoteContext, StreamContext};
pub use marks::AsWritten;
pub use stream::Stream;
