//! Detail panel of a delegated run: request, result and links.

use crate::components::hidden::Name;
use coordination::api::DelegationRow;
use leptos::prelude::*;

use super::TreeContext;
use super::row::{RunTime, delegation_state_style};
use crate::components::agent::AgentLink;
use crate::components::markdown::FoldedMarkdown;
use crate::components::origin::{TranscriptMark, is_from_transcript};
use crate::components::thread::AsWritten;
use crate::i18n::use_i18n;
use crate::routes::{EventsFilter, TreeView, paths};
use crate::ui::Icon;
use crate::ui::badge::{Badge, StatusStyle};

/// Details of the selected run; nothing without a selection.
#[component]
pub(super) fn RunDetail(tree: TreeContext) -> impl IntoView {
    let row = Memo::new(move |_| {
        let run = tree.view.with(|view| view.run.clone())?;
        tree.answer.with(|answer| answer.rows.iter().find(|row| row.id == run).cloned())
    });
    move || row.get().map(|row| view! { <RunDetailSection row=row tree=tree /> })
}

/// State, agents, time, request, result, error and links of one run.
#[component]
fn RunDetailSection(row: DelegationRow, tree: TreeContext) -> impl IntoView {
    let words = use_i18n();
    let state = row.state;
    let StatusStyle { tone, icon } = delegation_state_style(state);
    let word = Signal::derive(move || (words.get().events().state)(state).to_owned());
    let id = row.id.clone();
    let close = move |_| tree.on_view.run(TreeView { run: None, ..tree.view.get_untracked() });
    let of_all = tree.answer.with_untracked(|answer| answer.session_id.is_none());
    let session = paths::events(&EventsFilter {
        tree: TreeView { run: Some(row.id.clone()), ..TreeView::default() },
        ..EventsFilter::of_session(&row.session_id)
    });
    let flow = paths::flow_at(&row.session_id, &row.id);
    let text_section = move |heading: fn(&crate::i18n::messages::EventsMessages) -> &'static str,
                             text: Option<String>| {
        text.filter(|text| !text.trim().is_empty()).map(|text| {
            view! {
                <h4>{move || heading(words.get().events())}</h4>
                <FoldedMarkdown text=text />
            }
        })
    };
    view! {
        <section class="run-detail" aria-label=move || words.get().events().run_detail>
            <header>
                <Badge tone=tone icon=icon text=word />
                <h3>
                    {row.from.clone().map(|from| view! { <AgentLink id=from /> " → " })}
                    <AgentLink id=row.to.clone() />
                    {row.label.clone().map(|label| view! { " " <span class="run__label"><Name text=label /></span> })}
                </h3>
                {is_from_transcript(row.origin).then(|| view! { <TranscriptMark /> })}
                <RunTime row=row.clone() />
                <button type="button" class="icon-button" aria-label=move || words.get().common.close on:click=close>
                    {Icon::Close}
                </button>
            </header>
            {text_section(|words| words.request, Some(row.text))}
            {text_section(|words| words.result, row.result)}
            <AsWritten detail=row.error />
            <p class="run-detail__links">
                <button type="button" class="link" on:click=move |_| tree.on_raw.run(id.clone())>
                    {move || (words.get().events().events_of_run)(row.events as usize)}
                </button>
                <a class="link" href=flow>
                    {move || words.get().thread().see_in_flow}
                </a>
                {of_all
                    .then(|| {
                        view! {
                            <a class="link" href=session>
                                {move || words.get().events().in_session}
                            </a>
                        }
                    })}
            </p>
        </section>
    }
}
