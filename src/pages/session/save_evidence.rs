//! Saving a session as an evidence file: the dialog with what is masked, a note and the format, and the download.

mod markdown;

use coordination::api::EvidenceQuery;
use coordination::evidence::EvidenceFile;
use coordination::ids::SessionId;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::name_field::NameField;
use crate::i18n::use_i18n;
use crate::source::SourceError;
use crate::state::{use_hub, use_preferences};
use crate::ui::Icon;
use crate::ui::dialog::Dialog;
use crate::ui::save;
use crate::ui::toast::use_toasts;

/// Masked lines of the preview.
const MAX_SHOWN: usize = 5;
/// Characters of a line of the preview.
const MAX_LINE_CHARS: usize = 400;

/// How the file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EvidenceFormat {
    /// The evidence file itself, which can be checked.
    Ndjson,
    /// A text to read.
    Markdown,
}

/// Section with the button that opens the dialog. Nothing for opened files, in the past and over a 1.x monitor.
#[component]
pub(super) fn SaveEvidence(#[prop(into)] session: Signal<SessionId>) -> impl IntoView {
    let words = use_i18n();
    let hub = use_hub();
    let open = RwSignal::new(false);
    let is_offered = Memo::new(move |_| hub.has_past() && hub.moment.with(Option::is_none) && !hub.shows_files());
    view! {
        <Show when=move || is_offered.get()>
            <section>
                <h2>{move || words.get().files().evidence_title}</h2>
                <p class="is-dim evidence-title">{move || words.get().files().evidence_text}</p>
                <button
                    type="button"
                    class="button is-small"
                    aria-haspopup="dialog"
                    on:click=move |_| open.set(true)
                >
                    {Icon::File}
                    {move || words.get().files().evidence_save}
                </button>
                <Dialog
                    open=open
                    on_close=Callback::new(move |()| open.set(false))
                    title=Signal::derive(move || words.get().files().evidence_save.to_owned())
                    close_label=Signal::derive(move || words.get().common.close.to_owned())
                >
                    <EvidenceForm session=session on_saved=Callback::new(move |()| open.set(false)) />
                </Dialog>
            </section>
        </Show>
    }
}

/// A request for the file.
#[derive(Debug, Clone, PartialEq)]
enum Fetched {
    Pending,
    File(Box<EvidenceFile>),
    Failed(SourceError),
}

#[component]
fn EvidenceForm(session: Signal<SessionId>, on_saved: Callback<()>) -> impl IntoView {
    let words = use_i18n();
    let (hub, toasts, preferences) = (use_hub(), use_toasts(), use_preferences());
    let (mask, note) = (RwSignal::new(true), RwSignal::new(String::new()));
    let format = RwSignal::new(EvidenceFormat::Ndjson);
    let fetched = RwSignal::new(Fetched::Pending);
    let request_count = StoredValue::new(0_u32);
    let query = move |mask: bool| EvidenceQuery {
        session: Some(session.get_untracked()),
        mask,
        by: preferences.author(),
        note: Some(note.get_untracked()).filter(|note| !note.trim().is_empty()),
        ..EvidenceQuery::default()
    };
    let fetch = move |query: EvidenceQuery| async move {
        let source = hub.present_source().ok_or(SourceError::Network)?;
        let text = source.evidence(&query).await?;
        let file = EvidenceFile::read(text.as_bytes()).map_err(|_| SourceError::Decode)?;
        Ok::<_, SourceError>((text, file))
    };
    // The preview follows the choice of masking.
    Effect::new(move |_| {
        let query = query(mask.get());
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
        let (query, format) = (query(mask.get_untracked()), format.get_untracked());
        spawn_local(async move {
            let answer = fetch(query).await;
            let messages = words.now();
            let saved = answer.map(|(text, file)| {
                let stem = format!("evidence-{}", session.get_untracked());
                match format {
                    EvidenceFormat::Ndjson => save::text(&text, &format!("{stem}.ndjson"), "application/x-ndjson"),
                    EvidenceFormat::Markdown => {
                        let text = markdown::written(&file, messages.locale, messages.files());
                        save::text(&text, &format!("{stem}.md"), "text/markdown;charset=utf-8")
                    }
                }
            });
            saving.try_set(false);
            match saved {
                Ok(Some(())) => {
                    toasts.done(messages.files().evidence_saved);
                    on_saved.run(());
                }
                Ok(None) => toasts.failed(messages.files().evidence_failed),
                Err(error) => toasts.failed(error.sentence(messages)),
            }
        });
    };
    let choice = move |this: EvidenceFormat, text: fn(&crate::i18n::messages::FilesMessages) -> &'static str| {
        view! {
            <label class="evidence-form__choice">
                <input
                    type="radio"
                    name="evidence-format"
                    checked=this == EvidenceFormat::Ndjson
                    on:change=move |_| format.set(this)
                />
                {move || text(words.get().files())}
            </label>
        }
    };
    view! {
        <div class="evidence-form">
            <fieldset>
                <legend>{move || words.get().files().evidence_format}</legend>
                {choice(EvidenceFormat::Ndjson, |words| words.evidence_ndjson)}
                {choice(EvidenceFormat::Markdown, |words| words.evidence_markdown)}
            </fieldset>
            <label class="evidence-form__choice">
                <input
                    type="checkbox"
                    prop:checked=move || mask.get()
                    on:change=move |event| mask.set(event_target_checked(&event))
                />
                {move || words.get().files().evidence_mask}
            </label>
            <label class="field">
                {move || words.get().files().evidence_note}
                <textarea
                    rows="2"
                    maxlength="500"
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

/// What the file holds, and the lines whose texts are masked.
#[component]
fn EvidencePreview(fetched: Fetched) -> impl IntoView {
    let words = use_i18n();
    let file = match fetched {
        Fetched::Pending => return view! { <p role="status">{move || words.get().common.loading}</p> }.into_any(),
        Fetched::Failed(error) => {
            return view! { <p role="alert" class="files__error">{move || error.sentence(words.get())}</p> }.into_any();
        }
        Fetched::File(file) => file,
    };
    let (lines, masked) = (file.header.lines, file.header.masked);
    let shown: Vec<String> = file
        .lines
        .iter()
        .filter(|line| line.masked)
        .take(MAX_SHOWN)
        .map(|line| coordination::text::hidden::marked(&line.text).chars().take(MAX_LINE_CHARS).collect())
        .collect();
    let samples = shown.into_iter().map(|line| view! { <li><code>{line}</code></li> }).collect_view();
    view! {
        <p role="status">{move || (words.get().files().evidence_holds)(lines, masked)}</p>
        {(masked > 0)
            .then(|| {
                view! {
                    <details>
                        <summary>{move || words.get().files().evidence_masked}</summary>
                        <ul class="evidence-form__masked">{samples}</ul>
                    </details>
                }
            })}
    }
    .into_any()
}
