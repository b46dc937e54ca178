//! Message stream of a thread or session: the loaded items, with buttons for older and newer ones.

use coordination::view::StreamEnd;
use leptos::html;
use leptos::prelude::*;

use super::paging::Paging;
use super::scroll;
use super::scroll_anchor::ScrollAnchor;
use crate::components::thread::flow::StreamItem;
use crate::components::thread::{Stream, StreamContext};
use crate::i18n::use_i18n;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::roving::{Start, use_roving};

/// Message stream with a button at each end that has more. Without messages, an empty state says so.
#[component]
pub(super) fn StreamBody(
    node: NodeRef<html::Div>,
    keeper: ScrollAnchor,
    items: Memo<Vec<StreamItem>>,
    context: StreamContext,
    paging: Paging,
    /// Whether older messages follow beyond the older end, and newer ones beyond the newer end.
    goes_on: (Memo<bool>, Memo<bool>),
    /// It is known to hold nothing.
    empty: Memo<bool>,
    label: Signal<&'static str>,
) -> impl IntoView {
    let words = use_i18n();
    use_roving(node, Start::Last);
    let (older, newer) = goes_on;
    view! {
        <div
            class="stream"
            node_ref=node
            role="log"
            aria-live="off"
            aria-label=move || label.get()
            on:focusin=move |event| keeper.focus_came(scroll::target(&event))
            on:focusout=move |_| keeper.focus_left()
        >
            {move || older.get().then(|| view! { <StreamMoreButton end=StreamEnd::Older paging=paging /> })}
            <Stream items=items context=context />
            {move || newer.get().then(|| view! { <StreamMoreButton end=StreamEnd::Newer paging=paging /> })}
            {move || {
                empty.get().then(|| {
                    view! {
                        <EmptyState
                            icon=Icon::Talk
                            title=Signal::derive(move || words.get().thread().empty_thread.to_owned())
                            text=Signal::derive(move || words.get().thread().empty_thread_why.to_owned())
                        />
                    }
                })
            }}
        </div>
    }
}

/// Button that loads further messages at one end, for users for whom scrolling does not load them.
#[component]
fn StreamMoreButton(end: StreamEnd, paging: Paging) -> impl IntoView {
    let words = use_i18n();
    let text = move || {
        let words = words.get();
        match end {
            _ if paging.busy.get() => words.common.loading,
            StreamEnd::Older => words.thread().load_older,
            StreamEnd::Newer => words.thread().load_newer,
        }
    };
    view! {
        <div class="stream__more">
            <button
                type="button"
                class="button"
                aria-disabled=move || paging.busy.get().to_string()
                on:click=move |_| paging.on_load.run(end)
            >
                {text}
            </button>
        </div>
    }
}
