//! Forms of notes: a new note or resolved mark on a place, and the change of a note.

use coordination::api::{Note, NotePlace, ResolvedMark, SharedContent, SharedRecord};
use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html;
use leptos::prelude::*;

use super::{DraftKey, NoteActions, NoteDraft, NoteWrite};
use crate::components::hidden::prose_marks;
use crate::components::name_field::NameField;
use crate::components::refusal::RefusalNote;
use crate::i18n::use_i18n;
use crate::state::{use_hub, use_rights};
use crate::ui::Icon;

/// Longest note that the form takes, in characters.
const MAX_CHARS: usize = coordination::api::MAX_NOTE_CHARS;

/// Change of a note. When somebody else changed it meanwhile, their text is shown, and is replaced only on request.
#[component]
pub(super) fn NoteEdit(record: Memo<SharedRecord>, draft: DraftKey, actions: NoteActions) -> impl IntoView {
    let words = use_i18n();
    let key = StoredValue::new(draft);
    let current = move || actions.drafts.with_untracked(|drafts| drafts.get(&key.get_value()).cloned());
    let base = current().and_then(|draft| draft.base).map_or(0, |base| base.revision);
    let newer = Memo::new(move |_| record.with(|record| record.revision > base));
    let save = move |expected: u32| {
        let Some(draft) = current().filter(|draft| !draft.text.trim().is_empty()) else { return };
        let Some(SharedContent::Note(note)) = draft.base.map(|base| base.content) else { return };
        if !actions.busy.get_untracked() {
            let content = SharedContent::Note(Note { text: draft.text.trim().to_owned(), ..note });
            actions.write.run(NoteWrite { id: draft.id, expected, content, draft: key.get_value() });
        }
    };
    let cancel = move || actions.drafts.update(|drafts| drop(drafts.remove(&key.get_value())));
    let press = move |event: KeyboardEvent| {
        if event.key() == "Escape" && !event.is_composing() {
            // A dialog around it stays open.
            event.prevent_default();
            event.stop_propagation();
            cancel();
        }
    };
    let theirs = move || {
        newer.get().then(|| {
            view! {
                <div class="note__newer" role="status">
                    <p>{move || words.get().notes().newer}</p>
                    <p class="note__text">
                        <bdi>{move || prose_marks(&record.with(|record| record.content.text().to_owned()), words)}</bdi>
                    </p>
                </div>
            }
        })
    };
    view! {
        <form
            class="note-form"
            on:keydown=press
            on:submit=move |event| {
                event.prevent_default();
                save(base);
            }
        >
            {theirs}
            <NoteText
                draft=key.get_value()
                actions=actions
                label=Signal::derive(move || words.get().notes().edit_field)
                on_submit=Callback::new(move |()| save(base))
                focused=true
            />
            <div class="note-form__acts">
                {move || {
                    if newer.get() {
                        view! {
                            <button
                                type="button"
                                class="button is-small"
                                disabled=move || actions.busy.get()
                                on:click=move |_| save(record.with_untracked(|record| record.revision))
                            >
                                {move || words.get().notes().replace}
                            </button>
                        }
                            .into_any()
                    } else {
                        view! {
                            <button
                                type="submit"
                                class="button is-small is-primary"
                                disabled=move || actions.busy.get()
                            >
                                {move || words.get().notes().save_edit}
                            </button>
                        }
                            .into_any()
                    }
                }}
                <button type="button" class="button is-small" on:click=move |_| cancel()>
                    {move || words.get().common.cancel}
                </button>
            </div>
        </form>
    }
}

/// Form for a note on a place, or for the mark that the place is resolved, with the text as its reason.
#[component]
pub fn NoteForm(records: Memo<Vec<SharedRecord>>, place: Memo<NotePlace>, actions: NoteActions) -> impl IntoView {
    let (allowed, hub) = (use_rights().may_share(), use_hub());
    // Each place has a draft of its own.
    move || {
        let place = place.get();
        if allowed.get() {
            view! { <PlaceNoteForm records=records place=place actions=actions /> }.into_any()
        } else if hub.shows_files() {
            // Nobody expects to write in them.
            ().into_any()
        } else {
            view! { <RefusalNote /> }.into_any()
        }
    }
}

