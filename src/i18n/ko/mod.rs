//! The words in Korean.

mod common;
mod data;
mod events;
mod home;
mod sessions;
mod shell;
mod tasks;
mod thread;
mod time;

use super::messages::Messages;

/// All of them.
pub static MESSAGES: Messages = Messages {
    shell: shell::SHELL,
    common: common::COMMON,
    data: data::DATA,
    time: time::TIME,
    home: home::HOME,
    sessions: sessions::SESSIONS,
    thread: thread::THREAD,
    events: events::EVENTS,
    tasks: tasks::TASKS,
};
