//! Folded list of archived transcripts, below the list of stored OpenClaw sessions. It contains those that match the
//! agent and text of that list's filter. A button shows how many they are and unfolds them.

use coordination::api::{ArchiveQuery, ArchiveRow};
use leptos::html;
use leptos::prelude::*;

use super::StoresState;
use crate::components::archived::{ArchiveLine, archive_name};
use crate::components::people::use_people;
use crate::i18n::{time, use_i18n};
use crate::queries::{Fetch, FetchOptions, poll_while_visible, refetch_after_changes, use_edit, use_fetch};
use crate::routes::{StoresFilter, paths};
use crate::source::SourceError;
use crate::ui::Icon;
use crate::ui::roving::{Start, use_roving};

/// Rows to request: of a folded list only the number is needed.
const ARCHIVE_ROW_LIMITS: [u32; 2] = [1, 500];

/// The query of a filter: its kinds and times apply to sessions in use only.
fn to_query(filter: &StoresFilter) -> ArchiveQuery {
    ArchiveQuery {
        agent: filter.agent.clone(),
        search: filter.q.clone(),
        limit: Some(ARCHIVE_ROW_LIMITS[usize::from(filter.records)]),
        ..ArchiveQuery::default()
    }
}

/// Button that unfolds the archived transcripts, and their list. Hidden without any, unless the list is open or failed
/// to load.
#[component]
pub(super) fn ArchivedTranscripts(state: StoresState) -> impl IntoView {
    let words = use_i18n();
    let filter = state.filter;
    let options = FetchOptions::ignore_live_changes();
    let fetch = use_fetch(
        move || filter.with(to_query),
        options,
        |source, query: ArchiveQuery| async move { source.archives(&query).await },
    );
    poll_while_visible(fetch);
    refetch_after_changes(fetch);
    let total = Memo::new(move |_| fetch.data.with(|list| list.as_ref().map(|list| list.total_count)));
    let open = Memo::new(move |_| filter.with(|filter| filter.records));
    let change = use_edit(move || filter.get_untracked(), paths::stores);
    let turn = move |_| change.run(Box::new(|filter| filter.records = !filter.records));
    let some = Memo::new(move |_| total.get().is_some_and(|total| total > 0 || open.get()));
    let unread = move || fetch.failure.get().filter(|error| *error != SourceError::Unsupported);
    let text = move || {
        let total = time::count(words.locale(), total.get().unwrap_or_default() as u64);
        (words.get().stores().records)(&total)
    };
    view! {
        <section class="put-away" class:is-hidden=move || !some.get() && unread().is_none()>
            {move || {
                some.get().then(|| view! {
                    <h2>
                        <button type="button" class="put-away__fold" aria-expanded=move || open.get().to_string() on:click=turn>
                            {Icon::Archive}
                            {text}
                        </button>
                    </h2>
                })
            }}
            {move || (some.get() && open.get()).then(|| view! { <ArchivedTranscriptList state=state fetch=fetch /> })}
            {move || {
                unread().map(|_| view! {
                    <p role="alert">
                        {move || words.get().stores().records_unread} " "
                        <button type="button" class="link" on:click=move |_| fetch.refetch()>
                            {move || words.get().common.retry}
                        </button>
                    </p>
                })
            }}
        </section>
    }
}

/// List of archived transcripts as one Tab stop. A line says how many are shown when it is not all.
#[component]
fn ArchivedTranscriptList(state: StoresState, fetch: Fetch<coordination::api::ArchiveList>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let list = NodeRef::<html::Div>::new();
    use_roving(list, Start::First);
    let rows = Memo::new(move |_| fetch.data.with(|list| list.as_ref().map(|list| list.archives.clone())));
    let counts = Memo::new(move |_| {
        fetch.data.with(|list| list.as_ref().map_or((0, 0), |list| (list.count as u64, list.total_count as u64)))
    });
    // A folded list has requested one row: it does not show all there is.
    let whole = Memo::new(move |_| {
        let (here, all) = counts.get();
        here == all || here > u64::from(ARCHIVE_ROW_LIMITS[0])
    });
    let line = move |row: ArchiveRow| {
        let own = row.clone();
        let called = Signal::derive(move || archive_name(own.key.as_deref(), (&own.agent_id, &own.session_id), people));
        view! { <ArchiveLine row=row called=called at=None /> }
    };
    let key = |row: &ArchiveRow| format!("{} {} {} {:?}", row.agent_id, row.session_id, row.name, row.at);
    let result_text = move || {
        let ((here, all), locale, stores) = (counts.get(), words.locale(), words.get().stores());
        let narrowed = state.filter.with(|filter| filter.q.is_some() || filter.agent.is_some());
        match (whole.get(), all) {
            (true, 0) if narrowed => Some(stores.records_none_match.to_owned()),
            (true, 0) => Some(stores.records_none.to_owned()),
            (true, all) if here < all => Some((stores.here_of)(&time::count(locale, here), &time::count(locale, all))),
            _ => None,
        }
    };
    view! {
        <div class="archive-list" node_ref=list role="region" aria-label=move || words.get().stores().records_list>
            <ul>
                <For each=move || rows.get().filter(|_| whole.get()).unwrap_or_default() key=key children=line />
            </ul>
        </div>
        {move || result_text().map(|result_text| view! { <p class="task-more" role="status">{result_text}</p> })}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_list_requests_count_open_requests_rows() {
        let filter =
            StoresFilter { q: Some("reset".to_owned()), agent: Some("eden".into()), ..StoresFilter::default() };
        let folded = to_query(&filter);
        assert_eq!((folded.limit, folded.search.as_deref()), (Some(1), Some("reset")));
        let open = to_query(&StoresFilter { records: true, ..filter });
        assert_eq!((open.limit, open.agent), (Some(500), Some("eden".into())));
    }
}
