//! List view of a thread's items. Each item is keyed by its content, so only changed items are drawn again.

use leptos::prelude::*;

use super::bubble::{BubbleView, StreamContext};
use super::flow::StreamItem;
use super::marks::MarkView;
use super::run::RunView;
use crate::i18n::{provide_row_i18n, time, use_i18n};
use crate::ui::keyed::Keyed;

/// The items, oldest first.
#[component]
pub fn Stream(#[prop(into)] items: Signal<Vec<StreamItem>>, context: StreamContext) -> impl IntoView {
    let draw = Box::new(move |item| view! { <ItemView item=item context=context.clone() /> }.into_any());
    view! { <Keyed each=items key=StreamItem::key draw=draw /> }
}

#[component]
fn ItemView(item: StreamItem, context: StreamContext) -> impl IntoView {
    provide_row_i18n();
    let words = use_i18n();
    match item {
        StreamItem::Day { at } => view! {
            <div class="stream-day" role="separator">
                {move || time::day(words.locale(), at)}
            </div>
        }
        .into_any(),
        StreamItem::Unread { .. } => view! {
            <div class="stream-unread" role="separator">
                {move || words.get().thread().unread_from_here}
            </div>
        }
        .into_any(),
        StreamItem::Gap { ms, .. } => view! {
            <div class="stream-gap" role="separator">
                {move || (words.get().thread().idle)(&time::duration(words.locale(), ms))}
            </div>
        }
        .into_any(),
        StreamItem::Bubble(bubble) => view! { <BubbleView bubble=*bubble context=context /> }.into_any(),
        StreamItem::Run(run) => view! { <RunView run=*run context=context /> }.into_any(),
        StreamItem::Mark(item) => view! { <MarkView item=*item context=context /> }.into_any(),
    }
}
