//! Saving a session, a thread or found events as an evidence file: the dialog with what is masked, a note and the format,
//! and the download.

mod markdown;

use coordination::api::{ErrorCode, EvidenceFormat, EvidenceQuery};
use coordination::evidence::{EvidenceFile, EvidenceScope, PAGE_FILE, PageParts};
use coordination::ids::{SessionId, ThreadId};
use leptos::prelude::*;
use leptos::task::spawn_local;
use local_monitor::{FileContentKind, MAX_EVIDENCE_BYTES};

use crate::components::masked_lines::{MASK, MaskedLines};
use crate::components::name_field::NameField;
use crate::i18n::messages::{EvidenceExtent, FilesMessages, Messages};
use crate::i18n::use_i18n;
use crate::source::{SourceError, bundle_text};
use crate::state::{use_files, use_hub, use_preferences};
use crate::ui::Icon;
use crate::ui::dialog::Dialog;
use crate::ui::save;
use crate::ui::toast::use_toasts;

/// Masked lines of the preview.
const MAX_SHOWN: usize = 50;

/// What is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SavedForm {
    /// The evidence file, which can be checked.
    Evidence(EvidenceFormat),
    /// A text to read.
    Markdown,
}

/// Whether evidence files can be made: of a monitor or of opened logs, not in the past and over a 1.x monitor.
pub fn use_evidence_offer() -> Memo<bool> {
    let (hub, files) = (use_hub(), use_files());
    let has_logs = move || {
        files.state.with(|state| {
            let reports = state.as_ref().and_then(|state| state.reports.as_deref()).unwrap_or_default();
            reports.iter().any(|report| report.kind == FileContentKind::Log)
        })
    };
    Memo::new(move |_| hub.has_past() && hub.moment.with(Option::is_none) && (!hub.shows_files() || has_logs()))
}

/// Button that opens the dialog.
#[component]
pub fn SaveEvidence(
    /// What the file holds: the scope of the request.
    #[prop(into)]
    scope: Signal<EvidenceQuery>,
    /// The thread that may be chosen instead of the whole session.
    #[prop(optional, into)]
    thread: Signal<Option<ThreadId>>,
) -> impl IntoView {
    let words = use_i18n();
    let open = RwSignal::new(false);
    view! {
        <button type="button" class="button is-small" aria-haspopup="dialog" on:click=move |_| open.set(true)>
            {Icon::File}
            {move || words.get().files().evidence_save}
        </button>
        <Dialog
            open=open
            on_close=Callback::new(move |()| open.set(false))
            title=Signal::derive(move || words.get().files().evidence_save.to_owned())
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            <EvidenceForm scope=scope thread=thread on_saved=Callback::new(move |()| open.set(false)) />
        </Dialog>
    }
}

/// A request for the file.
#[derive(Debug, Clone, PartialEq)]
enum Fetched {
    Pending,
    File(Box<EvidenceFile>),
    Failed(SourceError),
}

/// Why there is no file.
fn sentence(error: &SourceError, words: &Messages) -> String {
    match error {
        SourceError::Api { body, .. } if body.code == ErrorCode::TooLarge => {
            (words.files().evidence_too_large)(MAX_EVIDENCE_BYTES >> 20)
        }
        SourceError::Unsupported => words.files().evidence_no_page.to_owned(),
        _ => error.sentence(words),
    }
}

