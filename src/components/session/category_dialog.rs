//! The dialog that changes a session's category: ten choices, a reason, a name, and the way back to the automatic one.

use coordination::api::{CategoryEvidence, CategoryInfo, Seen};
use coordination::category::Category;
use leptos::prelude::*;

use crate::components::category::emoji;
use crate::i18n::use_words;
use crate::state::{use_connection, use_preferences};
use crate::ui::Icon;
use crate::ui::dialog::Dialog;

/// What a person decided.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryChange {
    /// The new category; none returns to the automatic one.
    pub category: Option<Category>,
    /// Why, if they said so.
    pub reason: Option<String>,
    /// What they saw in force; none changes it whatever it is.
    pub seen: Option<Seen>,
}

/// Ten categories and a reason.
#[component]
pub(super) fn ChangeDialog(
    open: RwSignal<bool>,
    info: Memo<CategoryInfo>,
    evidence: Memo<CategoryEvidence>,
    on_change: Callback<CategoryChange>,
) -> impl IntoView {
    let words = use_words();
    let compat = use_connection().compat;
    let chosen = RwSignal::new(None::<Category>);
    let reason = RwSignal::new(String::new());
    // What stood when the dialog was opened: others may change it meanwhile.
    let seen = StoredValue::new(None::<Seen>);
    Effect::new(move |_| {
        if open.get() {
            let manual = evidence.with_untracked(|evidence| evidence.manual.as_ref().map(|it| it.collab_category));
            seen.set_value(Some(Seen(manual)));
        }
    });
    // Each opening begins with the category as it is then.
    let close = move || {
        open.set(false);
        chosen.set(None);
        reason.set(String::new());
    };
    let selected = move || chosen.get().unwrap_or_else(|| info.with(|info| info.key));
    let save = move || {
        let category = chosen.get_untracked();
        let text = reason.get_untracked().trim().to_owned();
        close();
        if category.is_some() {
            let reason = (!text.is_empty()).then_some(text);
            on_change.run(CategoryChange { category, reason, seen: seen.get_value() });
        }
    };
    let by_hand = Memo::new(move |_| evidence.with(|evidence| evidence.manual.is_some()));
    let give_back = move |_| {
        close();
        on_change.run(CategoryChange { category: None, reason: None, seen: seen.get_value() });
    };
    let choices = move || {
        Category::ALL
            .into_iter()
            .map(|category| {
                view! {
                    <Choice category=category info=info evidence=evidence selected=Signal::derive(selected) chosen=chosen />
                }
            })
            .collect_view()
    };
    view! {
        <Dialog
            open=open
            on_close=Callback::new(move |()| close())
            title=Signal::derive(move || words.get().thread().change_category.to_owned())
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            <form
                method="dialog"
                on:submit=move |event| {
                    event.prevent_default();
                    save();
                }
            >
                <fieldset class="category-choice">
                    <legend>{move || words.get().thread().choose_category}</legend>
                    {choices}
                </fieldset>
                <label class="field">
                    {move || words.get().thread().reason_label}
                    <input
                        type="text"
                        maxlength="500"
                        placeholder=move || words.get().thread().reason_hint
                        prop:value=move || reason.get()
                        on:input=move |event| reason.set(event_target_value(&event))
                    />
                </label>
                <NameField />
                {move || {
                    (by_hand.get() && compat.get())
                        .then(|| view! { <p class="is-dim">{words.get().thread().return_impossible}</p> })
                }}
                <div class="dialog__actions">
                    {move || {
                        (by_hand.get() && !compat.get())
                            .then(|| {
                                view! {
                                    <button type="button" class="button is-quiet dialog__other" on:click=give_back>
                                        {Icon::Retry}
                                        {move || words.get().thread().return_automatic}
                                    </button>
                                }
                            })
                    }}
                    <button type="button" class="button" on:click=move |_| close()>
                        {move || words.get().common.cancel}
                    </button>
                    <button type="submit" class="button is-primary" disabled=move || chosen.get().is_none()>
                        {move || words.get().thread().change_now}
                    </button>
                </div>
            </form>
        </Dialog>
    }
}

/// Under what name the change is noted; the browser remembers it.
#[component]
fn NameField() -> impl IntoView {
    let words = use_words();
    let name = use_preferences().name;
    view! {
        <label class="field">
            {move || words.get().thread().name_label}
            <input
                type="text"
                maxlength="100"
                autocomplete="name"
                placeholder=move || words.get().thread().name_hint
                prop:value=move || name.get()
                on:input=move |event| name.set(event_target_value(&event))
            />
        </label>
    }
}

#[component]
fn Choice(
    category: Category,
    info: Memo<CategoryInfo>,
    evidence: Memo<CategoryEvidence>,
    #[prop(into)] selected: Signal<Category>,
    chosen: RwSignal<Option<Category>>,
) -> impl IntoView {
    let words = use_words();
    let note = move || {
        let words = words.get().thread();
        if info.with(|info| info.key) == category {
            Some(words.now_this)
        } else {
            evidence.with(|evidence| evidence.automatic == Some(category)).then_some(words.automatic_this)
        }
    };
    let pick = move |_| chosen.set((info.with_untracked(|info| info.key) != category).then_some(category));
    view! {
        <label>
            <input
                type="radio"
                name="category"
                value=category.as_str()
                prop:checked=move || selected.get() == category
                on:change=pick
            />
            <span class="emoji" aria-hidden="true">
                {emoji(category)}
            </span>
            <span>{move || (words.get().common.category)(category)}</span>
            {move || note().map(|note| view! { <small>{note}</small> })}
        </label>
    }
}
