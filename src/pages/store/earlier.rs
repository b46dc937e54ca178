//! List of a stored session's earlier transcripts: those with the same session key but another session id. It is
//! folded, and hidden when it is empty.

use std::collections::HashSet;

use coordination::api::{ArchiveQuery, ArchiveRow};
use leptos::prelude::*;

use super::head::StoreRowMemo;
use super::state::StorePageState;
use crate::components::archived::{ArchiveLine, short_id};
use crate::i18n::use_i18n;
use crate::queries::{FetchOptions, poll_while_visible, refetch_after_changes, use_fetch};
use crate::routes::{StoresFilter, paths};

/// Maximum number of named sessions; the full list has the others.
const MAX_EARLIER: usize = 30;

/// Those of `rows` that are of another session than this one, each session once, by its newest archive.
fn earlier(rows: &[ArchiveRow], own: Option<&str>) -> Vec<ArchiveRow> {
    let mut seen = HashSet::new();
    let other = |row: &&ArchiveRow| Some(row.session_id.as_str()) != own && seen.insert(row.session_id.clone());
    rows.iter().filter(other).cloned().collect()
}

/// The list, folded; unfolded while the line of a link is not found. Hidden when it is empty.
#[component]
pub(super) fn Earlier(state: StorePageState, key: Memo<String>, row: StoreRowMemo) -> impl IntoView {
    let words = use_i18n();
    let options = FetchOptions::ignore_live_changes().clear_on_key_change();
    let fetch = use_fetch(
        move || key.get(),
        options,
        |source, key: String| async move {
            source.archives(&ArchiveQuery { key: Some(key), ..ArchiveQuery::default() }).await
        },
    );
    poll_while_visible(fetch);
    refetch_after_changes(fetch);
    let own = Memo::new(move |_| row.with(|row| row.as_ref().and_then(|row| row.session_id.clone())));
    let rows = Memo::new(move |_| {
        fetch.data.with(|list| list.as_ref().map(|list| earlier(&list.archives, own.get().as_deref())))
    });
    let count = Memo::new(move |_| rows.with(|rows| rows.as_ref().map_or(0, Vec::len)));
    let sought = Memo::new(move |_| state.view.with(|view| view.at.clone()).filter(|_| state.is_lost()));
    let line = move |row: ArchiveRow| {
        let called = short_id(&row.session_id);
        view! { <ArchiveLine row=row called=called at=sought /> }
    };
    let all = move || paths::stores(&StoresFilter { q: Some(key.get()), records: true, ..StoresFilter::default() });
    move || {
        (count.get() > 0).then(|| {
            let lines = move || rows.get().unwrap_or_default().into_iter().take(MAX_EARLIER).map(line).collect_view();
            view! {
                <details class="store-earlier" open=move || sought.with(Option::is_some)>
                    <summary>{move || (words.get().stores().earlier)(count.get())}</summary>
                    <ul>{lines}</ul>
                    {move || {
                        (count.get() > MAX_EARLIER).then(|| view! {
                            <p>
                                <a class="link" href=all>
                                    {move || words.get().stores().all_records}
                                </a>
                            </p>
                        })
                    }}
                </details>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::store::ArchiveReason;

    #[test]
    fn earlier_sessions_list_latest_archive_once() {
        let row = |session: &str, reason| ArchiveRow {
            agent_id: "eden".into(),
            session_id: session.to_owned(),
            key: None,
            reason,
            cause: None,
            at: None,
            name: String::new(),
        };
        let (own, reset) = (row("now", ArchiveReason::Imported), row("a", ArchiveReason::Reset));
        let all = [own.clone(), reset.clone(), row("b", ArchiveReason::Earlier), row("a", ArchiveReason::Cold)];
        assert_eq!(earlier(&all, Some("now")), [reset, row("b", ArchiveReason::Earlier)]);
        assert_eq!(earlier(&all, None)[0], own, "nobody knows which is in use");
    }
}
