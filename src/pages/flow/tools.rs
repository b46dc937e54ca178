//! Toolbar of the flow page: diagram or table, counts, folding, zoom and export.

use std::sync::Arc;

use coordination::api::{ArrowKind, Flow};
use leptos::prelude::*;

use super::state::FlowState;
use crate::components::flow::{DrawnFlow, save};
use crate::i18n::use_i18n;
use crate::queries::use_go;
use crate::routes::{EventsFilter, FlowView, Unfolded, paths};
use crate::ui::Icon;
use crate::ui::selectors::FLOW_FRAME;

/// Agents, requests, runs.
fn sums(flow: &Flow) -> (usize, usize, usize) {
    let agents = flow.lanes.iter().filter(|lane| lane.agent.is_some()).count();
    let requests = flow.arrows.iter().filter(|arrow| arrow.kind == ArrowKind::Request).count();
    (agents, requests, flow.delegations.len())
}

/// Toolbar with the forms of the flow, its counts, the drawing tools and the fold button.
#[component]
pub(super) fn FlowTools(state: FlowState, drawn: Signal<Arc<DrawnFlow>>) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let href = move |table: bool| paths::flow(&state.id.get(), &FlowView { table, ..state.view.get() });
    // A narrow screen has one form, whatever the address contains.
    let shows_table = move || state.view.with(|view| view.table) && !state.narrow.get();
    let here = move |table: bool| (shows_table() == table).then_some("true");
    let sums = move || {
        let (agents, requests, runs) = drawn.with(|drawn| sums(&drawn.flow));
        (words.get().flow().sums)(agents, requests, runs)
    };
    let folds = Memo::new(move |_| drawn.with(|drawn| drawn.layout.pauses.len()));
    let folded = Memo::new(move |_| state.view.with(|view| view.open == Unfolded::None));
    view! {
        <div class="flow-tools">
            <nav class="segments" aria-label=move || words.get().flow().forms>
                <a class="segments__button" href=move || href(false) aria-current=move || here(false)>
                    {move || words.get().flow().as_drawing}
                </a>
                <a class="segments__button" href=move || paths::events(&EventsFilter::of_session(&state.id.get()))>
                    {move || words.get().flow().as_tree}
                </a>
                <a class="segments__button flow-tools__table" href=move || href(true) aria-current=move || here(true)>
                    {move || words.get().flow().as_table}
                </a>
            </nav>
            <span class="flow-tools__sums">{sums}</span>
            <Show when=move || state.draws()>
                <DrawingTools state=state drawn=drawn />
            </Show>
            {move || {
                let go = go.clone();
                (state.draws() && folds.get() > 0)
                    .then(|| {
                        let press = move |_| {
                            state.toggle_folds(&go);
                        };
                        view! {
                            <button type="button" class="button is-quiet is-small" on:click=press>
                                {Icon::Fold}
                                {move || {
                                    let words = words.get().flow();
                                    if folded.get() { words.unfold } else { words.fold }
                                }}
                            </button>
                        }
                    })
            }}
        </div>
    }
}

/// Buttons for zoom, saving and printing.
#[component]
fn DrawingTools(state: FlowState, drawn: Signal<Arc<DrawnFlow>>) -> impl IntoView {
    let words = use_i18n();
    let zoom = Memo::new(move |_| state.view.with(|view| view.zoom));
    let take = move |_| {
        state.whole.set(true);
        // All marks are drawn one frame after they were requested.
        request_animation_frame(move || {
            request_animation_frame(move || {
                let frame = document().query_selector(FLOW_FRAME).ok().flatten();
                let drawn = drawn.get_untracked();
                let flow = words.now().flow();
                let title = state.detail.data.with_untracked(|detail| {
                    detail.as_ref().map(|detail| detail.session.title.clone()).unwrap_or_default()
                });
                let file = format!("{}-{}.svg", flow.file_name, drawn.session());
                if let Some(frame) = frame {
                    let layout = &drawn.layout;
                    save(&frame, layout.width, layout.height, &format!("{} · {title}", flow.drawing), &file);
                }
                state.whole.set(false);
            });
        });
    };
    let print = move |_| {
        state.printing.set(true);
        // The sheets are drawn one frame after they were requested.
        request_animation_frame(move || {
            request_animation_frame(move || window().print().unwrap_or_default());
        });
    };
    view! {
        <span class="flow-tools__zoom" role="group" aria-label=move || (words.get().flow().zoom)(zoom.get())>
            <button
                type="button"
                class="icon-button"
                aria-label=move || words.get().flow().zoom_out
                title=move || words.get().flow().zoom_out
                disabled=move || { zoom.get() <= FlowView::ZOOM.0 }
                on:click=move |_| state.on_zoom.run(false)
            >
                {Icon::Dash}
            </button>
            <span class="flow-tools__percent">{move || format!("{}%", zoom.get())}</span>
            <button
                type="button"
                class="icon-button"
                aria-label=move || words.get().flow().zoom_in
                title=move || words.get().flow().zoom_in
                disabled=move || { zoom.get() >= FlowView::ZOOM.1 }
                on:click=move |_| state.on_zoom.run(true)
            >
                {Icon::Plus}
            </button>
        </span>
        <button type="button" class="button is-quiet is-small" on:click=take>
            {Icon::ArrowDown} {move || words.get().flow().save}
        </button>
        <button type="button" class="button is-quiet is-small" on:click=print>
            {Icon::File} {move || words.get().flow().print}
        </button>
    }
}
