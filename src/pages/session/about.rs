//! Details of the open session and thread: delivery, related threads, category and tasks. The details are next to the
//! thread, or on a phone in a dialog.

use std::sync::Arc;

use coordination::api::{EvidenceQuery, SessionDetail};
use leptos::prelude::*;

use super::SessionState;
use super::category::CategoryTools;
use super::compare::CompareSection;
use super::notes::NotesPanel;
use super::thread_state::ThreadState;
use crate::components::session::{CategoryPanel, DeliverySummary, LinkedTasks, RelatedThreads};
use crate::i18n::use_i18n;
use crate::pages::save_evidence::{SaveEvidence, use_evidence_offer};
use crate::ui::dialog::Dialog;

/// Details of a session: category and tasks, and for an open thread its delivery and related threads.
#[component]
pub(super) fn SessionAbout(
    state: SessionState,
    #[prop(into)] detail: Signal<Arc<SessionDetail>>,
    tools: CategoryTools,
    #[prop(optional_no_strip)] thread: Option<ThreadState>,
) -> impl IntoView {
    let is_known = Memo::new(move |_| thread.is_some_and(|thread| thread.summary.with(Option::is_some)));
    let delivery = move || {
        let thread = thread.filter(|_| is_known.get())?;
        let exchanges = Signal::derive(move || thread.loaded.with(|(_, loaded)| loaded.exchanges.clone()));
        Some(view! {
            <DeliverySummary thread=thread.summary exchanges=exchanges />
            <RelatedThreads detail=detail thread=thread.summary />
        })
    };
    view! {
        {delivery}
        <CategoryPanel
            detail=detail
            pending=state.pending
            history=tools.history
            on_change=tools.on_change
            shown=state.evidence_shown
            // What is marked lies under the dialog of a phone.
            on_show=Callback::new(move |()| state.about.set(false))
        />
        <NotesPanel tools=state.notes thread=state.thread />
        <LinkedTasks detail=detail />
        <CompareSection state=state />
        <EvidenceSection detail=detail thread=thread />
    }
}

/// Section that saves the session, or the open thread, as an evidence file.
#[component]
fn EvidenceSection(
    detail: Signal<Arc<SessionDetail>>,
    #[prop(optional_no_strip)] thread: Option<ThreadState>,
) -> impl IntoView {
    let words = use_i18n();
    let is_offered = use_evidence_offer();
    let scope = Signal::derive(move || EvidenceQuery {
        session: detail.with(|detail| Some(detail.session.work_session_id.clone())),
        ..EvidenceQuery::default()
    });
    let thread = Signal::derive(move || {
        thread.and_then(|thread| thread.summary.with(|summary| summary.as_ref().map(|it| it.thread_id.clone())))
    });
    view! {
        <Show when=move || is_offered.get()>
            <section>
                <h2>{move || words.get().files().evidence_title}</h2>
                <p class="is-dim evidence-title">{move || words.get().files().evidence_text}</p>
                <SaveEvidence scope=scope thread=thread />
            </section>
        </Show>
    }
}

/// The details in a dialog, for a page without room next to the thread.
#[component]
pub(super) fn AboutDialog(
    state: SessionState,
    #[prop(into)] detail: Signal<Arc<SessionDetail>>,
    tools: CategoryTools,
    thread: ThreadState,
) -> impl IntoView {
    let words = use_i18n();
    view! {
        <Dialog
            open=state.about
            on_close=Callback::new(move |()| state.about.set(false))
            title=Signal::derive(move || words.get().thread().about_session.to_owned())
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            <div class="context-sheet">
                <SessionAbout state=state detail=detail tools=tools thread=Some(thread) />
            </div>
        </Dialog>
    }
}
