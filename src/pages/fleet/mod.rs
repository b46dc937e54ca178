//! Fleet page: several machines on one page, with their state, what waits on them, their newest sessions, and a search
//! on all of them. Further tabs list sessions, events, tasks and agents of all machines, and the drift of each. Rows lead
//! to the dashboards of their machines, which are other pages (`@<name>/`).

mod agents;
mod categories;
mod drift;
mod events;
mod filter_menus;
mod found;
mod list;
mod machines;
mod notices;
mod session_list;
mod sessions;
mod state;
mod tasks;
mod tools;
mod waiting;

use coordination::api::{FleetLink, FleetPage};
use leptos::prelude::*;

use self::agents::FleetAgentList;
use self::categories::FleetCategories;
use self::drift::FleetDriftList;
use self::events::FleetEventList;
use self::found::FoundOnMachines;
use self::machines::MachineList;
use self::notices::FleetNotices;
use self::session_list::FleetSessionList;
use self::sessions::FleetSessions;
use self::state::{FleetState, is_live};
use self::tasks::FleetTaskList;
use self::tools::{FleetSearchForm, MachineFilter};
use self::waiting::FleetWork;
use super::failure::Failure;
use crate::i18n::messages::FleetMessages;
use crate::i18n::use_i18n;
use crate::queries::use_page_title;
use crate::routes::FleetTab;
use crate::source::fleet_name;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// What the page shows.
#[derive(Clone, Copy, PartialEq)]
enum FleetStage {
    Loading,
    Failed,
    /// Machines are not known yet.
    Connecting,
    /// Machines are known, and none is shown yet.
    Starting,
    /// No machine has published.
    Empty,
    Machines,
}

impl FleetStage {
    fn of_page(page: &FleetPage) -> Self {
        match page.link {
            _ if !page.sources.is_empty() => Self::Machines,
            _ if !page.pending.is_empty() => Self::Starting,
            FleetLink::Connected => Self::Empty,
            FleetLink::Connecting | FleetLink::Lost => Self::Connecting,
        }
    }
}

/// Tabs of the machines and of sessions.
#[component]
pub fn FleetDashboard() -> impl IntoView {
    let words = use_i18n();
    let fleet = FleetState::new();
    let name = move || fleet_name().unwrap_or_default();
    use_page_title(move || match fleet.tab.get() {
        FleetTab::Sessions => words.get().shell.sessions.to_owned(),
        _ => name(),
    });
    let tab = move || match fleet.tab.get() {
        FleetTab::Sessions => view! {
            <FleetNotices fleet=fleet />
            <FleetSessionList fleet=fleet />
        }
        .into_any(),
        _ => view! { <FleetContent fleet=fleet /> }.into_any(),
    };
    view! { <FleetFrame fleet=fleet tab=ViewFn::from(tab) /> }
}

/// Tabs of events, tasks, agents and drift.
#[component]
pub fn FleetWorkPage() -> impl IntoView {
    let words = use_i18n();
    let fleet = FleetState::new();
    use_page_title(move || {
        let words = words.get();
        let title = match fleet.tab.get() {
            FleetTab::Events => words.events().title,
            FleetTab::Tasks => words.tasks().title,
            FleetTab::Agents => words.agents().title,
            _ => words.drift().title,
        };
        title.to_owned()
    });
    let list = move || match fleet.tab.get() {
        FleetTab::Events => view! { <FleetEventList fleet=fleet /> }.into_any(),
        FleetTab::Tasks => view! { <FleetTaskList fleet=fleet /> }.into_any(),
        FleetTab::Agents => view! { <FleetAgentList fleet=fleet /> }.into_any(),
        FleetTab::Drift => view! { <FleetDriftList fleet=fleet /> }.into_any(),
        // Another page, which is about to be drawn.
        FleetTab::Home | FleetTab::Sessions => ().into_any(),
    };
    let tab = move || {
        view! {
            <FleetNotices fleet=fleet />
            {list}
        }
        .into_any()
    };
    view! { <FleetFrame fleet=fleet tab=ViewFn::from(tab) /> }
}

