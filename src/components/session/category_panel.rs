//! Why a session has its category, and the dialog that changes it.

use std::sync::Arc;

use coordination::api::{CategoryEvidence, CategoryInfo, SessionDetail};
use coordination::category::{Category, CategorySource};
use leptos::prelude::*;

use crate::components::category::{CategoryBadge, emoji};
use crate::components::time_ago::use_now;
use crate::i18n::{Words, time, use_words};
use crate::ui::dialog::Dialog;
use crate::ui::{Icon, Tone, mark::Mark};

/// What a person decided.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryChange {
    /// The new category.
    pub category: Category,
    /// Why, if they said so.
    pub reason: Option<String>,
}

/// Evidence and the button.
#[component]
pub fn CategoryPanel(
    #[prop(into)] detail: Signal<Arc<SessionDetail>>,
    /// A category that is being set.
    #[prop(into)]
    pending: Signal<Option<Category>>,
    on_change: Callback<CategoryChange>,
) -> impl IntoView {
    let words = use_words();
    let info = Memo::new(move |_| detail.with(|detail| detail.session.category.clone()));
    let evidence = Memo::new(move |_| detail.with(|detail| detail.evidence.clone()));
    let shown = Memo::new(move |_| pending.get().unwrap_or_else(|| info.with(|info| info.key)));
    let open = RwSignal::new(false);
    view! {
        <section data-cat=move || shown.get().as_str()>
            <h2>
                {move || words.get().thread().why_category}
                <small>{move || (words.get().thread().rules)(&info.get().version)}</small>
            </h2>
            <div class="evidence">
                {move || view! { <CategoryBadge category=shown.get() /> }}
                {move || standing(&info.get(), pending.get(), words)}
            </div>
            {move || words_found(&evidence.get(), &info.get(), words)} {move || rows(&evidence.get(), words)}
            <p class="context-pane__do">
                <button type="button" class="button is-small" on:click=move |_| open.set(true)>
                    {Icon::Pen}
                    {move || words.get().thread().change_category}
                </button>
            </p>
            <ChangeDialog open=open info=info evidence=evidence on_change=on_change />
        </section>
    }
}

/// How sure the category is, or that a person set it.
fn standing(info: &CategoryInfo, pending: Option<Category>, words: Words) -> impl IntoView + use<> {
    let messages = words.get();
    match (pending, info.source) {
        (Some(_), _) => view! { <span class="is-dim">{messages.thread().saving}</span> }.into_any(),
        (None, CategorySource::ManualOverride) => {
            view! { <Mark tone=Tone::Warn icon=Icon::Person text=messages.common.by_hand.to_owned() /> }.into_any()
        }
        (None, CategorySource::Fallback) => {
            view! { <span class="small-mark">{messages.common.inferred}</span> }.into_any()
        }
        _ => view! {
            <span class="is-dim">{(messages.thread().confidence)(&format!("{:.2}", info.confidence))}</span>
        }
        .into_any(),
    }
}

/// The telling words with their weights.
fn words_found(evidence: &CategoryEvidence, info: &CategoryInfo, words: Words) -> impl IntoView + use<> {
    if evidence.matches.is_empty() {
        let guessed = info.source == CategorySource::Fallback;
        return guessed
            .then(|| view! { <p class="is-dim context-pane__none">{words.get().thread().no_evidence}</p> })
            .into_any();
    }
    let items = evidence
        .matches
        .iter()
        .map(|(word, weight)| view! { <li>{format!("{word} {}", short(*weight))}</li> })
        .collect_view();
    view! { <ul class="evidence-words">{items}</ul> }.into_any()
}

/// Runner-up, automatic category, who changed it.
fn rows(evidence: &CategoryEvidence, words: Words) -> impl IntoView + use<> {
    let messages = words.get();
    let name = |category: Category| (messages.common.category)(category);
    let runner_up = evidence.runner_up.map(|(category, by)| {
        view! {
            <dt>{messages.thread().runner_up}</dt>
            <dd>{(messages.thread().runner_up_by)(name(category), &short(by))}</dd>
        }
    });
    let automatic = evidence.automatic.filter(|_| evidence.manual.is_some()).map(|category| {
        view! {
            <dt>{messages.thread().automatic}</dt>
            <dd>{name(category)}</dd>
        }
    });
    let changed = match &evidence.manual {
        Some(manual) => {
            let by = manual
                .updated_by
                .as_deref()
                .map(|name| format!(" · {}", (messages.thread().changed_by)(name)))
                .unwrap_or_default();
            let now = use_now();
            let at = time::parse_iso(&manual.updated_at)
                .map_or_else(|| manual.updated_at.clone(), |at| time::relative(words.locale(), now.at.get(), at));
            format!("{at}{by}")
        }
        None => messages.thread().never_changed.to_owned(),
    };
    view! {
        <dl class="facts-list">
            {runner_up} {automatic} <dt>{messages.thread().changed}</dt> <dd>{changed}</dd>
        </dl>
    }
}

/// At most one decimal, none when whole.
fn short(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}

/// Ten categories and a reason.
#[component]
fn ChangeDialog(
    open: RwSignal<bool>,
    info: Memo<CategoryInfo>,
    evidence: Memo<CategoryEvidence>,
    on_change: Callback<CategoryChange>,
) -> impl IntoView {
    let words = use_words();
    let chosen = RwSignal::new(None::<Category>);
    let reason = RwSignal::new(String::new());
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
        if let Some(category) = category {
            on_change.run(CategoryChange { category, reason: (!text.is_empty()).then_some(text) });
        }
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
                <div class="dialog__actions">
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
