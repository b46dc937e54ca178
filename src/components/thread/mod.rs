//! A thread: its order (`flow`), its bubbles and marks, and finding words in it.

mod bubble;
mod delivery;
pub mod find;
pub mod flow;
mod marks;
mod payload;
mod sections;
mod stream;

pub use bubble::StreamContext;
pub use marks::AsWritten;
pub use stream::Stream;
