//! Top part of the events page of one session: session header and delegation tree.

use std::sync::Arc;

use coordination::api::{DelegationsQuery, SessionDetail};
use coordination::ids::{EventId, SessionId};
use leptos::prelude::*;

use super::EventsState;
use super::of_all::{LoadedRunTree, MAX_RUNS};
use crate::components::session::{SessionHead, SessionTab};
use crate::i18n::use_i18n;
use crate::pages::failure::Failure;
use crate::queries::{FetchOptions, use_fetch};
use crate::ui::skeleton::Skeleton;

/// Session header and delegation tree, or why they are missing.
#[component]
pub(super) fn SessionPart(session: SessionId, state: EventsState, on_raw: Callback<EventId>) -> impl IntoView {
    let words = use_i18n();
    let options =
        || FetchOptions::refetch_when(|change, id: &SessionId| change.touches_session(id)).clear_on_key_change();
    let id = session.clone();
    let detail = use_fetch(move || id.clone(), options(), |source, id| async move { source.session(&id).await });
    let query = DelegationsQuery { limit: Some(MAX_RUNS), ..DelegationsQuery::default() };
    let runs = use_fetch(
        move || session.clone(),
        options(),
        move |source, id| {
            let query = query.clone();
            async move { source.delegations(Some(&id), &query).await }
        },
    );
    let known = Memo::new(move |_| detail.data.with(Option::is_some));
    let head = move || match (known.get(), detail.failure.get()) {
        (true, _) => detail
            .data
            .get_untracked()
            .map(|first| {
                let detail: Signal<Arc<SessionDetail>> =
                    Signal::derive(move || detail.data.get().unwrap_or_else(|| first.clone()));
                view! { <SessionHead detail=detail pending=Signal::stored(None) tab=SessionTab::Events /> }
            })
            .into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| detail.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=2 label=label /> }.into_any()
        }
    };
    let there = Memo::new(move |_| runs.data.with(|runs| runs.as_ref().map(|runs| !runs.rows.is_empty())));
    let tree = move || match (there.get(), runs.failure.get()) {
        (Some(false), _) => {
            view! { <p class="is-dim delegations__none">{move || words.get().events().tree_none}</p> }.into_any()
        }
        (Some(true), _) => view! { <LoadedRunTree runs=runs state=state on_raw=on_raw /> }.into_any(),
        (None, Some(error)) if !error.is_not_found() => {
            view! { <Failure error=error on_retry=Callback::new(move |()| runs.refetch()) /> }.into_any()
        }
        _ => ().into_any(),
    };
    view! {
        {head}
        <div class="events-page is-tree">{tree}</div>
    }
}
