//! Events of all machines, newest first, by day: the rows of the event list, each with the name of its machine.

use coordination::api::{FleetEvent, FleetEventsPage};
use leptos::prelude::*;

use super::filter_menus::{EventRoleMenu, FleetAgentMenu};
use super::list::{FleetListView, ListTexts, query_of, total_of, use_list};
use super::state::{FleetState, MachinePeople};
use crate::components::event::EventRowView;
use crate::components::origin::OriginShare;
use crate::i18n::{time, use_i18n};
use crate::queries::FleetList;
use crate::routes::FleetTab;
use crate::ui::Icon;
use crate::ui::live_rows::LiveRows;
use crate::ui::roving::{Start, use_roving};

const TEXTS: ListTexts = ListTexts {
    title: |words| words.events().title,
    empty: |words| (words.events().empty, words.events().empty_why),
    none_match: |words| (words.events().none_match, words.events().none_match_why),
    icon: Icon::Event,
};

/// A line of the list.
#[derive(Clone, PartialEq)]
enum FleetEventLine {
    /// Heading of a day, by its newest event.
    Day(i64),
    Row(Box<FleetEvent>),
}

impl FleetEventLine {
    fn key(&self) -> (String, String) {
        match self {
            Self::Day(at) => (String::new(), time::local_day(*at).to_string()),
            Self::Row(row) => (row.source.clone(), row.event.id.to_string()),
        }
    }
}

/// The tab of events.
#[component]
pub(super) fn FleetEventList(fleet: FleetState) -> impl IntoView {
    let list: FleetList<FleetEventsPage> = use_list(fleet, |filter| query_of(filter, FleetTab::Events));
    let filters = view! { <EventRoleMenu fleet=fleet /> <FleetAgentMenu fleet=fleet /> }.into_any();
    view! {
        <FleetListView
            fleet=fleet
            list=list
            texts=TEXTS
            total=total_of(list, |page: &FleetEventsPage| page.total)
            filters=filters
            rows=Box::new(move || view! { <FleetEventLines list=list /> }.into_any())
        />
    }
}

#[component]
fn FleetEventLines(list: FleetList<FleetEventsPage>) -> impl IntoView {
    let words = use_i18n();
    let people = MachinePeople::of_list(list);
    let lines =
        move || list.answer.with(|answer| answer.as_ref().map(|answer| lines_of(&answer.events)).unwrap_or_default());
    let line = move |line: Memo<FleetEventLine>| {
        if let FleetEventLine::Row(row) = line.get_untracked() {
            people.provide_row(&row.source);
        }
        let draw = move || match line.get() {
            FleetEventLine::Day(at) => {
                view! { <h2 class="events-day">{move || time::day(words.locale(), at)}</h2> }.into_any()
            }
            FleetEventLine::Row(row) => view! {
                <EventRowView
                    row=row.event
                    open=Signal::stored(false)
                    origin_share=Signal::stored(OriginShare::Part)
                />
            }
            .into_any(),
        };
        draw.into_any()
    };
    let region = NodeRef::new();
    use_roving(region, Start::First);
    view! {
        <div class="events-list" node_ref=region role="region" aria-label=move || words.get().events().list>
            <LiveRows each=lines key=FleetEventLine::key draw=line />
        </div>
    }
}

/// The events with a heading wherever the local day changes.
fn lines_of(events: &[FleetEvent]) -> Vec<FleetEventLine> {
    let mut lines = Vec::with_capacity(events.len() + 4);
    let mut today = None;
    for row in events {
        let day = (row.event.at > 0).then(|| time::local_day(row.event.at));
        if day.is_some() && day != today {
            today = day;
            lines.push(FleetEventLine::Day(row.event.at));
        }
        lines.push(FleetEventLine::Row(Box::new(row.clone())));
    }
    lines
}
