//! Pinned sessions, as a separate group on top of the session list. A category page shows only the pinned sessions of
//! its category. In an unfiltered list, pinned sessions outside the loaded part are fetched and shown too; in a
//! filtered list they are not.

use coordination::api::SessionCard;
use coordination::ids::SessionId;
use futures::future::join_all;
use leptos::prelude::*;

use super::{List, Subject};
use crate::i18n::use_i18n;
use crate::queries::{FetchOptions, use_fetch};
use crate::source::SourceError;
use crate::state::use_pins;
use crate::ui::toast::use_toasts;

/// Which pinned cards are on top: of a filtered list only those it holds, of a category its own.
fn on_top(subject: &Subject, pins: &[SessionId], listed: &[SessionCard], fetched: &[SessionCard]) -> Vec<SessionCard> {
    let (category, filter) = subject;
    let find = |cards: &[SessionCard], id: &SessionId| cards.iter().find(|card| card.work_session_id == *id).cloned();
    let other = |id: &SessionId| find(fetched, id).filter(|_| filter.is_empty());
    pins.iter()
        .filter_map(|id| find(listed, id).or_else(|| other(id)))
        .filter(|card| category.is_none_or(|category| card.category.key == category))
        .collect()
}

/// The pinned cards of a list, the latest pin first.
pub(super) fn use_pinned(list: List) -> Memo<Vec<SessionCard>> {
    let pins = use_pins();
    let missing = Memo::new(move |_| {
        let listed = |id: &SessionId| list.shown.with(|cards| cards.iter().any(|card| card.work_session_id == *id));
        pins.all().into_iter().filter(|id| !listed(id)).collect::<Vec<_>>()
    });
    let options =
        FetchOptions::refetch_when(|change, ids: &Vec<SessionId>| ids.iter().any(|id| change.touches_session(id)));
    let fetched = use_fetch(
        move || missing.get(),
        options,
        |source, ids| async move {
            let answers = join_all(ids.iter().map(|id| source.session(id))).await;
            // A session that is no more has no card; only when nobody answers there is nothing to show.
            if let Some(Err(error)) = answers.iter().find(|it| it.as_ref().is_err_and(SourceError::is_transient)) {
                return Err(error.clone());
            }
            Ok(answers.into_iter().filter_map(|answer| answer.ok().map(|detail| detail.session)).collect::<Vec<_>>())
        },
    );
    Memo::new(move |_| {
        let fetched = fetched.data.get();
        let fetched = fetched.as_ref().map_or(&[][..], |cards| cards.as_slice());
        let pins = pins.all();
        list.subject.with(|subject| list.shown.with(|listed| on_top(subject, &pins, listed, fetched)))
    })
}

/// Pins or unpins a session, and shows a toast.
pub(super) fn use_toggle_pin() -> Callback<SessionId> {
    let (pins, words, toasts) = (use_pins(), use_i18n(), use_toasts());
    Callback::new(move |id: SessionId| {
        let sessions = words.now().sessions();
        if !pins.toggle(&id) {
            return toasts.failed(sessions.pins_full);
        }
        let now = pins.now(&id);
        let undo = move || _ = pins.toggle(&id);
        toasts.done_with(
            if now { sessions.pinned_done } else { sessions.unpinned_done },
            words.now().common.undo,
            undo,
        );
    })
}

#[cfg(test)]
mod tests {
    use super::super::listed::tests::card;
    use super::*;
    use crate::routes::SessionsFilter;
    use coordination::category::Category;
    use coordination::session::Status;

    /// A filtered list shows only the pinned sessions that it holds.
    #[test]
    fn pins_lead_category_and_respect_filters() {
        let (listed, fetched) = ([card("a", 3), card("b", 2)], [card("c", 1)]);
        let pins = ["c", "b", "gone"].map(SessionId::from);
        let ids = |subject: &Subject| -> Vec<String> {
            on_top(subject, &pins, &listed, &fetched).into_iter().map(|card| card.work_session_id.into()).collect()
        };
        assert_eq!(ids(&(None, SessionsFilter::default())), ["c", "b"]);
        assert_eq!(ids(&(Some(Category::InfraOps), SessionsFilter::default())), ["c", "b"]);
        assert!(ids(&(Some(Category::QaValidation), SessionsFilter::default())).is_empty());
        let narrowed = SessionsFilter { status: Some(Status::Active), ..SessionsFilter::default() };
        assert_eq!(ids(&(None, narrowed)), ["b"]);
    }
}
