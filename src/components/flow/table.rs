//! Table of the flow's arrows, runs, task bars and notes, and a list of them for phones. A button in each row selects
//! its element.

use std::sync::Arc;

use coordination::ids::EventId;
use leptos::prelude::*;

use super::DrawnFlow;
use super::drawing::mark_id;
use super::mark_text::{MarkText, mark_text};
use crate::components::people::use_people;
use crate::components::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};
use crate::ui::badge::Badge;

/// Rows at first, and with each wish for more.
const PAGE_ROWS: usize = 300;

/// Inputs and callbacks of table and list.
#[derive(Clone, Copy)]
pub struct Listing {
    /// What is listed.
    pub drawn: Signal<Arc<DrawnFlow>>,
    /// The selected mark.
    pub selected: Memo<Option<EventId>>,
    /// A mark is selected.
    pub on_select: Callback<EventId>,
}

impl Listing {
    /// The names of the first marks; further ones up to the selected mark.
    fn names(self, count: RwSignal<usize>) -> Memo<Vec<EventId>> {
        Memo::new(move |_| {
            let drawn = self.drawn.get();
            let stops = &drawn.layout.stops;
            let selected = self.selected.get().and_then(|name| drawn.mark(&name));
            let reach = selected.and_then(|of| stops.iter().position(|stop| stop.of == of)).map_or(0, |at| at + 1);
            stops.iter().take(count.get().max(reach)).map(|stop| drawn.name(stop.of)).collect()
        })
    }

    /// Description of a mark, for as long as it is listed.
    fn mark_text(self, name: EventId) -> Memo<Option<MarkText>> {
        let (words, people, now) = (use_i18n(), use_people(), use_now());
        Memo::new(move |_| {
            let drawn = self.drawn.get();
            drawn.mark(&name).map(|of| mark_text(&drawn, of, words, people, now.at.get()))
        })
    }

    /// A row: all either form shows of a mark.
    fn row(self, name: EventId) -> FlowTableRow {
        let (mark_text, own) = (self.mark_text(name.clone()), name.clone());
        FlowTableRow {
            mark_text: Signal::derive(move || mark_text.get().unwrap_or_default()),
            id: mark_id(&name),
            selected: Signal::derive(move || self.selected.with(|selected| selected.as_ref() == Some(&own))),
            on_press: Callback::new(move |()| self.on_select.run(name.clone())),
        }
    }
}

struct FlowTableRow {
    mark_text: Signal<MarkText>,
    /// Of its button, by which the keys find it.
    id: String,
    selected: Signal<bool>,
    on_press: Callback<()>,
}

fn when(mark_text: &MarkText, words: I18n) -> String {
    if mark_text.at > 0 {
        time::day_clock(words.locale(), mark_text.at)
    } else {
        words.get().events().no_time.to_owned()
    }
}

fn state(mark_text: &MarkText) -> impl IntoView + use<> {
    let fate = mark_text.fate.clone();
    (!fate.is_empty()).then(|| view! { <Badge tone=mark_text.tone icon=mark_text.icon text=Signal::stored(fate) /> })
}

/// Button that shows further rows; nothing when all are shown.
#[component]
fn MoreFlowRows(listing: Listing, count: RwSignal<usize>) -> impl IntoView {
    let words = use_i18n();
    let left = Memo::new(move |_| listing.drawn.with(|drawn| drawn.layout.stops.len()).saturating_sub(count.get()));
    move || {
        (left.get() > 0).then(|| {
            view! {
                <div class="events-more">
                    <button type="button" class="button" on:click=move |_| count.update(|count| *count += PAGE_ROWS)>
                        {move || (words.get().flow().more_rows)(left.get().min(PAGE_ROWS))}
                    </button>
                </div>
            }
        })
    }
}

/// Table of the marks with time, kind, agents, text and state.
#[component]
pub fn FlowTable(listing: Listing) -> impl IntoView {
    let words = use_i18n();
    let count = RwSignal::new(PAGE_ROWS);
    let names = listing.names(count);
    let row = move |name: EventId| {
        let FlowTableRow { mark_text, id, selected, on_press } = listing.row(name);
        view! {
            <tr class:is-selected=selected>
                <th scope="row">
                    <button type="button" id=id class="link" aria-pressed=move || selected.get().to_string() on:click=move |_| on_press.run(())>
                        {move || when(&mark_text.get(), words)}
                    </button>
                </th>
                <td>{move || mark_text.get().kind}</td>
                <td>{move || mark_text.get().who}</td>
                <td class="flow-table__text">{move || mark_text.get().text}</td>
                <td>{move || state(&mark_text.get())}</td>
            </tr>
        }
    };
    view! {
        <div class="flow-table">
            <table>
                <caption class="visually-hidden">{move || words.get().flow().table}</caption>
                <thead>
                    <tr>
                        <th scope="col">{move || words.get().flow().col_time}</th>
                        <th scope="col">{move || words.get().flow().col_kind}</th>
                        <th scope="col">{move || words.get().flow().col_who}</th>
                        <th scope="col">{move || words.get().flow().col_text}</th>
                        <th scope="col">{move || words.get().flow().col_state}</th>
                    </tr>
                </thead>
                <tbody>
                    <For each=move || names.get() key=Clone::clone children=row />
                </tbody>
            </table>
            <MoreFlowRows listing=listing count=count />
        </div>
    }
}

/// List of the marks for a narrow screen.
#[component]
pub fn FlowList(listing: Listing) -> impl IntoView {
    let words = use_i18n();
    let count = RwSignal::new(PAGE_ROWS);
    let names = listing.names(count);
    let row = move |name: EventId| {
        let FlowTableRow { mark_text, id, selected, on_press } = listing.row(name);
        view! {
            <li class:is-selected=selected>
                <button type="button" id=id aria-pressed=move || selected.get().to_string() on:click=move |_| on_press.run(())>
                    <span class="flow-list__who">
                        <b>{move || mark_text.get().who}</b>
                        <time>{move || when(&mark_text.get(), words)}</time>
                    </span>
                    <span class="flow-list__text">{move || mark_text.get().text}</span>
                    <span class="flow-list__state">
                        <span>{move || mark_text.get().kind}</span>
                        {move || state(&mark_text.get())}
                    </span>
                </button>
            </li>
        }
    };
    view! {
        <ol class="flow-list" aria-label=move || words.get().flow().drawing>
            <For each=move || names.get() key=Clone::clone children=row />
        </ol>
        <MoreFlowRows listing=listing count=count />
    }
}
