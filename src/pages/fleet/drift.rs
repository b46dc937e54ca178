//! Drift of the automatic categories of each machine: how frequent sessions without evidence are, and the charts of that. All
//! other charts are on the drift page of the machine.

use std::sync::Arc;

use coordination::api::{Drift, FleetDrift, FleetDriftPage};
use leptos::prelude::*;

use super::list::{FleetListView, ListTexts, query_of, use_list};
use super::state::{FleetState, MachinePeople};
use crate::components::hidden::Name;
use crate::components::machine::use_machine_links;
use crate::i18n::{time, use_i18n};
use crate::pages::drift::{Grounds, Standing};
use crate::queries::FleetList;
use crate::routes::{DriftSince, FleetFilter, FleetTab};
use crate::state::use_clock;
use crate::ui::Icon;
use crate::ui::live_rows::LiveRows;
use crate::ui::menu::{Menu, MenuChoice};

const TEXTS: ListTexts = ListTexts {
    title: |words| words.drift().title,
    empty: |words| words.drift().empty,
    none_match: |words| words.drift().empty_period,
    icon: Icon::Chart,
};

/// The tab of drift.
#[component]
pub(super) fn FleetDriftList(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let clock = use_clock();
    let list: FleetList<FleetDriftPage> = use_list(fleet, move |filter| {
        let now = clock.now();
        let mut query = query_of(filter, FleetTab::Drift);
        query.extend(filter.since.map(|since| ("since".to_owned(), since.earliest_ms(now).to_string())));
        query.push(("offset".to_owned(), time::offset_east(now).to_string()));
        query
    });
    let total = Signal::derive(move || words.get().drift().subtitle.to_owned());
    let filters = view! { <DriftPeriodMenu fleet=fleet /> }.into_any();
    view! {
        <FleetListView
            fleet=fleet
            list=list
            texts=TEXTS
            total=total
            filters=filters
            has_text=false
            rows=Box::new(move || view! { <DriftSections list=list /> }.into_any())
        />
    }
}

#[component]
fn DriftSections(list: FleetList<FleetDriftPage>) -> impl IntoView {
    let people = MachinePeople::of_list(list);
    let rows =
        move || list.answer.with(|answer| answer.as_ref().map(|answer| answer.drifts.clone()).unwrap_or_default());
    let section = move |row: Memo<FleetDrift>| {
        row.with_untracked(|row| people.provide_row(&row.source));
        view! { <MachineDrift row=row /> }.into_any()
    };
    view! { <LiveRows each=rows key=|row: &FleetDrift| row.source.clone() draw=section /> }
}

/// Drift of one machine; a line without sessions.
#[component]
fn MachineDrift(row: Memo<FleetDrift>) -> impl IntoView {
    let words = use_i18n();
    let links = use_machine_links();
    let name = row.with_untracked(|row| row.source.clone());
    let answer: Memo<Arc<Drift>> = Memo::new(move |_| row.with(|row| Arc::new(row.drift.clone())));
    let counted = move || {
        let sessions = answer.with(|drift| drift.all.sessions);
        (words.get().drift().counted)(&time::count(words.locale(), u64::from(sessions)))
    };
    let any = Memo::new(move |_| answer.with(|drift| drift.all.sessions > 0));
    view! {
        <section class="fleet__section fleet__drift">
            <div class="section-head">
                <h2>
                    <a href=links.href(FleetTab::Drift.path()) rel=links.rel() data-row="">
                        <Name text=name />
                    </a>
                </h2>
                <span class="section-head__count">{counted}</span>
            </div>
            {move || match any.get() {
                true => view! {
                    <Standing answer=answer.into() />
                    <Grounds answer=answer.into() />
                }
                .into_any(),
                false => view! { <p class="is-dim">{move || words.get().fleet().no_drift}</p> }.into_any(),
            }}
        </section>
    }
}

#[component]
fn DriftPeriodMenu(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let choices = Signal::derive(move || {
        let name = words.get().drift().since;
        let choice = |since: DriftSince| MenuChoice { text: name(since).to_owned(), value: since.as_str().to_owned() };
        DriftSince::ALL.into_iter().map(choice).collect::<Vec<_>>()
    });
    let pick = move |since: String| {
        fleet.edit.run(Box::new(move |filter: &mut FleetFilter| filter.since = since.parse().ok()));
    };
    view! {
        <Menu
            label=Signal::derive(move || words.get().drift().all_time.to_owned())
            choices=choices
            value=Signal::derive(move || fleet.filter.with(|filter| filter.since.map(|it| it.as_str().to_owned()).unwrap_or_default()))
            on_pick=Callback::new(pick)
        />
    }
}
