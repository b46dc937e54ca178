//! State of the page that shows a transcript: queries and loaded messages. The transcript belongs to a stored session
//! (found by its key) or is an archived one (found by agent and session id).

use coordination::api::{StoreHistory, StoreHistoryQuery};
use coordination::ids::AgentId;
use coordination::transcript::reading::Turn;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::held::HistoryWindow;
use crate::components::stored::agent_of;
use crate::queries::{Fetch, FetchOptions, poll_while_visible, use_fetch};
use crate::routes::{StoreView, paths};
use crate::source::{DataSource, SourceError};
use crate::state::use_hub;

/// Messages of a page. The monitor gives fewer where they are long.
const PAGE_MESSAGES: u32 = 100;
/// Pages that are read to find the line of a link.
const SEEK_PAGES: u32 = 30;

/// Subject of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HistorySource {
    /// That to which a key leads.
    Key(String),
    /// That of an agent's session, by the session's id.
    Archive(AgentId, String),
}

impl HistorySource {
    /// The agent that speaks in it.
    pub(super) fn agent(&self) -> AgentId {
        match self {
            Self::Key(key) => agent_of(key).unwrap_or_default(),
            Self::Archive(agent, _) => agent.clone(),
        }
    }

    /// Its page.
    pub(super) fn address(&self, view: &StoreView) -> String {
        match self {
            Self::Key(key) => paths::store_as(key, view),
            Self::Archive(agent, session) => paths::archive_as(agent, session, view),
        }
    }

    async fn ask(&self, source: &DataSource, query: &StoreHistoryQuery) -> Result<StoreHistory, SourceError> {
        match self {
            Self::Key(key) => source.store_history(key, query).await,
            Self::Archive(agent, session) => source.archive_history((agent, session), query).await,
        }
    }
}

/// Request of a history page.
pub(super) type HistoryRequest = (HistorySource, bool);

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub(super) struct StorePageState {
    /// As the address has it.
    pub(super) whose: Memo<HistorySource>,
    pub(super) view: Memo<StoreView>,
    pub(super) newest: Fetch<(HistoryRequest, StoreHistory)>,
    /// The loaded history, and its request.
    pub(super) held: RwSignal<(Option<HistoryRequest>, HistoryWindow)>,
    /// An older page is on its way.
    pub(super) older_busy: RwSignal<bool>,
    /// Why the last older page did not come.
    pub(super) older_error: RwSignal<Option<SourceError>>,
    pub(super) turns: Memo<Vec<Turn>>,
}

fn to_query(tools: bool, before: Option<u64>) -> StoreHistoryQuery {
    StoreHistoryQuery { limit: Some(PAGE_MESSAGES), include_tools: tools, before }
}

/// Asks for it all.
pub(super) fn use_store(whose: Memo<HistorySource>, view: Memo<StoreView>) -> StorePageState {
    let options = FetchOptions::refetch_on_any_change()
        .keep_data_when(|one: &HistoryRequest, other: &HistoryRequest| one.0 == other.0);
    let tools = Memo::new(move |_| view.with(|view| view.tools));
    let newest = use_fetch(
        move || (whose.get(), tools.get()),
        options,
        |source, request: HistoryRequest| async move {
            let page = request.0.ask(&source, &to_query(request.1, None)).await?;
            Ok((request, page))
        },
    );
    poll_while_visible(newest);
    let held = RwSignal::new((None, HistoryWindow::default()));
    let turns = Memo::new(move |_| held.with(|(_, held)| held.turns()));
    let (older_busy, older_error) = (RwSignal::new(false), RwSignal::new(None));
    let state = StorePageState { whose, view, newest, held, older_busy, older_error, turns };
    state.hold();
    state.read_on();
    state
}

impl StorePageState {
    /// What is held follows the newest page: it gathers what several answers brought.
    fn hold(self) {
        Effect::new(move |_| {
            let Some(answer) = self.newest.data.get() else {
                self.held.set((None, HistoryWindow::default()));
                return;
            };
            let (request, page) = (&answer.0, &answer.1);
            self.held.update(|(of, held)| {
                if of.as_ref() == Some(request) {
                    held.refresh(page);
                } else {
                    (*of, *held) = (Some(request.clone()), HistoryWindow::from_page(page));
                }
            });
        });
    }

    /// The page as it is looked at, differently.
    pub(super) fn address(self, view: &StoreView) -> String {
        self.whose.with_untracked(|whose| whose.address(view))
    }

    /// What was read does not hold the line of the link. Reactive.
    pub(super) fn is_lost(self) -> bool {
        let at = self.view.with(|view| view.at.clone());
        at.is_some_and(|at| self.held.with(|(of, held)| of.is_some() && !held.holds(&at)))
    }

    /// The line of the link is looked for and not found yet, and more can be read. Reactive.
    pub(super) fn is_seeking(self) -> bool {
        let at = self.view.with(|view| view.at.clone());
        at.is_some_and(|at| {
            self.held.with(|(of, held)| {
                of.is_some() && !held.holds(&at) && held.earlier.is_some() && held.pages < SEEK_PAGES
            })
        }) && self.older_error.with(Option::is_none)
    }

    /// Older pages are requested one by one, as many as the address contains, or until the line of the link is loaded.
    fn read_on(self) {
        let hub = use_hub();
        Effect::new(move |_| {
            let wanted = self.view.with(|view| view.older);
            let more = self.held.with(|(of, held)| of.is_some() && held.pages < wanted && held.earlier.is_some());
            if !(more || self.is_seeking()) || self.older_busy.get() || self.older_error.with(Option::is_some) {
                return;
            }
            let Some(source) = hub.source.get() else { return };
            let (of, before) = self.held.with_untracked(|(of, held)| (of.clone(), held.earlier));
            let (Some(of), Some(before)) = (of, before) else { return };
            self.older_busy.set(true);
            spawn_local(async move {
                let page = of.0.ask(&source, &to_query(of.1, Some(before))).await;
                // The user may be gone, or look at another session.
                if self.older_busy.is_disposed() {
                    return;
                }
                if self.held.with_untracked(|(now, _)| now.as_ref() == Some(&of)) {
                    match page {
                        Ok(page) => self.held.update(|(_, held)| held.put_before(before, &page)),
                        Err(error) => self.older_error.set(Some(error)),
                    }
                }
                self.older_busy.set(false);
            });
        });
    }
}
