//! Band of opened files: what is shown, how far it is read, what each file is, and the way back to the monitor.

use coordination::api::PastMoment;
use coordination::evidence::EvidenceHeader;
use coordination::time::to_iso;
use leptos::prelude::*;
use local_monitor::{FileContentKind, FileReport};

use crate::components::masked_lines::MaskedLines;
use crate::i18n::messages::FilesMessages;
use crate::i18n::{Locale, time, use_i18n};
use crate::queries::use_go;
use crate::source::{self, FilesState};
use crate::state::{FilesChoice, use_files, use_hub};
use crate::ui::dialog::Dialog;
use crate::ui::{Icon, Tone};

/// Files that the list names, at most: a home has thousands of task files, which are counted together.
const MAX_LISTED: usize = 200;

/// The band.
#[component]
pub(super) fn FilesBand() -> impl IntoView {
    let words = use_i18n();
    let (files, hub, go) = (use_files(), use_hub(), use_go());
    let details = RwSignal::new(false);
    let text = move || {
        let words = words.get().files();
        match (files.failure.get(), files.name.get()) {
            (Some(failure), _) => (words.failed)(failure).to_owned(),
            (None, name) => (words.shown)(&coordination::text::hidden::marked(&name.unwrap_or_default())),
        }
    };
    let percent = Memo::new(move |_| files.state.with(|state| state.as_ref().map_or(0, percent_of)));
    let is_reading = Memo::new(move |_| {
        files.failure.with(Option::is_none)
            && files.state.with(|state| state.as_ref().is_none_or(|state| !state.progress.done))
    });
    let facts = move || {
        let (locale, words, unread) = (words.locale(), words.get().files(), files.unread.with(Vec::len));
        files
            .state
            .with(|state| state.as_ref().map(|state| fact_line(state, unread, locale, words)))
            .unwrap_or_default()
    };
    // The newest event of a record of the past: as of now, everything in it is long quiet.
    let newest = Memo::new(move |_| {
        let is_done = !is_reading.get() && hub.moment.with(Option::is_none);
        hub.present.with(|home| home.as_ref().filter(|_| is_done).and_then(|home| home.source.newest_event))
    });
    let look_back = move || {
        newest.get().map(|at| {
            let go = go.clone();
            let look = move |_| go.to_moment(Some(PastMoment { at, known_by: Default::default() }));
            view! {
                <button type="button" class="button is-small" title=to_iso(at) on:click=look>
                    {Icon::Clock}
                    {move || words.get().files().last_moment}
                </button>
            }
        })
    };
    let tone = move || if files.failure.with(Option::is_some) { Tone::Danger } else { Tone::Info };
    view! {
        <section
            class=move || format!("band files is-{}", tone().as_str())
            aria-label=move || words.get().files().title
        >
            {Icon::File}
            <div class="band__text">
                <p role="status">{text}</p>
                <p class="files__facts">{facts}</p>
            </div>
            <Show when=move || is_reading.get()>
                <progress max="100" value=move || percent.get() aria-label=move || words.get().files().reading></progress>
            </Show>
            <div class="band__actions files__actions">
                {look_back}
                <button
                    type="button"
                    class="button is-small"
                    aria-haspopup="dialog"
                    on:click=move |_| details.set(true)
                >
                    {move || words.get().files().details}
                </button>
                <button type="button" class="button is-small" on:click=move |_| files.choose(FilesChoice::Files)>
                    {move || words.get().files().choose_files}
                </button>
                // What the host names would come again.
                <Show when=|| source::named_files().is_empty()>
                    <button type="button" class="button is-small" on:click=move |_| close()>
                        {move || words.get().files().close}
                    </button>
                </Show>
            </div>
        </section>
        <Dialog
            open=details
            on_close=Callback::new(move |()| details.set(false))
            title=Signal::derive(move || words.get().files().details.to_owned())
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            <FileList />
        </Dialog>
    }
}

/// The page as it was before: the files are no longer open, and the monitor is asked again.
fn close() {
    window().location().reload().unwrap_or_default();
}

fn percent_of(state: &FilesState) -> u64 {
    (state.progress.read * 100).checked_div(state.progress.total).unwrap_or(100).min(100)
}

fn fact_line(state: &FilesState, unread: usize, locale: Locale, words: &FilesMessages) -> String {
    let mut facts = Vec::new();
    if !state.progress.done {
        facts.push((words.read)(percent_of(state)));
    }
    facts.push((words.events)(state.events));
    let reports = state.reports.as_deref().unwrap_or_default();
    // What it says of itself is what matters to whom it was handed.
    if let [FileReport { evidence: Some(evidence), .. }] = reports {
        return evidence_line(evidence, locale, words);
    }
    let faults: u64 = reports.iter().map(|report| report.bad_lines).sum();
    if faults > 0 {
        facts.push((words.bad_lines)(faults));
    }
    if unread > 0 {
        facts.push((words.unread_files)(unread));
    }
    facts.push((words.memory)(&size(state.memory as u64, locale)));
    facts.join(" · ")
}

