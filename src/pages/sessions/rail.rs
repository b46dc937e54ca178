//! Category rail of the session list: the ten categories and all sessions. Its links keep the filters.

use std::sync::Arc;

use coordination::api::SessionsPage as Answer;
use coordination::category::Category;
use leptos::prelude::*;

use super::Subject;
use crate::components::category::{CategoryTile, TileSize};
use crate::i18n::{time, use_i18n};
use crate::queries::use_unread_sessions;
use crate::routes::{Grouping, SessionsFilter, paths};
use crate::state::use_hub;
use crate::ui::Icon;

/// Links to the ten categories and to all sessions. With filters, the counts are those of the filtered list.
#[component]
pub(super) fn CategoryRail(subject: Memo<Subject>, answer: RwSignal<Option<Arc<Answer>>>) -> impl IntoView {
    let words = use_i18n();
    let home = use_hub().home;
    let filtered = Memo::new(move |_| subject.with(|(_, filter)| !filter.is_empty()));
    let unread = use_unread_sessions();
    let count = move |category: Option<Category>| -> Option<u32> {
        if subject.with(|(_, filter)| filter.unread) {
            let only = subject.with(|(_, filter)| SessionsFilter { unread: false, ..filter.clone() }.is_empty());
            return only.then(|| unread.get()).filter(|unread| !unread.more).map(|unread| unread.count_of(category));
        }
        if filtered.get() {
            return answer.with(|answer| {
                let counts = &answer.as_ref()?.category_counts;
                Some(match category {
                    Some(category) => counts.iter().find(|(key, _)| *key == category)?.1,
                    None => counts.iter().map(|(_, n)| n).sum(),
                })
            });
        }
        home.with(|home| {
            let home = home.as_ref()?;
            Some(match category {
                Some(category) => home.categories.iter().find(|count| count.key == category)?.totals.total,
                None => home.all.total,
            })
        })
    };
    // A count that is not known yet is a dash, never a zero.
    let number =
        move |category| count(category).map_or_else(|| "–".to_owned(), |n| time::count(words.locale(), u64::from(n)));
    let href = move |category: Option<Category>| {
        let filter = subject.with(|(_, filter)| match category {
            Some(_) => SessionsFilter { group: Grouping::Latest, ..filter.clone() },
            None => filter.clone(),
        });
        paths::sessions(category, &filter)
    };
    let current = move |category: Option<Category>| subject.with(|(now, _)| *now == category).then_some("page");
    view! {
        <nav class="rail" aria-label=move || words.get().sessions().categories>
            <div class="rail__title" aria-hidden="true">
                {move || words.get().sessions().categories}
            </div>
            {Category::ALL
                .into_iter()
                .map(|category| {
                    view! {
                        <a href=move || href(Some(category)) aria-current=move || current(Some(category))>
                            <CategoryTile category=category size=TileSize::Small />
                            <span>{move || (words.get().common.category)(category)}</span>
                            <span class="rail__count">{move || number(Some(category))}</span>
                        </a>
                    }
                })
                .collect_view()}
            <hr />
            <a href=move || href(None) aria-current=move || current(None)>
                <span class="tile is-all is-small" aria-hidden="true">
                    {Icon::Grid}
                </span>
                <span>{move || words.get().common.everything}</span>
                <span class="rail__count">{move || number(None)}</span>
            </a>
        </nav>
    }
}
