//! Components of a thread: item list (`flow`), message bubbles with payload cards, marks, rows of delegated runs,
//! loading of pages, and search within the thread.

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

pub use bubble::StreamContext;
pub use marks::AsWritten;
pub use stream::Stream;
