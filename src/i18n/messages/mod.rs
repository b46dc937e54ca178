//! The shape of the words: one struct per area of the page. A language is a value of it, so a missing message does
//! not compile.

mod agents;
mod common;
mod data;
mod drift;
mod events;
mod flow;
mod home;
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

pub use agents::*;
pub use common::*;
pub use data::*;
pub use drift::*;
pub use events::*;
pub use flow::*;
pub use home::*;
pub use record::*;
pub use rules::*;
pub use search::*;
pub use sessions::*;
pub use shell::*;
pub use speak::*;
pub use stores::*;
pub use tasks::*;
pub use thread::*;
pub use time::*;
pub use tools::*;
pub use views::*;

use super::{Locale, en, ko};

/// All words of one language. Areas that only a part of the program speaks of are functions, so that their words
/// travel with that part (`crate::parts`).
pub struct Messages {
    /// The language.
    pub locale: Locale,
    /// The frame around every page.
    pub shell: Shell,
    /// Words of the domain, used everywhere.
    pub common: Common,
    /// Times and durations.
    pub time: Time,
    /// Home.
    pub home: Home,
}

impl Messages {
    /// The panel on the state of the data.
    pub fn data(&self) -> &'static Data {
        match self.locale {
            Locale::Ko => &ko::DATA,
            Locale::En => &en::DATA,
        }
    }

    /// Session lists.
    pub fn sessions(&self) -> &'static Sessions {
        match self.locale {
            Locale::Ko => &ko::SESSIONS,
            Locale::En => &en::SESSIONS,
        }
    }

    /// Sessions of OpenClaw's own stores.
    pub fn stores(&self) -> &'static Stores {
        match self.locale {
            Locale::Ko => &ko::STORES,
            Locale::En => &en::STORES,
        }
    }

    /// A session and its threads.
    pub fn thread(&self) -> &'static Thread {
        match self.locale {
            Locale::Ko => &ko::THREAD,
            Locale::En => &en::THREAD,
        }
    }

    /// Events and delegations.
    pub fn events(&self) -> &'static Events {
        match self.locale {
            Locale::Ko => &ko::EVENTS,
            Locale::En => &en::EVENTS,
        }
    }

    /// The braid of a session.
    pub fn flow(&self) -> &'static Flow {
        match self.locale {
            Locale::Ko => &ko::FLOW,
            Locale::En => &en::FLOW,
        }
    }

    /// The agents page.
    pub fn agents(&self) -> &'static Agents {
        match self.locale {
            Locale::Ko => &ko::AGENTS,
            Locale::En => &en::AGENTS,
        }
    }

    /// The record of category changes.
    pub fn record(&self) -> &'static Record {
        match self.locale {
            Locale::Ko => &ko::RECORD,
            Locale::En => &en::RECORD,
        }
    }

    /// What the classifier was taught.
    pub fn rules(&self) -> &'static Rules {
        match self.locale {
            Locale::Ko => &ko::RULES,
            Locale::En => &en::RULES,
        }
    }

    /// The drift of the automatic filing.
    pub fn drift(&self) -> &'static Drift {
        match self.locale {
            Locale::Ko => &ko::DRIFT,
            Locale::En => &en::DRIFT,
        }
    }

    /// Speaking to agents.
    pub fn speak(&self) -> &'static Speak {
        match self.locale {
            Locale::Ko => &ko::SPEAK,
            Locale::En => &en::SPEAK,
        }
    }

    /// Saved views.
    pub fn views(&self) -> &'static SavedViews {
        match self.locale {
            Locale::Ko => &ko::VIEWS,
            Locale::En => &en::VIEWS,
        }
    }

    /// The search over everything.
    pub fn search(&self) -> &'static Search {
        match self.locale {
            Locale::Ko => &ko::SEARCH,
            Locale::En => &en::SEARCH,
        }
    }

    /// Tasks.
    pub fn tasks(&self) -> &'static Tasks {
        match self.locale {
            Locale::Ko => &ko::TASKS,
            Locale::En => &en::TASKS,
        }
    }

    /// The command palette, the sheet of keys and the settings.
    pub fn tools(&self) -> &'static Tools {
        match self.locale {
            Locale::Ko => &ko::TOOLS,
            Locale::En => &en::TOOLS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Locale;

    /// The compiler asks for each word in each language, and takes an area of another one.
    #[test]
    fn each_area_is_in_its_own_language() {
        for locale in Locale::ALL {
            let words = locale.messages();
            let of_each = [
                words.home.title,
                words.data().all_well,
                words.sessions().all_hint,
                words.stores().title,
                words.thread().participants,
                words.events().title,
                words.flow().title,
                words.agents().title,
                words.record().title,
                words.rules().title,
                words.drift().title,
                words.speak().act,
                words.views().title,
                words.search().title,
                words.tasks().title,
                words.tools().palette_hint,
            ];
            for word in of_each {
                let is_korean = word.chars().any(|letter| ('가'..='힣').contains(&letter));
                assert_eq!(is_korean, locale == Locale::Ko, "{word}");
            }
        }
    }
}
