//! List rows of the stored sessions. Only rows near the viewport are rendered. The whole list is one Tab stop.

use std::collections::HashMap;
use std::sync::Arc;

use coordination::api::StoreRow;
use leptos::html;
use leptos::prelude::*;

use super::StoresState;
use super::listed::runs;
use super::row::StoreListRow;
use crate::i18n::use_i18n;
use crate::ui::roving::{Start, use_roving};
use crate::ui::stretch::Stretch;

/// The rows by their keys.
pub(super) type ByKey = Memo<Arc<HashMap<String, Arc<StoreRow>>>>;

/// List of the stored sessions as one Tab stop.
#[component]
pub(super) fn StoreRows(state: StoresState) -> impl IntoView {
    let words = use_i18n();
    let list = NodeRef::<html::Div>::new();
    use_roving(list, Start::First);
    let by_key: ByKey = Memo::new(move |_| {
        state.fetch.data.with(|list| {
            let rows = list.iter().flat_map(|list| list.sessions.iter().cloned());
            Arc::new(rows.map(|row| (row.key.clone(), Arc::new(row))).collect())
        })
    });
    let runs = Memo::new(move |_| {
        state.fetch.data.with(|list| runs(list.iter().flat_map(|list| list.sessions.iter().map(|row| row.key.clone()))))
    });
    let run = move |keys: Vec<String>| {
        let draw = move || keys.iter().cloned().map(|key| view! { <OneRow key=key by_key=by_key /> }).collect_view();
        view! { <Stretch draw=Box::new(move || draw().into_any()) /> }
    };
    view! {
        <div class="store-list" node_ref=list role="region" aria-label=move || words.get().stores().list>
            <For each=move || runs.get() key=Vec::clone children=run />
        </div>
    }
}

/// One row, updated with its session.
#[component]
fn OneRow(key: String, by_key: ByKey) -> impl IntoView {
    let row = Memo::new(move |before: Option<&Option<Arc<StoreRow>>>| {
        by_key.with(|rows| rows.get(&key).cloned()).or_else(|| before.cloned().flatten())
    });
    move || row.get().map(|row| view! { <StoreListRow row=row /> })
}