/// What an evidence file holds, who made it when, and their note.
fn evidence_line(evidence: &EvidenceHeader, locale: Locale, words: &FilesMessages) -> String {
    let mut facts = (words.evidence)(evidence, &time::exact(locale, evidence.made_at));
    facts.extend(words.period_of(&evidence.scope, locale));
    facts.extend(Some(evidence.notes.len()).filter(|notes| *notes > 0).map(words.evidence_notes));
    facts.extend(evidence.note.iter().map(|note| format!("“{note}”")));
    coordination::text::hidden::marked(&facts.join(" · ")).into_owned()
}

/// Bytes in the unit that reads well.
fn size(bytes: u64, locale: Locale) -> String {
    let (unit, per) = if bytes < 10 << 20 { ("KB", 1 << 10) } else { ("MB", 1 << 20) };
    format!("{} {unit}", time::count(locale, bytes.div_ceil(per)))
}

/// What each file is and what became of it.
#[component]
fn FileList() -> impl IntoView {
    let words = use_i18n();
    let files = use_files();
    // Files that are not read at all are of interest only when they were chosen one by one.
    let listed = Memo::new(move |_| {
        let of_interest = |report: &&FileReport| {
            report.error.is_some()
                || !matches!(report.kind, FileContentKind::Home | FileContentKind::Sessions | FileContentKind::Unknown)
        };
        files.state.with(|state| {
            let reports = state.as_ref().and_then(|state| state.reports.as_deref()).unwrap_or_default();
            let (mut some, mut rest): (Vec<&FileReport>, Vec<_>) = reports.iter().partition(of_interest);
            if some.is_empty() {
                std::mem::swap(&mut some, &mut rest);
            }
            let more = rest.len() + some.len().saturating_sub(MAX_LISTED);
            (some.into_iter().take(MAX_LISTED).cloned().collect::<Vec<_>>(), more)
        })
    });
    view! {
        <p class="is-dim">{move || words.get().files().private}</p>
        <ul class="files__list">
            {move || {
                listed.get().0.into_iter().map(|report| view! { <FileLine report=report /> }).collect_view()
            }}
            {move || files.unread.get().into_iter().take(MAX_LISTED).map(unread_line).collect_view()}
        </ul>
        {move || {
            let more = listed.with(|(_, more)| *more);
            (more > 0).then(|| view! { <p class="is-dim">{move || (words.get().files().more)(more)}</p> })
        }}
    }
}

/// A file or folder that the browser could not open.
fn unread_line(path: String) -> impl IntoView {
    let words = use_i18n();
    let path = coordination::text::hidden::marked(&path).into_owned();
    view! {
        <li class="is-bad">
            <span class="files__path">{path}</span>
            <span class="files__error">{move || words.get().files().unread}</span>
        </li>
    }
}

#[component]
fn FileLine(report: FileReport) -> impl IntoView {
    let words = use_i18n();
    let path = coordination::text::hidden::marked(&report.path).into_owned();
    let of_all = report.evidence.as_ref().map_or(0, |header| header.masked as usize);
    let more_masked = of_all.saturating_sub(report.masked.len());
    let facts = move || {
        let (locale, files) = (words.locale(), words.get().files());
        let mut facts = vec![(files.kind)(report.kind).to_owned(), size(report.bytes, locale)];
        if report.events > 0 {
            facts.push((files.events)(report.events));
        }
        if report.bad_lines > 0 {
            facts.push((files.bad_lines)(report.bad_lines));
        }
        if report.torn_bytes > 0 {
            facts.push((files.torn)(report.torn_bytes));
        }
        if let Some(evidence) = &report.evidence {
            facts.push(evidence_line(evidence, locale, files));
        }
        facts.join(" · ")
    };
    let (error, kind, masked) = (report.error.clone(), report.kind, report.masked.clone());
    let (transcript, events) = (report.transcript.clone(), report.events);
    let is_bad = error.is_some();
    view! {
        <li class:is-bad=is_bad>
            <span class="files__path">{path}</span>
            <span class="is-dim">{facts}</span>
            {move || {
                let files = words.get().files();
                let hint = match &transcript {
                    Some(used) => (files.transcript)(used, events),
                    None => (files.not_read)(kind).to_owned(),
                };
                let hint = coordination::text::hidden::marked(&hint).into_owned();
                (!hint.is_empty()).then(|| view! { <span class="is-dim">{hint}</span> })
            }}
            {(!masked.is_empty()).then(|| view! { <MaskedLines lines=masked more=more_masked /> })}
            {error
                .map(|error| {
                    let shown = move || (words.get().common.cause)(&error).unwrap_or(&error).to_owned();
                    view! { <span class="files__error">{shown}</span> }
                })}
        </li>
    }
}
