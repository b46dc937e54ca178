//! List of all machines on the fleet page: head with count, filters, what the list lacks, and its rows. Without rows it says
//! whether nothing is there, nothing matches, or a machine could not be read.

use coordination::text::hidden;
use leptos::prelude::*;

use super::state::FleetState;
use super::tools::MachineFilter;
use crate::components::text_filter::TextFilter;
use crate::i18n::messages::Messages;
use crate::i18n::{time, use_i18n};
use crate::pages::failure::Failure;
use crate::pages::unknown_filter::UnknownFilter;
use crate::queries::{FleetList, FleetListQuery, FleetRows, use_fleet_list, use_pairs};
use crate::routes::{FleetFilter, FleetTab};
use crate::ui::band::Band;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;
use crate::ui::{Icon, Tone};

/// Texts of a list.
#[derive(Clone, Copy)]
pub(super) struct ListTexts {
    /// Heading.
    pub(super) title: fn(&'static Messages) -> &'static str,
    /// Without any row: sentence and explanation.
    pub(super) empty: fn(&'static Messages) -> (&'static str, &'static str),
    /// Without a row that matches the filters.
    pub(super) none_match: fn(&'static Messages) -> (&'static str, &'static str),
    /// Its icon.
    pub(super) icon: Icon,
}

/// The list of a tab, for the filter in the address.
pub(super) fn use_list<P: FleetRows>(
    fleet: FleetState,
    query: impl Fn(&FleetFilter) -> FleetListQuery + Send + Sync + 'static,
) -> FleetList<P> {
    let query = Memo::new(move |_| {
        let filter = fleet.filter.get();
        // The monitor refuses an unknown machine; the page says so beside its buttons.
        let is_known = filter.host.as_deref().is_none_or(|host| fleet.knows(host) == Some(true));
        is_known.then(|| query(&filter))
    });
    use_fleet_list(fleet.query, query)
}

/// What the list shows.
#[derive(Clone, Copy, PartialEq)]
enum ListStage {
    Loading,
    Failed,
    UnknownMachine,
    Empty,
    Rows,
}

/// The list with its head and filters. `rows` draws the rows of the answer.
#[component]
pub(super) fn FleetListView<P: FleetRows>(
    fleet: FleetState,
    list: FleetList<P>,
    texts: ListTexts,
    /// Number of rows on all pages, in words.
    total: Signal<String>,
    /// Filters besides the machine and the text.
    filters: AnyView,
    /// Whether rows can be narrowed by a text.
    #[prop(default = true)]
    has_text: bool,
    rows: Box<dyn Fn() -> AnyView + Send>,
) -> impl IntoView {
    let words = use_i18n();
    let stage = Memo::new(move |_| {
        let is_unknown =
            fleet.filter.with(|filter| filter.host.as_deref().is_some_and(|host| fleet.knows(host) == Some(false)));
        match list.answer.with(|answer| answer.as_ref().map(|answer| answer.len() == 0)) {
            _ if is_unknown => ListStage::UnknownMachine,
            Some(true) => ListStage::Empty,
            Some(false) => ListStage::Rows,
            None if list.error.with(Option::is_some) => ListStage::Failed,
            None => ListStage::Loading,
        }
    });
    let content = move || match stage.get() {
        ListStage::UnknownMachine => ().into_any(),
        ListStage::Loading => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=8 label=label /> }.into_any()
        }
        ListStage::Failed => {
            let retry = Callback::new(move |()| list.refetch());
            (move || list.error.get().map(|error| view! { <Failure error=error on_retry=retry /> })).into_any()
        }
        ListStage::Empty => view! { <ListEmpty fleet=fleet list=list texts=texts /> }.into_any(),
        ListStage::Rows => view! {
            {rows()}
            <MoreRows list=list />
        }
        .into_any(),
    };
    let count = move || if stage.get() == ListStage::Rows { total.get() } else { String::new() };
    view! {
        <header class="list-head">
            <h1>{move || (texts.title)(words.get())}</h1>
            <p role="status">{count}</p>
        </header>
        <div class="fleet__tools">
            <MachineFilter fleet=fleet />
            <div class="fleet__filters" role="group" aria-label=move || words.get().fleet().filters>
                {filters}
                {has_text.then(|| view! { <ListTextFilter fleet=fleet /> })}
            </div>
        </div>
        <UnknownValues fleet=fleet />
        <ListNotices list=list />
        {content}
    }
}

/// Field that narrows the list to rows with a text.
#[component]
fn ListTextFilter(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let address = move |q: Option<String>| {
        let q = q.unwrap_or_default();
        let filter = FleetFilter { q, ..fleet.filter.get_untracked() };
        filter.address(&fleet.tab.get_untracked().path())
    };
    view! {
        <TextFilter
            label=Signal::derive(move || words.get().fleet().filter_text.to_owned())
            words=Signal::derive(move || fleet.filter.with(|filter| Some(filter.q.clone()).filter(|q| !q.is_empty())))
            address=Callback::new(address)
        />
    }
}

/// Values of the address that the tab does not know.
#[component]
fn UnknownValues(fleet: FleetState) -> impl IntoView {
    let pairs = use_pairs();
    view! {
        <UnknownFilter
            unknown=Signal::derive(move || FleetFilter::unknown(&pairs.get(), fleet.tab.get()))
            without=Signal::derive(move || fleet.filter.get().address(&fleet.tab.get().path()))
        />
    }
}

/// The list could not be refreshed, and machines whose history is being read.
#[component]
fn ListNotices<P: FleetRows>(list: FleetList<P>) -> impl IntoView {
    let words = use_i18n();
    let is_old = Memo::new(move |_| list.error.with(Option::is_some) && list.answer.with(Option::is_some));
    let starting = Memo::new(move |_| {
        list.answer.with(|answer| {
            let sources = answer.iter().flat_map(|answer| answer.sources());
            let starting = sources.filter(|source| source.starting).map(|source| hidden::marked(&source.source));
            starting.map(std::borrow::Cow::into_owned).collect::<Vec<_>>().join(", ")
        })
    });
    view! {
        {move || {
            is_old.get().then(|| view! {
                <Band
                    tone=Tone::Warning
                    icon=Icon::Clock
                    text=Signal::derive(move || words.get().fleet().list_old.to_owned())
                >
                    <button type="button" class="button is-small" on:click=move |_| list.refetch()>
                        {Icon::Retry}
                        {move || words.get().common.retry}
                    </button>
                </Band>
            })
        }}
        {move || {
            starting.with(|names| !names.is_empty()).then(|| view! {
                <Band
                    tone=Tone::Info
                    icon=Icon::Hourglass
                    text=Signal::derive(move || (words.get().fleet().list_starting)(&starting.get()))
                />
            })
        }}
    }
}

/// Why the list has no rows.
#[component]
fn ListEmpty<P: FleetRows>(fleet: FleetState, list: FleetList<P>, texts: ListTexts) -> impl IntoView {
    let words = use_i18n();
    let is_narrowed = Memo::new(move |_| fleet.filter.with(|filter| *filter != FleetFilter::default()));
    let is_sure = Memo::new(move |_| {
        let is_complete = |answer: &std::sync::Arc<P>| answer.sources().iter().all(|source| source.is_complete());
        fleet.is_sure() && list.answer.with(|answer| answer.as_ref().is_some_and(is_complete))
    });
    let text = move || match (is_sure.get(), is_narrowed.get()) {
        (false, _) => (words.get().fleet().list_unsure, words.get().fleet().unsure_hint),
        (true, true) => (texts.none_match)(words.get()),
        (true, false) => (texts.empty)(words.get()),
    };
    move || {
        let icon = if is_sure.get() { texts.icon } else { Icon::Warn };
        view! {
            <EmptyState
                icon=icon
                title=Signal::derive(move || text().0.to_owned())
                text=Signal::derive(move || text().1.to_owned())
            >
                {move || {
                    is_narrowed.get().then(|| view! {
                        <a class="button" href=move || fleet.tab.get().path()>
                            {move || words.get().common.clear_filters}
                        </a>
                    })
                }}
            </EmptyState>
        }
    }
}

/// Button for more rows; nothing on the last page.
#[component]
fn MoreRows<P: FleetRows>(list: FleetList<P>) -> impl IntoView {
    let words = use_i18n();
    let has_next =
        Memo::new(move |_| list.answer.with(|answer| answer.as_ref().is_some_and(|answer| answer.next().is_some())));
    let label = move || {
        let common = &words.get().common;
        if list.is_loading_more() { common.loading } else { common.more }
    };
    move || {
        has_next.get().then(|| view! {
            <div class="load-more">
                <button type="button" class="button" disabled=move || list.is_loading_more() on:click=move |_| list.more()>
                    {label}
                </button>
            </div>
        })
    }
}

/// `1,234건`. Reactive.
pub(super) fn total_of<P: FleetRows>(list: FleetList<P>, total: fn(&P) -> u32) -> Signal<String> {
    let words = use_i18n();
    Signal::derive(move || {
        let total = list.answer.with(|answer| answer.as_ref().map(|answer| total(answer)));
        total
            .map(|total| (words.get().fleet().rows)(&time::count(words.locale(), u64::from(total))))
            .unwrap_or_default()
    })
}

/// The query of a list that has the parameters of the address.
pub(super) fn query_of(filter: &FleetFilter, tab: FleetTab) -> FleetListQuery {
    let FleetFilter { host, q, status, task_status, category, agent, role, .. } = filter.clone();
    let own = match tab {
        FleetTab::Sessions => FleetFilter { q, status, category, agent, ..FleetFilter::default() },
        FleetTab::Events => FleetFilter { q, role, agent, ..FleetFilter::default() },
        FleetTab::Tasks => FleetFilter { q, task_status, agent, ..FleetFilter::default() },
        FleetTab::Home | FleetTab::Agents | FleetTab::Drift => FleetFilter::default(),
    };
    FleetFilter { host, ..own }.to_pairs()
}
