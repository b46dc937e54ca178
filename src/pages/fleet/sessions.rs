//! Newest sessions of all machines, as the cards of the session list, each with the name of its machine.

use coordination::api::{FleetSession, SessionCard};
use leptos::prelude::*;

use super::state::FleetState;
use crate::components::hidden::Name;
use crate::components::origin::OriginShare;
use crate::components::session_card::SessionCardRow;
use crate::i18n::use_i18n;
use crate::routes::paths;
use crate::ui::live_rows::LiveRows;

/// A card in a list.
pub(super) fn session_item(row: Memo<FleetSession>) -> AnyView {
    let card: Memo<SessionCard> = Memo::new(move |_| row.with(|row| row.session.clone()));
    let also_on = Memo::new(move |_| row.with(|row| row.also_on.clone()));
    let id = row.with_untracked(|row| row.session.work_session_id.clone());
    let words = use_i18n();
    let link = move |name: String| {
        let address = paths::on_machine(&name, &paths::session(&id));
        view! {
            <a href=address rel="external">
                <Name text=name />
            </a>
        }
    };
    view! {
        <li>
            <SessionCardRow card=card.into() origin_share=Signal::stored(OriginShare::Part) />
            {move || {
                let names = also_on.get();
                (!names.is_empty())
                    .then(|| {
                        view! {
                            <p class="fleet__also">
                                {move || words.get().fleet().also_on} {names.into_iter().map(&link).collect_view()}
                            </p>
                        }
                    })
            }}
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
