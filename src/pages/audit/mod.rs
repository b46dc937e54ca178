//! Audit page: category changes of all sessions, with user, time, old and new category, and reason. The filters are in
//! the URL. The filtered list can be exported in full.

mod export;
mod row;
mod tools;

use coordination::api::{ChangesPage, ChangesQuery, ErrorCode};
use leptos::prelude::*;
use row::AuditRow;
use tools::AuditFilterBar;

use super::failure::Failure;
use super::unknown_filter::UnknownFilter;
use crate::i18n::{time, use_i18n};
use crate::queries::{Fetch, FetchOptions, Pages, use_fetch, use_page_title, use_pages, use_pairs};
use crate::routes::{ChangesFilter, Day, DriftView, OverrideSide, paths};
use crate::source::{DataSource, SourceError};
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;
use crate::ui::{Icon, Tone, band::Band};

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct AuditState {
    filter: Memo<ChangesFilter>,
    fetch: Fetch<ChangesPage>,
    pages: Pages,
}

/// The query of a filter: days are in the user's time zone.
fn to_query(filter: &ChangesFilter) -> ChangesQuery {
    ChangesQuery {
        who: filter.who.clone(),
        session: filter.q.clone(),
        from: filter.from.map(|OverrideSide(seen)| seen),
        to: filter.to.map(|OverrideSide(seen)| seen),
        since: filter.since.as_ref().and_then(|day| time::day_begins(day.as_str())),
        until: filter.until.as_ref().and_then(|day: &Day| time::day_ends(day.as_str())),
        ..ChangesQuery::default()
    }
}

/// The first pages of the list as one answer.
async fn first_pages(source: DataSource, query: ChangesQuery, pages: u32) -> Result<ChangesPage, SourceError> {
    let mut answer = source.category_changes(&query).await?;
    for _ in 1..pages {
        let Some(cursor) = answer.next.take() else { break };
        let page = source.category_changes(&ChangesQuery { cursor: Some(cursor), ..query.clone() }).await?;
        answer.changes.extend(page.changes);
        answer.next = page.next;
    }
    Ok(answer)
}

/// The page of `/audit`.
#[component]
pub fn AuditPage() -> impl IntoView {
    let words = use_i18n();
    let pairs = use_pairs();
    let filter = Memo::new(move |_| pairs.with(|pairs| ChangesFilter::from_pairs(pairs)));
    let pages = use_pages(move || filter.track());
    let options =
        FetchOptions::refetch_when(|change, _: &(ChangesQuery, u32)| change.everything || !change.sessions.is_empty());
    let fetch = use_fetch(
        move || (to_query(&filter.get()), pages.get()),
        options,
        |source, (query, pages)| async move { first_pages(source, query, pages).await },
    );
    let state = AuditState { filter, fetch, pages };
    use_page_title(move || words.get().record().title.to_owned());
    let known = Memo::new(move |_| fetch.data.with(Option::is_some));
    let total = Memo::new(move |_| fetch.data.with(|page| page.as_ref().map(|page| page.total)));
    let bad = Memo::new(move |_| fetch.data.with(|page| page.as_ref().map_or(0, |page| page.bad_lines)));
    view! {
        <main id="main" class="audit" tabindex="-1">
            <header class="list-head has-more">
                <div>
                    <h1>{move || words.get().record().title}</h1>
                    <p role="status">
                        {move || words.get().record().subtitle}
                        {move || total.get().map(|n| format!(" · {}", (words.get().record().count)(n)))}
                    </p>
                </div>
                <p class="page-head__more">
                    <a class="link" href=paths::drift(DriftView::default())>
                        {Icon::Chart}
                        {move || words.get().drift().open}
                    </a>
                </p>
            </header>
            <AuditFilterBar state=state />
            <UnknownFilter
                unknown=Signal::derive(move || ChangesFilter::unknown(&pairs.get()))
                without=Signal::derive(move || paths::changes(&filter.get()))
            />
            {move || {
                let text = Signal::derive(move || (words.get().record().bad_lines)(bad.get()));
                (bad.get() > 0).then(|| view! { <Band tone=Tone::Warning icon=Icon::Warn text=text /> })
            }}
            {move || match (known.get(), fetch.failure.get()) {
                (true, _) => view! { <AuditList state=state /> }.into_any(),
                (false, Some(error)) => view! { <Unread error=error state=state /> }.into_any(),
                (false, None) => {
                    let label = Signal::derive(move || words.get().common.loading.to_owned());
                    view! { <Skeleton rows=8 label=label /> }.into_any()
                }
            }}
        </main>
    }
}