/// The main part: `tab`, or the reason why it cannot be shown.
#[component]
fn FleetFrame(fleet: FleetState, tab: ViewFn) -> impl IntoView {
    let words = use_i18n();
    let query = fleet.query;
    let stage = Memo::new(move |_| match query.page.with(|page| page.as_ref().map(|page| FleetStage::of_page(page))) {
        Some(stage) => stage,
        None if query.error.with(Option::is_some) => FleetStage::Failed,
        None => FleetStage::Loading,
    });
    let cause = Memo::new(move |_| query.error.get());
    let without_machines = move |texts: fn(&'static FleetMessages) -> (&'static str, &'static str), is_empty: bool| {
        view! {
            <FleetNotices fleet=fleet />
            <NoMachines fleet=fleet texts=texts is_empty=is_empty />
        }
        .into_any()
    };
    let content = move || match stage.get() {
        FleetStage::Loading => {
            let loading = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=8 label=loading /> }.into_any()
        }
        FleetStage::Failed => {
            let retry = Callback::new(move |()| query.refetch());
            (move || cause.get().map(|error| view! { <Failure error=error on_retry=retry /> })).into_any()
        }
        FleetStage::Connecting => without_machines(|words| (words.connecting_title, words.connecting_text), false),
        FleetStage::Starting => without_machines(|words| (words.starting_title, words.starting_text), false),
        FleetStage::Empty => without_machines(|words| (words.empty_title, words.empty_text), true),
        FleetStage::Machines => tab.run(),
    };
    view! {
        <main id="main" class="page fleet" tabindex="-1">
            {content}
        </main>
    }
}

/// Sessions by category, what waits on the machines, the machines and their newest sessions, or what a search found on them. A machine that lags is
/// named above all of it.
#[component]
fn FleetContent(fleet: FleetState) -> impl IntoView {
    let is_search = Memo::new(move |_| fleet.filter.with(|filter| !filter.q.is_empty()));
    view! {
        <FleetNotices fleet=fleet />
        <FleetHead fleet=fleet />
        <div class="fleet__tools">
            <MachineFilter fleet=fleet />
            <FleetSearchForm fleet=fleet />
        </div>
        {move || match is_search.get() {
            true => view! { <FoundOnMachines fleet=fleet /> }.into_any(),
            false => view! {
                <FleetCategories fleet=fleet />
                <FleetWork fleet=fleet />
                <MachineList fleet=fleet />
                <FleetSessions fleet=fleet />
            }
            .into_any(),
        }}
    }
}

/// The headline: name of the fleet, and how its machines are.
#[component]
fn FleetHead(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let counts = fleet.slice(|page| {
        let live = page.sources.iter().filter(|source| is_live(source)).count();
        let active = page.sources.iter().map(|source| source.status_counts.active).sum::<u32>();
        (page.sources.len() + page.pending.len() + page.beyond_limit.len(), live, active)
    });
    let behind = fleet.slice(|page| if page.link == FleetLink::Connected { page.behind } else { 0 });
    let name = fleet.slice(|page| page.name.clone());
    let title = move || match name.get() {
        name if name.is_empty() => fleet_name().unwrap_or_default(),
        name => name,
    };
    let summary = move || {
        let (machines, live, active) = counts.get();
        (words.get().fleet().summary)(machines, live, active)
    };
    let unread = move || {
        let behind = behind.get();
        (behind > 0).then(|| format!(" {}", (words.get().fleet().unread_messages)(behind)))
    };
    view! {
        <header class="lede">
            <h1>
                <bdi>{title}</bdi>
            </h1>
            <p>{summary} {unread}</p>
        </header>
    }
}

/// No machine is shown: why, and how one begins to publish if none has.
#[component]
fn NoMachines(
    fleet: FleetState,
    /// Sentence and explanation.
    texts: fn(&'static FleetMessages) -> (&'static str, &'static str),
    /// No machine has published.
    is_empty: bool,
) -> impl IntoView {
    let words = use_i18n();
    let texts = move || texts(words.get().fleet());
    let name = fleet.slice(|page| page.name.clone());
    let command = Signal::derive(move || {
        let name = Some(name.get()).filter(|name| !name.is_empty()).or_else(fleet_name).unwrap_or_default();
        if is_empty { format!("task-monitor ship --home DIR --fleet {name} --nats URL") } else { String::new() }
    });
    view! {
        <EmptyState
            icon=if is_empty { Icon::Live } else { Icon::Hourglass }
            title=Signal::derive(move || texts().0.to_owned())
            text=Signal::derive(move || texts().1.to_owned())
            code=command
            alone=true
        />
    }
}

#[cfg(test)]
mod tests {
    use coordination::api::FleetSource;

    use super::*;

    #[test]
    fn page_without_machines_says_why() {
        let stage = |link, pending: &[&str]| {
            let pending = pending.iter().map(|name| (*name).to_owned()).collect();
            FleetStage::of_page(&FleetPage { link, pending, ..FleetPage::default() })
        };
        assert!(stage(FleetLink::Connecting, &[]) == FleetStage::Connecting);
        assert!(stage(FleetLink::Lost, &[]) == FleetStage::Connecting);
        assert!(stage(FleetLink::Connected, &["a"]) == FleetStage::Starting);
        assert!(stage(FleetLink::Connected, &[]) == FleetStage::Empty);
        let page = FleetPage { sources: vec![FleetSource::default()], ..FleetPage::default() };
        assert!(FleetStage::of_page(&page) == FleetStage::Machines, "what is saved is shown while it connects");
    }
}