/// The form of one place.
#[component]
fn PlaceNoteForm(records: Memo<Vec<SharedRecord>>, place: NotePlace, actions: NoteActions) -> impl IntoView {
    let words = use_i18n();
    let user = use_rights().user();
    let key = StoredValue::new(DraftKey::New(place.clone()));
    let here = StoredValue::new(place);
    let text = move || actions.drafts.with(|drafts| drafts.get(&key.get_value()).map(|draft| draft.text.clone()));
    let blank = Memo::new(move |_| text().is_none_or(|text| text.trim().is_empty()));
    let resolved = Memo::new(move |_| {
        let here = here.get_value();
        let marks =
            |record: &SharedRecord| matches!(&record.content, SharedContent::Resolved(mark) if mark.place == here);
        records.with(|records| records.iter().any(marks))
    });
    let typed = move || {
        let draft = actions.drafts.with_untracked(|drafts| drafts.get(&key.get_value()).cloned());
        draft.map_or_else(|| ((actions.new_id)(), String::new()), |draft| (draft.id, draft.text.trim().to_owned()))
    };
    let add = move || {
        let (id, text) = typed();
        if !text.is_empty() && !actions.busy.get_untracked() {
            let content = SharedContent::Note(Note { place: here.get_value(), text });
            actions.write.run(NoteWrite { id, expected: 0, content, draft: key.get_value() });
        }
    };
    let resolve = move |_| {
        let (id, text) = typed();
        let reason = Some(text).filter(|text| !text.is_empty());
        let content = SharedContent::Resolved(ResolvedMark { place: here.get_value(), reason });
        // A record keeps its kind: the draft may have been tried as a note.
        actions.write.run(NoteWrite { id: format!("{id}r"), expected: 0, content, draft: key.get_value() });
    };
    view! {
        <form
            class="note-form"
            on:submit=move |event: SubmitEvent| {
                event.prevent_default();
                add();
            }
        >
            <NoteText
                draft=key.get_value()
                actions=actions
                label=Signal::derive(move || words.get().notes().write)
                on_submit=Callback::new(move |()| add())
                focused=false
            />
            {move || {
                (!blank.get() && user.with(Option::is_none))
                    .then(|| {
                        view! {
                            <NameField
                                label=Signal::derive(move || words.get().thread().name_label.to_owned())
                                hint=Signal::derive(move || words.get().thread().name_hint.to_owned())
                            />
                        }
                    })
            }}
            <div class="note-form__acts">
                <button
                    type="submit"
                    class="button is-small is-primary"
                    disabled=move || blank.get() || actions.busy.get()
                >
                    {move || words.get().notes().save}
                </button>
                {move || {
                    (!resolved.get())
                        .then(|| {
                            view! {
                                <button
                                    type="button"
                                    class="button is-small"
                                    disabled=move || actions.busy.get()
                                    on:click=resolve
                                >
                                    {Icon::Check}
                                    {move || words.get().notes().resolve}
                                </button>
                            }
                        })
                }}
            </div>
            <p class="is-dim note-form__who">{move || words.get().notes().shared_note}</p>
        </form>
    }
}

/// Field for the text of a draft. Ctrl+Enter submits, but not within a Hangul composition.
#[component]
fn NoteText(
    draft: DraftKey,
    actions: NoteActions,
    label: Signal<&'static str>,
    on_submit: Callback<()>,
    focused: bool,
) -> impl IntoView {
    let words = use_i18n();
    let key = StoredValue::new(draft);
    let field = NodeRef::<html::Textarea>::new();
    Effect::new(move |_| {
        if let (true, Some(field)) = (focused, field.get()) {
            field.focus().unwrap_or_default();
        }
    });
    let text = Memo::new(move |_| {
        actions.drafts.with(|drafts| drafts.get(&key.get_value()).map(|draft| draft.text.clone()).unwrap_or_default())
    });
    let input = move |event| {
        let text = event_target_value(&event);
        actions.drafts.update(|drafts| {
            let empty = || NoteDraft { text: String::new(), id: (actions.new_id)(), base: None };
            drafts.entry(key.get_value()).or_insert_with(empty).text = text;
        });
    };
    let press = move |event: KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !event.is_composing() {
            event.prevent_default();
            on_submit.run(());
        }
    };
    view! {
        <textarea
            node_ref=field
            rows="3"
            maxlength=MAX_CHARS.to_string()
            aria-label=move || label.get()
            placeholder=move || words.get().notes().hint
            prop:value=move || text.get()
            on:input=input
            on:keydown=press
        />
    }
}
