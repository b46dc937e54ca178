//! Sessions of all machines, newest first: the cards of the session list, each with the name of its machine.

use coordination::api::{FleetSession, FleetSessionsPage};
use leptos::prelude::*;

use super::filter_menus::{CategoryMenu, FleetAgentMenu, SessionStatusMenu};
use super::list::{FleetListView, ListTexts, query_of, total_of, use_list};
use super::sessions::session_item;
use super::state::{FleetState, MachinePeople};
use crate::i18n::use_i18n;
use crate::queries::FleetList;
use crate::routes::FleetTab;
use crate::ui::Icon;
use crate::ui::live_rows::LiveRows;

const TEXTS: ListTexts = ListTexts {
    title: |words| words.shell.sessions,
    empty: |words| (words.fleet().no_sessions, words.fleet().no_sessions_hint),
    none_match: |words| (words.sessions().filter_empty, words.agents().none_match_why),
    icon: Icon::Talk,
};

/// The tab of sessions.
#[component]
pub(super) fn FleetSessionList(fleet: FleetState) -> impl IntoView {
    let list: FleetList<FleetSessionsPage> = use_list(fleet, |filter| query_of(filter, FleetTab::Sessions));
    let filters = view! {
        <SessionStatusMenu fleet=fleet />
        <CategoryMenu fleet=fleet />
        <FleetAgentMenu fleet=fleet />
    }
    .into_any();
    view! {
        <FleetListView
            fleet=fleet
            list=list
            texts=TEXTS
            total=total_of(list, |page: &FleetSessionsPage| page.total)
            filters=filters
            rows=Box::new(move || view! { <FleetSessionRows list=list /> }.into_any())
        />
    }
}

#[component]
fn FleetSessionRows(list: FleetList<FleetSessionsPage>) -> impl IntoView {
    let people = MachinePeople::of_list(list);
    let rows =
        move || list.answer.with(|answer| answer.as_ref().map(|answer| answer.sessions.clone()).unwrap_or_default());
    let card = move |row: Memo<FleetSession>| {
        row.with_untracked(|row| people.provide_row(&row.source));
        session_item(row)
    };
    let words = use_i18n();
    view! {
        <h2 class="visually-hidden">{move || words.get().fleet().sessions}</h2>
        <ul class="session-list">
            <LiveRows
                each=rows
                key=|row: &FleetSession| (row.source.clone(), row.session.work_session_id.clone())
                draw=card
            />
        </ul>
    }
}
