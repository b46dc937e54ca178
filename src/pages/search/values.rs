//! Suggested values of search operators. Agents, categories, roles, result types, states, times and common event types
//! are known in advance. Further types and sessions come from the search result. Tags, the newest sessions and tasks
//! are requested when their operator is typed.

use coordination::api::{AgentSummary, SearchKind, SessionsQuery, TasksQuery};
use coordination::category::Category;
use coordination::role::Role;
use coordination::text::hidden;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::SearchState;
use super::offers::OperatorValue;
use crate::components::people::{PeopleNames, use_people};
use crate::i18n::{I18n, use_i18n};
use crate::state::{HubState, use_hub};

/// The newest sessions and the first tasks that are suggested; others can be found by their words.
const MAX_SUGGESTIONS: u32 = 100;

/// What the lists hold.
#[derive(Clone, Default)]
struct KnownValues {
    tags: Vec<String>,
    /// Id and title of each; those of sessions without one are empty.
    sessions: Vec<(String, String)>,
    tasks: Vec<(String, String)>,
}

/// Knows what operators may have.
#[derive(Clone, Copy)]
pub(super) struct Values {
    search: SearchState,
    words: I18n,
    people: PeopleNames,
    hub: HubState,
    known: RwSignal<KnownValues>,
    /// Whether tags and sessions were requested, which is one query; and tasks.
    sessions: StoredValue<bool>,
    tasks: StoredValue<bool>,
}

pub(super) fn use_values(search: SearchState) -> Values {
    Values {
        search,
        words: use_i18n(),
        people: use_people(),
        hub: use_hub(),
        known: RwSignal::new(KnownValues::default()),
        sessions: StoredValue::new(false),
        tasks: StoredValue::new(false),
    }
}

impl Values {
    /// Reactive: there may be more of them now.
    pub(super) fn track(self) {
        self.known.track();
    }

    /// What the operator may have, as far as is known now.
    pub(super) fn values_of(self, operator: &str) -> Vec<OperatorValue> {
        let now = self.words.now();
        let fixed = |values: &[&str]| -> Vec<OperatorValue> {
            let word = |value: &&str| (now.search().value)(operator, value).unwrap_or_default().to_owned();
            values.iter().map(|value| ((*value).to_owned(), word(value))).collect()
        };
        untrack(|| match operator {
            "from" | "to" | "agent" => {
                let agent = |agent: AgentSummary| (agent.id.to_string(), self.people.name(&agent.id));
                self.people.all().into_iter().map(agent).collect()
            }
            "category" | "categories" => Category::ALL
                .into_iter()
                .map(|category| (category.as_str().to_owned(), (now.common.category)(category).to_owned()))
                .collect(),
            "role" => Role::ALL
                .into_iter()
                .map(|role| (role.as_str().to_owned(), (now.common.role)(role).to_owned()))
                .collect(),
            "type" => self.types(),
            "tag" => self.tags(),
            "session" => self.sessions(),
            "task" => self.tasks(),
            "is" | "after" | "before" => {
                FIXED.iter().find(|(name, _)| *name == operator).map(|(_, values)| fixed(values)).unwrap_or_default()
            }
            "in" => SearchKind::ALL
                .into_iter()
                .map(|kind| (kind.as_str().to_owned(), (now.search().kind)(kind).to_owned()))
                .collect(),
            _ => Vec::new(),
        })
    }

    fn types(self) -> Vec<OperatorValue> {
        let found = self.search.page(|_, page| page.facets.types.iter().map(|(kind, _)| kind.clone()).collect());
        let found: Vec<String> = found.unwrap_or_default();
        let usual = TYPES.iter().map(|kind| (*kind).to_owned()).filter(|kind| !found.contains(kind));
        let now = self.words.now();
        let word = |kind: &String| (now.events().type_name)(kind).unwrap_or_default().to_owned();
        found.iter().cloned().chain(usual).map(|kind| (kind.clone(), word(&kind))).collect()
    }

    fn tags(self) -> Vec<OperatorValue> {
        self.ask_sessions();
        self.known.with(|known| known.tags.iter().map(|tag| (tag.clone(), String::new())).collect())
    }

    /// Those in which something was found, then the newest.
    fn sessions(self) -> Vec<OperatorValue> {
        self.ask_sessions();
        let found = self.search.page(|_, page| {
            let sessions = page.facets.sessions.iter();
            sessions.map(|(id, title, _)| (id.to_string(), title.clone())).collect::<Vec<_>>()
        });
        let mut all = found.unwrap_or_default();
        let newest = self.known.with(|known| known.sessions.clone());
        all.extend(newest.into_iter().filter(|(id, _)| !all.iter().any(|(known, _)| known == id)).collect::<Vec<_>>());
        let now = self.words.now();
        let titled = |(id, title): (String, String)| {
            let title = if title.is_empty() { now.common.default_title } else { &title };
            (id, hidden::marked(title).into_owned())
        };
        all.into_iter().map(titled).collect()
    }

    fn tasks(self) -> Vec<OperatorValue> {
        self.ask_tasks();
        let titled = |(id, title): &(String, String)| (id.clone(), hidden::marked(title).into_owned());
        self.known.with(|known| known.tasks.iter().map(titled).collect())
    }

    fn ask_sessions(self) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        if self.sessions.get_value() {
            return;
        }
        self.sessions.set_value(true);
        spawn_local(async move {
            let answer =
                source.sessions(&SessionsQuery { limit: Some(MAX_SUGGESTIONS), ..SessionsQuery::default() }).await;
            let Ok(page) = answer else {
                // It may come at the next try; what is typed is looked for all the same.
                self.sessions.try_set_value(false);
                return;
            };
            self.known.try_update(|known| {
                known.tags = page.tags.into_iter().map(|(tag, _)| tag).collect();
                let titled = |card: coordination::api::SessionCard| {
                    let is_own = card.title_source != coordination::title::TitleSource::Default;
                    (card.work_session_id.into(), if is_own { card.title } else { String::new() })
                };
                known.sessions = page.sessions.into_iter().map(titled).collect();
            });
        });
    }

    fn ask_tasks(self) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        if self.tasks.get_value() {
            return;
        }
        self.tasks.set_value(true);
        spawn_local(async move {
            let answer = source.tasks(&TasksQuery { limit: Some(MAX_SUGGESTIONS), ..TasksQuery::default() }).await;
            let Ok(page) = answer else {
                self.tasks.try_set_value(false);
                return;
            };
            self.known.try_update(|known| {
                known.tasks = page.tasks.into_iter().map(|task| (task.id.into(), task.title)).collect();
            });
        });
    }
}

/// What some operators may have, whatever the log holds.
pub(super) const FIXED: [(&str, &[&str]); 3] = [
    ("is", &["blocked", "unanswered", "active", "quiet", "archived", "human", "root", "deadlock"]),
    ("after", &["today", "yesterday", "24h", "7d", "30d"]),
    ("before", &["today", "yesterday", "24h", "7d", "30d"]),
];

/// Types that every log has (`contract/events.md` §3).
const TYPES: [&str; 8] = [
    "a2a.send",
    "a2a.response",
    "a2a.complete",
    "a2a.spawn",
    "a2a.spawn_result",
    "task.started",
    "task.completed",
    "task.blocked",
];
