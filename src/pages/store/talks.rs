//! List of the work sessions that contain messages of a stored OpenClaw session. At most 12 are linked; the others are
//! counted.

use coordination::api::{SessionCard, SessionsQuery};
use leptos::prelude::*;

use crate::components::session::session_title;
use crate::components::time_ago::TimeAgo;
use crate::i18n::use_i18n;
use crate::queries::{FetchOptions, use_fetch};
use crate::routes::paths;

/// Maximum number of named conversations; of more only the number is shown.
const MAX_CONVERSATIONS: u32 = 12;

/// Links to the conversations of a stored session; nothing while none is known.
#[component]
pub(super) fn StoreConversations(key: Memo<String>) -> impl IntoView {
    let words = use_i18n();
    let options = FetchOptions::refetch_when(|change, _: &String| change.everything || !change.sessions.is_empty())
        .clear_on_key_change();
    let fetch = use_fetch(
        move || key.get(),
        options,
        |source, key: String| async move {
            let query =
                SessionsQuery { session_key: Some(key), limit: Some(MAX_CONVERSATIONS), ..SessionsQuery::default() };
            source.sessions(&query).await
        },
    );
    let cards = Memo::new(move |_| {
        let link =
            |card: &SessionCard| (card.work_session_id.clone(), card.title.clone(), card.title_source, card.last_time);
        fetch.data.with(|page| page.iter().flat_map(|page| page.sessions.iter().map(link)).collect::<Vec<_>>())
    });
    let rest = Memo::new(move |_| {
        fetch
            .data
            .with(|page| page.as_ref().map_or(0, |page| (page.total as usize).saturating_sub(page.sessions.len())))
    });
    move || {
        (!cards.with(Vec::is_empty)).then(|| {
            let links = cards.get().into_iter().map(|(id, title, source, at)| {
                view! {
                    <li>
                        <a class="link" href=paths::session(&id)>
                            {move || session_title(&title, source, words)}
                        </a>
                        <TimeAgo at=at />
                    </li>
                }
            });
            let more = move || {
                (rest.get() > 0)
                    .then(|| view! { <li class="is-dim">{move || (words.get().sessions().others)(rest.get())}</li> })
            };
            view! {
                <section class="store-talks" aria-labelledby="talks">
                    <h2 id="talks">{move || words.get().stores().talks}</h2>
                    <ul>{links.collect_view()} {more}</ul>
                </section>
            }
        })
    }
}
