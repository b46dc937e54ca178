//! Page of an archived transcript: facts, time and reason of archiving, and messages. Read-only.

use coordination::api::{ArchiveQuery, ArchiveRow};
use coordination::ids::AgentId;
use leptos::prelude::*;

use super::head::KeyLink;
use super::state::{HistorySource, use_store};
use super::{Crumb, StoreTranscript};
use crate::components::agent::AgentLink;
use crate::components::archived::{ArchiveMark, archive_name};
use crate::components::hidden::Name;
use crate::components::people::use_people;
use crate::components::time_ago::TimeAgo;
use crate::i18n::use_i18n;
use crate::queries::{FetchOptions, poll_while_visible, use_fetch, use_page_title, use_pairs, use_segment};
use crate::routes::StoreView;
use crate::ui::band::Band;
use crate::ui::{Icon, Tone};

/// Agent and session.
type ArchiveKey = (AgentId, String);

/// The page of `/sessions/archive/:agent/:session`.
#[component]
pub fn ArchivePage() -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let (agent, session) = (use_segment("agent"), use_segment("session"));
    let own: Memo<ArchiveKey> = Memo::new(move |_| (AgentId::from(agent.get()), session.get()));
    let pairs = use_pairs();
    let view = Memo::new(move |_| pairs.with(|pairs| StoreView::from_pairs(pairs)));
    let whose = Memo::new(move |_| {
        let (agent, session) = own.get();
        HistorySource::Archive(agent, session)
    });
    let state = use_store(whose, view);
    let key = Memo::new(move |_| {
        state
            .newest
            .data
            .with(|answer| answer.as_ref().map(|answer| answer.1.key.clone()).filter(|key| !key.is_empty()))
    });
    let title =
        Memo::new(move |_| own.with(|(agent, session)| archive_name(key.get().as_deref(), (agent, session), people)));
    use_page_title(move || title.get());
    view! {
        <main id="main" class="store-page" tabindex="-1">
            <Crumb />
            <header class="store-head">
                <h1>{move || view! { <Name text=title.get() /> }}</h1>
                <p class="store-head__marks">
                    {move || view! { <AgentLink id=own.get().0 /> }}
                    <ArchivedAt own=own />
                </p>
                <ArchiveFacts own=own key=key />
            </header>
            <Band
                tone=Tone::Info
                icon=Icon::Archive
                text=Signal::derive(move || words.get().stores().archive_note.to_owned())
            />
            <StoreTranscript state=state />
        </main>
    }
}

/// Reason and time of archiving, once for each archive; nothing while the list is missing.
#[component]
fn ArchivedAt(own: Memo<ArchiveKey>) -> impl IntoView {
    let words = use_i18n();
    let options = FetchOptions::ignore_live_changes().clear_on_key_change();
    let fetch = use_fetch(
        move || own.get(),
        options,
        |source, (agent, session): ArchiveKey| async move {
            let query = ArchiveQuery { agent: Some(agent), session: Some(session), ..ArchiveQuery::default() };
            source.archives(&query).await
        },
    );
    poll_while_visible(fetch);
    let rows = Memo::new(move |_| fetch.data.with(|list| list.as_ref().map(|list| list.archives.clone())));
    let mark = |row: ArchiveRow| {
        view! {
            <span class="archive-kept">
                <ArchiveMark reason=row.reason cause=row.cause />
                {row.at.map(|at| view! { <TimeAgo at=at /> })}
            </span>
        }
    };
    move || match rows.get() {
        // Why it is here may be unknown while the list cannot be had.
        None => ().into_any(),
        Some(rows) if rows.is_empty() => {
            view! { <span class="inferred">{move || words.get().stores().unlisted}</span> }.into_any()
        }
        Some(rows) => rows.into_iter().map(mark).collect_view().into_any(),
    }
}

/// Id of the archived session, and a link to the current session with its key.
#[component]
fn ArchiveFacts(own: Memo<ArchiveKey>, key: Memo<Option<String>>) -> impl IntoView {
    let words = use_i18n();
    view! {
        <dl class="store-facts">
            <div>
                <dt>{move || words.get().stores().session_id}</dt>
                <dd>
                    <code class="file-path">{move || view! { <Name text=own.get().1 /> }}</code>
                </dd>
            </div>
            {move || {
                key.get().map(|key| view! {
                    <div>
                        <dt>{move || words.get().stores().current_session}</dt>
                        <dd>
                            <KeyLink key=key />
                        </dd>
                    </div>
                })
            }}
        </dl>
    }
}
