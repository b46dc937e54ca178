//! Home as of a past moment: the address names the moment, [`HubState`] holds it, and home is fetched as of it. The live
//! link stays open behind it.

use std::sync::Arc;

use coordination::api::PastMoment;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_location;

use super::links::keep_moment;
use crate::routes::{moment, parse_query, unread_moment};
use crate::source::SourceError;
use crate::state::{HubState, PageClock, use_clock, use_hub};

/// Moves the page to the moment that an address names, or back to now. Before the monitor has answered its time is not
/// known, and the device's clock may be slow.
pub(super) fn take_address(search: &str, is_answered: bool, hub: HubState, clock: PageClock) {
    let named = moment(&parse_query(search)).filter(|moment| moment.at < clock.running() || !is_answered);
    if hub.moment.get_untracked() != named {
        hub.go_to(named);
    }
}

/// What the address gives as its moment and the page does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UnshownMoment {
    /// No time.
    NoTime(String),
    /// A time after now, epoch ms.
    Future(i64),
}

/// The moment in the address that is not shown, if there is one. Not before the monitor has answered, whose time decides.
pub(super) fn use_unshown_moment() -> Memo<Option<UnshownMoment>> {
    let (hub, location) = (use_hub(), use_location());
    let is_answered = Memo::new(move |_| hub.present.with(Option::is_some));
    Memo::new(move |_| {
        let is_present = is_answered.get() && hub.moment.with(Option::is_none);
        let pairs = location.search.with(|search| parse_query(search));
        let future = moment(&pairs).map(|moment| UnshownMoment::Future(moment.at));
        let no_time = || unread_moment(&location.pathname.get(), &pairs).map(UnshownMoment::NoTime);
        future.or_else(no_time).filter(|_| is_present)
    })
}

/// Fetches home as of the moment whenever it or the source changes.
pub(in crate::app) fn follow() {
    let (hub, clock) = (use_hub(), use_clock());
    keep_moment(hub);
    take_address(&window().location().search().unwrap_or_default(), false, hub, clock);
    Effect::new(move |_| {
        let (Some(moment), Some(source)) = (hub.moment.get(), hub.source.get()) else { return };
        hub.past.retry.track();
        hub.past.busy.set(true);
        let is_current = move |moment: PastMoment| hub.moment.try_get_untracked() == Some(Some(moment));
        spawn_local(async move {
            let answer = source.home().await;
            if !is_current(moment) {
                return;
            }
            hub.past.busy.set(false);
            // An older monitor does not know moments and answers as of now.
            let answer =
                answer.and_then(|home| if home.now == moment.at { Ok(home) } else { Err(SourceError::Unsupported) });
            match answer {
                Ok(home) => {
                    hub.past.error.set(None);
                    hub.home.set(Some(Arc::new(home)));
                }
                Err(error) => {
                    hub.past.error.set(Some(error));
                    hub.home.set(None);
                }
            }
        });
    });
}
