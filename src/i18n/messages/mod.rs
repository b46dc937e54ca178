//! The shape of the words: one struct per area of the page. A language is a value of it, so a missing message does
//! not compile.

mod common;
mod data;
mod events;
mod home;
mod sessions;
mod shell;
mod tasks;
mod thread;
mod time;

pub use common::*;
pub use data::*;
pub use events::*;
pub use home::*;
pub use sessions::*;
pub use shell::*;
pub use tasks::*;
pub use thread::*;
pub use time::*;

/// All words of one language.
pub struct Messages {
    /// The frame around every page.
    pub shell: Shell,
    /// Words of the domain, used everywhere.
    pub common: Common,
    /// The state of the data.
    pub data: Data,
    /// Times and durations.
    pub time: Time,
    /// Home.
    pub home: Home,
    /// Session lists.
    pub sessions: Sessions,
    /// A session and its threads.
    pub thread: Thread,
    /// Events and delegations.
    pub events: Events,
    /// Tasks.
    pub tasks: Tasks,
}