#[component]
fn EvidenceForm(
    scope: Signal<EvidenceQuery>,
    thread: Signal<Option<ThreadId>>,
    on_saved: Callback<()>,
) -> impl IntoView {
    let words = use_i18n();
    let (hub, toasts, preferences) = (use_hub(), use_toasts(), use_preferences());
    // What is saved is what was previewed, whatever becomes of the page behind the dialog.
    let (scope, thread) = (StoredValue::new(scope.get_untracked()), StoredValue::new(thread.get_untracked()));
    let (mask, note, only_thread) = (RwSignal::new(true), RwSignal::new(String::new()), RwSignal::new(false));
    let notes = RwSignal::new(false);
    let form = RwSignal::new(SavedForm::Evidence(EvidenceFormat::Html));
    let fetched = RwSignal::new(Fetched::Pending);
    let request_count = StoredValue::new(0_u32);
    let query = move || EvidenceQuery {
        thread: thread.get_value().filter(|_| only_thread.get()),
        mask: mask.get(),
        notes: notes.get(),
        by: preferences.author(),
        note: Some(note.get_untracked()).filter(|note| !note.trim().is_empty()),
        ..scope.get_value()
    };
    let fetch = move |query: EvidenceQuery| async move {
        let source = hub.present_source().ok_or(SourceError::Network)?;
        let makes_page = query.format == EvidenceFormat::Html && hub.shows_files();
        let format = if makes_page { EvidenceFormat::Ndjson } else { query.format };
        let text = source.evidence(&EvidenceQuery { format, ..query }).await?;
        let file = EvidenceFile::read(text.as_bytes()).map_err(|_| SourceError::Decode)?;
        let text = if makes_page { page_around(&file).await? } else { text };
        Ok::<_, SourceError>((text, file))
    };
    // The preview follows what is chosen.
    Effect::new(move |_| {
        let query = query();
        request_count.update_value(|request_count| *request_count += 1);
        let number = request_count.get_value();
        fetched.set(Fetched::Pending);
        spawn_local(async move {
            let answer = fetch(query).await;
            if request_count.try_get_value() == Some(number) {
                fetched.set(answer.map_or_else(Fetched::Failed, |(_, file)| Fetched::File(Box::new(file))));
            }
        });
    });
    let saving = RwSignal::new(false);
    let on_save = move |_| {
        saving.set(true);
        let (mut query, form) = (untrack(query), form.get_untracked());
        if let SavedForm::Evidence(format) = form {
            query.format = format;
        }
        spawn_local(async move {
            let answer = fetch(query).await;
            let messages = words.now();
            let saved = answer.map(|(text, file)| download(form, &text, &file, messages));
            saving.try_set(false);
            match saved {
                Ok(Some(())) => {
                    toasts.done(messages.files().evidence_saved);
                    on_saved.run(());
                }
                Ok(None) => toasts.failed(messages.files().evidence_failed),
                Err(error) => toasts.failed(sentence(&error, messages)),
            }
        });
    };
    let forms: Vec<(SavedForm, ChoiceText)> = vec![
        (SavedForm::Evidence(EvidenceFormat::Html), |words| words.evidence_html),
        (SavedForm::Evidence(EvidenceFormat::Ndjson), |words| words.evidence_ndjson),
        (SavedForm::Markdown, |words| words.evidence_markdown),
    ];
    view! {
        <div class="evidence-form">
            <Show when=move || thread.with_value(Option::is_some)>
                <Choice
                    name="evidence-extent"
                    legend=|words| words.evidence_extent
                    chosen=only_thread
                    choices=vec![(false, |words| words.evidence_whole), (true, |words| words.evidence_thread)]
                />
            </Show>
            <Choice name="evidence-format" legend=|words| words.evidence_format chosen=form choices=forms />
            <EvidenceOption on=mask text=|words| words.evidence_mask />
            <EvidenceOption on=notes text=|words| words.evidence_with_notes />
            <label class="field">
                {move || words.get().files().evidence_note}
                <textarea
                    rows="2"
                    maxlength="400"
                    prop:value=note
                    on:input=move |event| note.set(event_target_value(&event))
                ></textarea>
            </label>
            <NameField
                label=Signal::derive(move || words.get().files().evidence_maker.to_owned())
                hint=Signal::derive(move || words.get().files().evidence_maker_hint.to_owned())
            />
            {move || fetched.with(|fetched| view! { <EvidencePreview fetched=fetched.clone() /> })}
            <button
                type="button"
                class="button is-primary"
                disabled=move || saving.get() || !fetched.with(|fetched| matches!(fetched, Fetched::File(_)))
                on:click=on_save
            >
                {move || words.get().files().evidence_save}
            </button>
        </div>
    }
}

