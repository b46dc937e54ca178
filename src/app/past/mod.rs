//! View of a past moment on every page: the address (`?at=`) moves the page, a bar below the masthead says so and moves
//! on, and links keep the moment. The bar is a lazy chunk.

mod bar;
mod calendar;
mod compare;
mod links;
mod moment_home;
mod notice;
mod playback;
mod range;

use leptos::prelude::*;
use leptos_router::hooks::use_location;

pub(super) use self::moment_home::follow;
use self::moment_home::{take_address, use_unshown_moment};

use crate::lazy_chunks::{ChunkLoadError, lazy_chunk};
use crate::pages::{Loading, lazy_page};
use crate::state::{use_clock, use_hub};

lazy_chunk!(
    tools,
    load_bar,
    fn bar_part() -> AnyView {
        let is_past = use_is_past();
        view! {
            <Show when=move || is_past.get()>
                <bar::PastBar />
            </Show>
            <notice::MomentNotice />
        }
        .into_any()
    }
);

fn load() -> Loading<()> {
    Box::pin(async { load_bar().await.map_err(|_| ChunkLoadError) })
}

/// Whether a past moment is looked at.
fn use_is_past() -> Memo<bool> {
    let hub = use_hub();
    Memo::new(move |_| hub.moment.with(Option::is_some))
}

/// Follows the address, and draws the bar while a past moment is looked at, or why the one in the address is not.
#[component]
pub(super) fn PastView() -> impl IntoView {
    let (hub, clock, location) = (use_hub(), use_clock(), use_location());
    // Again with the monitor's first answer, whose time decides what is past.
    let is_answered = Memo::new(move |_| hub.present.with(Option::is_some));
    Effect::new(move |_| {
        let is_answered = is_answered.get();
        location.search.with(|search| take_address(search, is_answered, hub, clock));
    });
    let (is_past, unshown) = (use_is_past(), use_unshown_moment());
    let is_needed = Memo::new(move |_| is_past.get() || unshown.with(Option::is_some));
    move || is_needed.get().then(|| lazy_page(load, || Box::pin(bar_part()), |content| content))
}
