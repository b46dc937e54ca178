//! Sessions of the shown machines by category: the cells of home, with the numbers of all machines. A cell leads to the
//! fleet's list of these sessions.

use coordination::api::{CategoryCount, FleetSource};
use leptos::prelude::*;

use super::state::FleetState;
use crate::components::category_band::{AllCell, CategoryCell};
use crate::i18n::use_i18n;
use crate::routes::{FleetFilter, FleetTab};

/// The ten categories and the eleventh item.
#[component]
pub(super) fn FleetCategories(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let sources = fleet.rows(|page| &page.sources, |source| &source.name);
    let sums = Memo::new(move |_| sources.with(|sources| FleetSource::category_sums(sources)));
    // What was not read is not counted as nothing.
    let unread = Memo::new(move |_| sources.with(|sources| sources.iter().all(|source| source.starting)));
    let host = Memo::new(move |_| fleet.filter.with(|filter| filter.host.clone()));
    let href = move |category| {
        FleetFilter { host: host.get(), category, ..FleetFilter::default() }.address(&FleetTab::Sessions.path())
    };
    let cell = move |count: CategoryCount| {
        let href = href(Some(count.key));
        view! {
            <li>
                <CategoryCell count=count href=href unread=unread.get() />
            </li>
        }
    };
    view! {
        <section class="fleet__section" aria-labelledby="categories">
            <h2 id="categories" class="visually-hidden">
                {move || words.get().home.categories}
            </h2>
            <ul class="category-band">
                {move || sums.get().0.into_iter().map(cell).collect_view()}
                <li class="category-band__all">
                    {move || view! {
                        <AllCell totals=sums.get().1 href=href(None) unread=unread.get() />
                    }}
                </li>
            </ul>
        </section>
    }
}
