//! Agents of all machines, the one with the newest event first: the cards of the agents page, each with the name of its
//! machine. Agents of the same id on two machines are two cards.

use coordination::api::{FleetAgent, FleetAgentsPage};
use leptos::prelude::*;

use super::list::{FleetListView, ListTexts, query_of, use_list};
use super::state::{FleetState, MachinePeople};
use crate::i18n::use_i18n;
use crate::pages::agents::AgentCardRow;
use crate::queries::FleetList;
use crate::routes::{FleetTab, RoleShown};
use crate::state::use_roles;
use crate::ui::Icon;
use crate::ui::live_rows::LiveRows;

const TEXTS: ListTexts = ListTexts {
    title: |words| words.agents().title,
    empty: |words| (words.agents().empty, words.agents().empty_why),
    none_match: |words| (words.agents().none_match, words.agents().none_match_why),
    icon: Icon::Person,
};

/// The tab of agents.
#[component]
pub(super) fn FleetAgentList(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let list: FleetList<FleetAgentsPage> = use_list(fleet, |filter| query_of(filter, FleetTab::Agents));
    let total = Signal::derive(move || {
        let count = list.answer.with(|answer| answer.as_ref().map(|answer| answer.agents.len()));
        count.map(words.get().agents().subtitle).unwrap_or_default()
    });
    view! {
        <FleetListView
            fleet=fleet
            list=list
            texts=TEXTS
            total=total
            filters=().into_any()
            has_text=false
            rows=Box::new(move || view! { <AgentCards list=list /> }.into_any())
        />
    }
}

#[component]
fn AgentCards(list: FleetList<FleetAgentsPage>) -> impl IntoView {
    let people = MachinePeople::of_list(list);
    let words = use_i18n();
    let roles = use_roles();
    let rows =
        move || list.answer.with(|answer| answer.as_ref().map(|answer| answer.agents.clone()).unwrap_or_default());
    let card = move |row: Memo<FleetAgent>| {
        row.with_untracked(|row| people.provide_row(&row.source));
        (move || view! { <AgentCardRow card=row.get().card role=RoleShown::Main roles=roles /> }).into_any()
    };
    view! {
        <section class="agents-group">
            <h2 class="visually-hidden">{move || words.get().agents().title}</h2>
            <ul>
                <LiveRows
                    each=rows
                    key=|row: &FleetAgent| (row.source.clone(), row.card.agent.id.clone())
                    draw=card
                />
            </ul>
        </section>
    }
}
