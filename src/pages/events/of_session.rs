//! The events page of one session: its header, and what it handed to sub-agents.

use std::sync::Arc;

use coordination::api::SessionDetail;
use coordination::ids::{EventId, SessionId};
use leptos::prelude::*;

use crate::components::event::DelegationTree;
use crate::components::session::{SessionHead, SessionTab};
use crate::hooks::{FetchOptions, use_fetch};
use crate::i18n::use_words;
use crate::pages::failure::Failure;
use crate::ui::skeleton::Skeleton;

/// Header and tree.
#[component]
pub(super) fn SessionPart(session: SessionId, on_raw: Callback<EventId>) -> impl IntoView {
    let words = use_words();
    let options = || FetchOptions {
        touches: Box::new(|change: &crate::state::Change, id: &SessionId| change.touches_session(id)),
        same_subject: Box::new(|a: &SessionId, b: &SessionId| a == b),
    };
    let id = session.clone();
    let detail = use_fetch(move || id.clone(), options(), |source, id| async move { source.session(&id).await });
    let runs = use_fetch(move || session.clone(), options(), |source, id| async move { source.delegations(&id).await });
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
            view! { <Failure error=error on_retry=Callback::new(move |()| detail.again()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=2 label=label /> }.into_any()
        }
    };
    let tree = move || match (runs.data.get(), runs.failure.get()) {
        (Some(runs), _) if runs.nodes.is_empty() => {
            view! { <p class="is-dim delegations__none">{move || words.get().events().tree_none}</p> }.into_any()
        }
        (Some(runs), _) => view! { <DelegationTree delegations=runs on_raw=on_raw /> }.into_any(),
        (None, Some(error)) if !error.is_not_found() => {
            view! { <Failure error=error on_retry=Callback::new(move |()| runs.again()) /> }.into_any()
        }
        _ => ().into_any(),
    };
    view! {
        {head}
        <div class="events-page is-tree">{tree}</div>
    }
}
