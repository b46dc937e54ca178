//! Message list of a stored session, with the number of unreadable lines and a button for earlier messages.

use coordination::transcript::reading::Turn;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::state::StorePageState;
use super::turn::draw;
use crate::i18n::use_i18n;
use crate::queries::use_go;
use crate::routes::StoreView;
use crate::ui::band::Band;
use crate::ui::keyed::Keyed;
use crate::ui::roving::{Start, use_roving};
use crate::ui::{Icon, Tone};

/// Messages of a stored session. A band counts unreadable lines.
#[component]
pub(super) fn StoreHistoryList(state: StorePageState) -> impl IntoView {
    let words = use_i18n();
    let list = NodeRef::<html::Div>::new();
    use_roving(list, Start::Last);
    bring_to_target(state);
    let row = Box::new(move |turn: Turn| draw(turn, state));
    let bad =
        Memo::new(move |_| state.newest.data.with(|answer| answer.as_ref().map_or(0, |answer| answer.1.bad_lines)));
    view! {
        <section class="record" aria-labelledby="record">
            <header class="section-head">
                <h2 id="record">{move || words.get().stores().history}</h2>
                <ToolsSwitch state=state />
            </header>
            {move || {
                let text = Signal::derive(move || (words.get().stores().bad_lines)(bad.get()));
                (bad.get() > 0).then(|| view! { <Band tone=Tone::Warning icon=Icon::Warn text=text /> })
            }}
            <LostTarget state=state />
            <Older state=state />
            // Headings that agents write are of the fourth rank.
            <h3 class="visually-hidden">{move || words.get().stores().messages}</h3>
            <div class="record__turns" role="log" aria-live="off" aria-labelledby="record" node_ref=list>
                <Keyed each=state.turns key=|turn: &Turn| format!("{turn:?}") draw=row />
            </div>
        </section>
    }
}

/// Button that shows or hides tool results. Its state is in the address.
#[component]
fn ToolsSwitch(state: StorePageState) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let on = Memo::new(move |_| state.view.with(|view| view.tools));
    let turn = move |_| {
        let view = state.view.get_untracked();
        // Pages with results hold other messages: the number of loaded pages does not apply to them.
        let view = StoreView { tools: !view.tools, older: 0, ..view };
        go.refine(&state.address(&view));
    };
    view! {
        <span class="section-head__more">
            <button
                type="button"
                class="segments__button"
                aria-pressed=move || on.get().to_string()
                title=move || words.get().stores().with_tools_hint
                on:click=turn
            >
                {Icon::Settings}
                {move || words.get().stores().with_tools}
            </button>
        </span>
    }
}

/// Band while the line of the link is looked for, and when it is missing; nothing otherwise.
#[component]
fn LostTarget(state: StorePageState) -> impl IntoView {
    let words = use_i18n();
    let lost = Memo::new(move |_| state.is_lost());
    let seeking = Memo::new(move |_| state.is_seeking());
    let text = Signal::derive(move || {
        let stores = words.get().stores();
        if seeking.get() { stores.seeking } else { stores.not_here }.to_owned()
    });
    move || lost.get().then(|| view! { <Band tone=Tone::Info icon=Icon::Search text=text /> })
}

/// Button that loads earlier messages, or a note that the history begins here.
#[component]
fn Older(state: StorePageState) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let more = Memo::new(move |_| state.held.with(|(_, held)| held.earlier.is_some()));
    let end = Memo::new(move |_| state.view.with(StoreView::is_at_its_end));
    let load = Callback::new(move |()| {
        state.older_error.set(None);
        let view = state.view.get_untracked();
        let pages = state.held.with_untracked(|(_, held)| held.pages);
        // After a failure the address already contains it.
        if view.older <= pages {
            let view = StoreView { older: pages, ..view }.with_older();
            go.adjust(&state.address(&view));
        }
    });
    let why = move || state.older_error.get().map(|error| view! { <p role="alert">{error.sentence(words.get())}</p> });
    move || match (more.get(), end.get()) {
        (false, _) => view! { <p class="record__edge">{move || words.get().stores().begins}</p> }.into_any(),
        (true, true) => view! { <p class="record__edge">{move || words.get().stores().older_end}</p> }.into_any(),
        (true, false) => view! {
            <div class="stream__more">
                {why}
                <button
                    type="button"
                    class="button is-small"
                    disabled=move || state.older_busy.get()
                    on:click=move |_| load.run(())
                >
                    {Icon::ArrowUp}
                    {move || words.get().stores().older}
                </button>
            </div>
        }
        .into_any(),
    }
}

/// The line of the link comes into view once it is drawn, and each time the address names another one.
fn bring_to_target(state: StorePageState) {
    let found = Memo::new(move |_| {
        let at = state.view.with(|view| view.at.clone())?;
        state.turns.with(|turns| turns.iter().find(|turn| turn.holds(&at)).map(|turn| turn.place))
    });
    // The browser keeps the scroll position.
    Effect::new(move |_| {
        let Some(place) = found.get() else { return };
        request_animation_frame(move || {
            let element = document().get_element_by_id(&format!("t-{place}"));
            let Some(element) = element.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) else {
                return;
            };
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Start);
            element.scroll_into_view_with_scroll_into_view_options(&options);
            let options = web_sys::FocusOptions::new();
            options.set_prevent_scroll(true);
            element.focus_with_options(&options).unwrap_or_default();
        });
    });
}