/// Reason why the record is not shown: an older monitor, an unreadable record, or a failed request.
#[component]
fn Unread(error: SourceError, state: AuditState) -> impl IntoView {
    let words = use_i18n();
    let unreadable = matches!(&error, SourceError::Api { body, .. } if body.code == ErrorCode::SourceUnavailable);
    let say = move |some: fn(&crate::i18n::messages::RecordMessages) -> &'static str| {
        Signal::derive(move || some(words.get().record()).to_owned())
    };
    match error {
        SourceError::Unsupported => view! {
            <EmptyState icon=Icon::File title=say(|words| words.unsupported) text=say(|words| words.unsupported_why) />
        }
        .into_any(),
        _ if unreadable => view! {
            <EmptyState
                icon=Icon::Warn
                title=say(|words| words.unreadable)
                text=say(|words| words.unreadable_why)
                failed=true
            >
                <button type="button" class="button" on:click=move |_| state.fetch.refetch()>
                    {Icon::Retry}
                    {move || words.get().common.retry}
                </button>
            </EmptyState>
        }
        .into_any(),
        error => view! { <Failure error=error on_retry=Callback::new(move |()| state.fetch.refetch()) /> }.into_any(),
    }
}

/// Category changes with a button for more. Without changes, an empty state says why.
#[component]
fn AuditList(state: AuditState) -> impl IntoView {
    let words = use_i18n();
    let rows = Memo::new(move |_| {
        state.fetch.data.with(|page| page.as_ref().map(|page| page.changes.clone()).unwrap_or_default())
    });
    let part = Memo::new(move |_| {
        state.fetch.data.with(|page| {
            let page = page.as_ref().filter(|page| page.next.is_some())?;
            Some((page.changes.len(), page.total as usize))
        })
    });
    let empty = move || {
        let filtered = !state.filter.with(ChangesFilter::is_empty);
        let text = move |some: fn(&crate::i18n::messages::RecordMessages) -> (&'static str, &'static str),
                         first: bool| {
            Signal::derive(move || {
                let (title, why) = some(words.get().record());
                if first { title } else { why }.to_owned()
            })
        };
        let texts: fn(&crate::i18n::messages::RecordMessages) -> (&'static str, &'static str) =
            if filtered { |words| words.none_match } else { |words| words.empty };
        view! {
            <EmptyState icon=Icon::Pen title=text(texts, true) text=text(texts, false)>
                {filtered
                    .then(|| {
                        view! {
                            <a class="button" href=paths::changes(&ChangesFilter::default())>
                                {move || words.get().common.clear_filters}
                            </a>
                        }
                    })}
            </EmptyState>
        }
    };
    view! {
        {move || rows.with(Vec::is_empty).then(empty)}
        <ol class="changes" aria-label=move || words.get().record().title hidden=move || rows.with(Vec::is_empty)>
            <For each=move || rows.get() key=|row| (row.number, row.session.known) let:row>
                <AuditRow row=row />
            </For>
        </ol>
        {move || {
            part.get().map(|(here, total)| view! {
                <p class="task-more" role="status">
                    {move || (words.get().record().here_of)(here, total)} " "
                    <button type="button" class="link" on:click=move |_| state.pages.more(here, state.fetch)>
                        {move || words.get().common.more}
                    </button>
                </p>
            })
        }}
    }
}
