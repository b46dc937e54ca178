//! Newest sessions of all machines, as the cards of the session list, each with the name of its machine.

use coordination::api::{FleetSession, SessionCard};
use leptos::prelude::*;

use super::state::FleetState;
use crate::components::origin::OriginShare;
use crate::components::session_card::SessionCardRow;
use crate::i18n::use_i18n;
use crate::ui::live_rows::LiveRows;

/// A card in a list.
pub(super) fn session_item(row: Memo<FleetSession>) -> AnyView {
    let card: Memo<SessionCard> = Memo::new(move |_| row.with(|row| row.session.clone()));
    view! {
        <li>
            <SessionCardRow card=card.into() origin_share=Signal::stored(OriginShare::Part) />
        </li>
    }
    .into_any()
}

/// The cards.
#[component]
pub(super) fn FleetSessions(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let sessions = fleet.rows(|page| &page.sessions, |row| &row.source);
    let is_sure = Memo::new(move |_| fleet.is_sure());
    let none = move || match words.get().fleet() {
        fleet if is_sure.get() => fleet.no_sessions,
        fleet => fleet.list_unsure,
    };
    let card = move |row: Memo<FleetSession>| {
        row.with_untracked(|row| fleet.provide_row(&row.source));
        session_item(row)
    };
    view! {
        <section class="fleet__section fleet__sessions" aria-labelledby="fleet-sessions">
            <div class="section-head">
                <h2 id="fleet-sessions">{move || words.get().fleet().sessions}</h2>
                <span class="section-head__count">{move || sessions.with(Vec::len)}</span>
            </div>
            {move || {
                let is_empty = sessions.with(Vec::is_empty);
                is_empty.then(|| view! { <p class="work__none">{none}</p> })
            }}
            <ul class="session-list">
                <LiveRows
                    each=move || sessions.get()
                    key=|row: &FleetSession| (row.source.clone(), row.session.work_session_id.clone())
                    draw=card
                />
            </ul>
        </section>
    }
}
