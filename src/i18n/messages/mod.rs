//! Message structs of the page's texts, by area. Each language has one value of every struct, so a missing text does
//! not compile. [`Messages`] has fields for texts that load with the page and methods for those that load later.

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

pub use agents::*;
pub use alert_rules::*;
pub use common::*;
pub use data::*;
pub use drift::*;
pub use events::*;
pub use files::*;
pub use fleet::*;
pub use flow::*;
pub use home::*;
pub use notes::*;
pub use past::*;
pub use permission::*;
pub use recap::*;
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
pub use waits::*;

use super::{Locale, en, ko};

/// All words of one language. Areas that only a part of the program speaks of are functions, so that their words
/// travel with that part (`crate::lazy_chunks`).
pub struct Messages {
    /// The language.
    pub locale: Locale,
    /// The frame around every page.
    pub shell: ShellMessages,
    /// Messages of the domain, used everywhere.
    pub common: CommonMessages,
    /// Times and durations.
    pub time: TimeMessages,
    /// Home.
    pub home: HomeMessages,
}

impl Messages {
    /// The panel on the state of the data.
    pub fn data(&self) -> &'static DataMessages {
        match self.locale {
            Locale::Ko => &ko::DATA,
            Locale::En => &en::DATA,
        }
    }

    /// Session lists.
    pub fn sessions(&self) -> &'static SessionsMessages {
        match self.locale {
            Locale::Ko => &ko::SESSIONS,
            Locale::En => &en::SESSIONS,
        }
    }

    /// Sessions of OpenClaw's own stores.
    pub fn stores(&self) -> &'static StoresMessages {
        match self.locale {
            Locale::Ko => &ko::STORES,
            Locale::En => &en::STORES,
        }
    }

    /// A session and its threads.
    pub fn thread(&self) -> &'static ThreadMessages {
        match self.locale {
            Locale::Ko => &ko::THREAD,
            Locale::En => &en::THREAD,
        }
    }

    /// Notes and resolved marks.
    pub fn notes(&self) -> &'static NotesMessages {
        match self.locale {
            Locale::Ko => &ko::NOTES,
            Locale::En => &en::NOTES,
        }
    }

    /// The view of a past moment.
    pub fn past(&self) -> &'static PastMessages {
        match self.locale {
            Locale::Ko => &ko::PAST,
            Locale::En => &en::PAST,
        }
    }

    /// Files that are opened in place of a monitor.
    pub fn files(&self) -> &'static FilesMessages {
        match self.locale {
            Locale::Ko => &ko::FILES,
            Locale::En => &en::FILES,
        }
    }

    /// The page that shows several machines.
    pub fn fleet(&self) -> &'static FleetMessages {
        match self.locale {
            Locale::Ko => &ko::FLEET,
            Locale::En => &en::FLEET,
        }
    }

    /// What changed since the last visit.
    pub fn recap(&self) -> &'static RecapMessages {
        match self.locale {
            Locale::Ko => &ko::RECAP,
            Locale::En => &en::RECAP,
        }
    }

    /// Answers to permission requests.
    pub fn permission(&self) -> &'static PermissionMessages {
        match self.locale {
            Locale::Ko => &ko::PERMISSION,
            Locale::En => &en::PERMISSION,
        }
    }

    /// The tree of waiting agents.
    pub fn waits(&self) -> &'static WaitTreeMessages {
        match self.locale {
            Locale::Ko => &ko::WAITS,
            Locale::En => &en::WAITS,
        }
    }

    /// Events and delegations.
    pub fn events(&self) -> &'static EventsMessages {
        match self.locale {
            Locale::Ko => &ko::EVENTS,
            Locale::En => &en::EVENTS,
        }
    }

    /// The flow of a session.
    pub fn flow(&self) -> &'static FlowMessages {
        match self.locale {
            Locale::Ko => &ko::FLOW,
            Locale::En => &en::FLOW,
        }
    }

    /// The agents page.
    pub fn agents(&self) -> &'static AgentsMessages {
        match self.locale {
            Locale::Ko => &ko::AGENTS,
            Locale::En => &en::AGENTS,
        }
    }

    /// The record of category changes.
    pub fn record(&self) -> &'static RecordMessages {
        match self.locale {
            Locale::Ko => &ko::RECORD,
            Locale::En => &en::RECORD,
        }
    }

    /// What the classifier was taught.
    pub fn rules(&self) -> &'static RulesMessages {
        match self.locale {
            Locale::Ko => &ko::RULES,
            Locale::En => &en::RULES,
        }
    }

    /// Rules of alerts.
    pub fn alert_rules(&self) -> &'static AlertRulesMessages {
        match self.locale {
            Locale::Ko => &ko::ALERT_RULES,
            Locale::En => &en::ALERT_RULES,
        }
    }

    /// The drift of the automatic filing.
    pub fn drift(&self) -> &'static DriftMessages {
        match self.locale {
            Locale::Ko => &ko::DRIFT,
            Locale::En => &en::DRIFT,
        }
    }

    /// Speaking to agents.
    pub fn speak(&self) -> &'static SpeakMessages {
        match self.locale {
            Locale::Ko => &ko::SPEAK,
            Locale::En => &en::SPEAK,
        }
    }

    /// Saved views.
    pub fn views(&self) -> &'static SavedViewsMessages {
        match self.locale {
            Locale::Ko => &ko::VIEWS,
            Locale::En => &en::VIEWS,
        }
    }

    /// The search over everything.
    pub fn search(&self) -> &'static SearchMessages {
        match self.locale {
            Locale::Ko => &ko::SEARCH,
            Locale::En => &en::SEARCH,
        }
    }

    /// Tasks.
    pub fn tasks(&self) -> &'static TasksMessages {
        match self.locale {
            Locale::Ko => &ko::TASKS,
            Locale::En => &en::TASKS,
        }
    }

    /// The command palette, the sheet of keys and the settings.
    pub fn tools(&self) -> &'static ToolsMessages {
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
                words.notes().title,
                words.events().title,
                words.fleet().machines,
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