/// The page around the lines of opened files, made of the page that the dashboard's own bundle holds.
///
/// # Errors
/// `Unsupported` when the bundle has none.
async fn page_around(file: &EvidenceFile) -> Result<String, SourceError> {
    let answer = bundle_text(PAGE_FILE).await;
    let page = answer.map_err(|error| if error.is_not_found() { SourceError::Unsupported } else { error })?;
    // Some hosts answer with their home page for a file that they lack.
    PageParts::of(&page).map(|parts| file.to_html(&parts)).ok_or(SourceError::Unsupported)
}

/// Downloads what was made; none when the browser refuses.
fn download(form: SavedForm, text: &str, file: &EvidenceFile, messages: &Messages) -> Option<()> {
    let EvidenceScope { session, thread, .. } = &file.header.scope;
    let of = session.as_ref().map_or("events", SessionId::as_str);
    let stem = format!("evidence-{of}{}", if thread.is_some() { "-thread" } else { "" });
    match form {
        SavedForm::Evidence(format) => save::text(text, &format!("{stem}.{}", format.as_str()), format.media_type()),
        SavedForm::Markdown => {
            let text = markdown::written(file, messages.locale, messages.files());
            save::text(&text, &format!("{stem}.md"), "text/markdown;charset=utf-8")
        }
    }
}

/// Picks the text of a choice.
type ChoiceText = fn(&FilesMessages) -> &'static str;

/// Choice of one among several.
#[component]
fn Choice<T: Copy + PartialEq + Send + Sync + 'static>(
    /// Name of its fields.
    name: &'static str,
    legend: ChoiceText,
    chosen: RwSignal<T>,
    choices: Vec<(T, ChoiceText)>,
) -> impl IntoView {
    let words = use_i18n();
    let choice = move |(value, text): (T, ChoiceText)| {
        view! {
            <label class="evidence-form__choice">
                <input
                    type="radio"
                    name=name
                    checked=value == chosen.get_untracked()
                    on:change=move |_| chosen.set(value)
                />
                {move || text(words.get().files())}
            </label>
        }
    };
    view! {
        <fieldset>
            <legend>{move || legend(words.get().files())}</legend>
            {choices.into_iter().map(choice).collect_view()}
        </fieldset>
    }
}

/// What is done or not.
#[component]
fn EvidenceOption(on: RwSignal<bool>, text: ChoiceText) -> impl IntoView {
    let words = use_i18n();
    view! {
        <label class="evidence-form__choice">
            <input
                type="checkbox"
                prop:checked=move || on.get()
                on:change=move |event| on.set(event_target_checked(&event))
            />
            {move || text(words.get().files())}
        </label>
    }
}

/// What the file holds, and the lines whose texts are masked.
#[component]
fn EvidencePreview(fetched: Fetched) -> impl IntoView {
    let words = use_i18n();
    let file = match fetched {
        Fetched::Pending => return view! { <p role="status">{move || words.get().common.loading}</p> }.into_any(),
        Fetched::Failed(error) => {
            return view! { <p role="alert" class="files__error">{move || sentence(&error, words.get())}</p> }
                .into_any();
        }
        Fetched::File(file) => file,
    };
    let (lines, masked, notes) = (file.header.lines, file.header.masked, file.header.notes.len());
    let extent = EvidenceExtent::of(&file.header.scope);
    let shown = file.lines.iter().filter(|line| line.masked).take(MAX_SHOWN);
    let mut shown: Vec<_> = shown.map(|line| (file.place(line).to_string(), line.text.clone())).collect();
    let more = (masked as usize).saturating_sub(shown.len());
    let masked_notes = file.header.notes.iter().map(|note| note.record.content.text()).filter(|it| it.contains(MASK));
    let kind = words.now().files().evidence_own_note;
    shown.extend(masked_notes.map(|text| (kind.to_owned(), text.to_owned())));
    view! {
        <p role="status">
            {move || (words.get().files().evidence_holds)(extent, lines, masked)}
            {(notes > 0).then_some(move || format!(" · {}", (words.get().files().evidence_notes)(notes)))}
        </p>
        {(!shown.is_empty()).then(|| view! { <MaskedLines lines=shown more=more /> })}
    }
    .into_any()
}
