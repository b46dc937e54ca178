//! Korean texts of the page. Each page or area has one constant with its texts, such as `EVENTS` or `TASKS`.

mod agents;
mod alert_rules;
mod common;
mod data;
mod drift;
mod events;
mod files;
mod fleet;
mod flow;
mod home;
mod notes;
mod past;
mod permission;
mod recap;
mod record;
mod rules;
mod search;
mod sessions;
mod shell;
mod speak;
mod stores;
mod tasks;
mod thread;
mod time;
mod tools;
mod views;
mod waits;

use super::Locale;
use super::messages::Messages;

pub(in crate::i18n) use agents::AGENTS;
pub(in crate::i18n) use alert_rules::ALERT_RULES;
pub(in crate::i18n) use data::DATA;
pub(in crate::i18n) use drift::DRIFT;
pub(in crate::i18n) use events::EVENTS;
pub(in crate::i18n) use files::FILES;
pub(in crate::i18n) use fleet::FLEET;
pub(in crate::i18n) use flow::FLOW;
pub(in crate::i18n) use notes::NOTES;
pub(in crate::i18n) use past::PAST;
pub(in crate::i18n) use permission::PERMISSION;
pub(in crate::i18n) use recap::RECAP;
pub(in crate::i18n) use record::RECORD;
pub(in crate::i18n) use rules::RULES;
pub(in crate::i18n) use search::SEARCH;
pub(in crate::i18n) use sessions::SESSIONS;
pub(in crate::i18n) use speak::SPEAK;
pub(in crate::i18n) use stores::STORES;
pub(in crate::i18n) use tasks::TASKS;
pub(in crate::i18n) use thread::THREAD;
pub(in crate::i18n) use tools::TOOLS;
pub(in crate::i18n) use views::VIEWS;
pub(in crate::i18n) use waits::WAITS;

/// What the language calls itself.
pub const OWN_NAME: &str = "한국어";

/// The words of the first load.
pub static MESSAGES: Messages =
    Messages { locale: Locale::Ko, shell: shell::SHELL, common: common::COMMON, time: time::TIME, home: home::HOME };
