//! Flow page of one session (협업 흐름), a sequence diagram of agents and messages: header, diagram or table (a list on
//! narrow screens), and details of the selected element.

mod keys;
mod state;
mod tools;

use std::sync::Arc;

use coordination::api::SessionDetail;
use leptos::prelude::*;

use self::keys::use_flow_keys;
use self::state::{FlowState, use_flow_state};
use self::tools::FlowTools;
use super::failure::Failure;
use super::raw_event::RawEventDrawer;
use crate::components::flow::{Chosen, Details, FlowDrawing, FlowList, FlowSheets, FlowTable, Listing, Panel};
use crate::components::session::{SessionHead, SessionMissing, SessionTab, session_title};
use crate::i18n::use_i18n;
use crate::pages::names::use_names;
use crate::queries::use_page_title;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// The page of `/s/:session/flow`.
#[component]
pub fn FlowPage() -> impl IntoView {
    use_names();
    let words = use_i18n();
    let state = use_flow_state();
    use_flow_keys(state);
    use_page_title(move || {
        let flow = words.get().flow().title;
        state.detail.data.with(|detail| match detail {
            Some(detail) => {
                format!("{flow} · {}", session_title(&detail.session.title, detail.session.title_source, words))
            }
            None => flow.to_owned(),
        })
    });
    let known = Memo::new(move |_| state.detail.data.with(Option::is_some));
    let body = move || match (known.get(), state.detail.failure.get()) {
        (true, _) => view! { <FlowPageContent state=state /> }.into_any(),
        (false, Some(error)) if error.is_not_found() => view! { <SessionMissing /> }.into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| state.detail.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=7 label=label /> }.into_any()
        }
    };
    view! {
        <main id="main" class="session-page flow-page" class:is-bare=move || !known.get() tabindex="-1">
            {body}
            <RawEventDrawer event=state.raw_event on_close=state.raw.on_close />
        </main>
    }
}

/// Session header and flow of a known session.
#[component]
fn FlowPageContent(state: FlowState) -> impl IntoView {
    let last = StoredValue::new(None::<Arc<SessionDetail>>);
    let detail = move || {
        if let Some(detail) = state.detail.data.get() {
            last.set_value(Some(detail));
        }
        last.get_value()
    };
    let Some(first) = untrack(detail) else { return ().into_any() };
    let detail: Signal<Arc<SessionDetail>> = Signal::derive(move || detail().unwrap_or_else(|| first.clone()));
    view! {
        <SessionHead detail=detail pending=Signal::stored(None) tab=SessionTab::Flow />
        <FlowBody state=state />
    }
    .into_any()
}

/// Flow of the session, or its state: loading, failed or empty.
#[component]
fn FlowBody(state: FlowState) -> impl IntoView {
    let words = use_i18n();
    let there = Memo::new(move |_| state.drawn.with(Option::is_some));
    let empty =
        Memo::new(move |_| state.drawn.with(|drawn| drawn.as_ref().is_some_and(|drawn| drawn.layout.stops.is_empty())));
    move || match (there.get(), empty.get(), state.fetch.failure.get()) {
        (true, true, _) => view! {
            <EmptyState
                icon=Icon::Flow
                title=Signal::derive(move || words.get().flow().empty.to_owned())
                text=Signal::derive(move || words.get().flow().empty_why.to_owned())
            />
        }
        .into_any(),
        (true, false, _) => view! { <FlowColumns state=state /> }.into_any(),
        (false, _, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| state.fetch.refetch()) /> }.into_any()
        }
        (false, _, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=9 label=label /> }.into_any()
        }
    }
}

/// Drawing, table or list on the left; details of the selected mark on the right.
#[component]
fn FlowColumns(state: FlowState) -> impl IntoView {
    let words = use_i18n();
    let Some(drawn) = state.drawn() else { return ().into_any() };
    let listing = Listing { drawn, selected: state.selected, on_select: state.on_select };
    let stage = state.stage(drawn);
    let form = move || match (state.narrow.get(), state.view.with(|view| view.table)) {
        (_, true) if !state.narrow.get() => view! { <FlowTable listing=listing /> }.into_any(),
        (true, _) => view! { <FlowList listing=listing /> }.into_any(),
        _ => view! { <FlowDrawing stage=stage /> }.into_any(),
    };
    let panel = Panel { on_select: state.on_select, on_close: state.on_close, on_raw: state.raw.on_open };
    let chosen = Memo::new(move |_| {
        let (name, drawn) = (state.selected.get()?, drawn.get());
        let mark = drawn.mark(&name)?;
        Some(Chosen { flow: drawn, of: mark })
    });
    let has_chosen = move || chosen.with(Option::is_some);
    let title = Signal::derive(move || {
        let title_of =
            |detail: &SessionDetail| session_title(&detail.session.title, detail.session.title_source, words);
        state.detail.data.with(|detail| detail.as_ref().map(|detail| title_of(detail)).unwrap_or_default())
    });
    view! {
        <div class="flow-cols" class:has-selection=has_chosen>
            <div class="flow-main">
                <FlowTools state=state drawn=drawn />
                {form}
            </div>
            <aside class="flow-panel" aria-label=move || words.get().flow().details>
                {move || match chosen.get() {
                    Some(Chosen { flow: drawn, of }) => view! { <Details drawn=drawn of=of panel=panel /> }.into_any(),
                    None => view! { <FlowPanelEmpty /> }.into_any(),
                }}
                <p class="flow-panel__keys">
                    <span><kbd>"J"</kbd> " " <kbd>"K"</kbd> " " {move || words.get().flow().key_move}</span>
                    <span><kbd>"O"</kbd> " " {move || words.get().flow().key_fold}</span>
                    <span><kbd>"↵"</kbd> " " {move || words.get().flow().key_open}</span>
                </p>
            </aside>
        </div>
        {move || state.printing.get().then(|| view! { <FlowSheets drawn=drawn.get_untracked() title=title /> })}
    }
    .into_any()
}

/// Hint in place of the details while no mark is selected.
#[component]
fn FlowPanelEmpty() -> impl IntoView {
    let words = use_i18n();
    view! {
        <h2 class="flow-panel__none">{move || words.get().flow().nothing_selected}</h2>
        <p class="is-dim">{move || words.get().flow().nothing_selected_why}</p>
    }
}
