//! Dialog that changes a session's category: ten choices, a reason, a name, and a return to the automatic category.

use coordination::api::{CategoryEvidence, CategoryInfo, ExpectedOverride};
use coordination::category::Category;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::components::category::emoji;
use crate::components::name_field::NameField;
use crate::i18n::use_i18n;
use crate::state::use_connection;
use crate::ui::Icon;
use crate::ui::dialog::Dialog;

/// What a person decided.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryChoice {
    /// The new category; none returns to the automatic one.
    pub category: Option<Category>,
    /// The reason, if one was given.
    pub reason: Option<String>,
    /// Precondition of the change.
    pub precondition: Precondition,
}

/// Expected current value of a change: if the current value differs, the change is refused and the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precondition {
    /// The value on the page.
    Seen(ExpectedOverride),
    /// The value that this page's own pending change sets; the value on the page if that change was of another
    /// session.
    OwnChange(ExpectedOverride),
    /// Any value.
    Anything,
}

/// Category dialog of one session. A change carries the category that was set when the dialog opened.
#[component]
pub(super) fn ChangeDialog(
    open: RwSignal<bool>,
    info: Memo<CategoryInfo>,
    evidence: Memo<CategoryEvidence>,
    /// A category that is being set.
    pending: Signal<Option<Category>>,
    on_change: Callback<CategoryChoice>,
) -> impl IntoView {
    let words = use_i18n();
    // The value when the dialog was opened: others may change it meanwhile.
    let precondition = StoredValue::new(Precondition::Anything);
    Effect::new(move |_| {
        if open.get() {
            let manual = evidence.with_untracked(|evidence| evidence.manual.as_ref().map(|it| it.collab_category));
            precondition.set_value(match pending.get_untracked() {
                Some(_) => Precondition::OwnChange(ExpectedOverride(manual)),
                None => Precondition::Seen(ExpectedOverride(manual)),
            });
        }
    });
    let by_hand = Memo::new(move |_| evidence.with(|evidence| evidence.manual.is_some()));
    view! {
        <CategoryDialog
            open=open
            legend=Signal::derive(move || words.get().thread().choose_category.to_owned())
            current=Signal::derive(move || Some(info.with(|info| info.key)))
            automatic=Signal::derive(move || evidence.with(|evidence| evidence.automatic))
            by_hand=by_hand
            on_choose=Callback::new(move |(category, reason)| {
                on_change.run(CategoryChoice { category, reason, precondition: precondition.get_value() });
            })
        />
    }
}

/// Dialog with the ten categories, a reason, a name, and a button back to the automatic category.
#[component]
pub fn CategoryDialog(
    open: RwSignal<bool>,
    /// Heading of the dialog: what is changed.
    legend: Signal<String>,
    /// The category in force, if it is one of the ten.
    current: Signal<Option<Category>>,
    /// The automatic category, if it is one of the ten.
    automatic: Signal<Option<Category>>,
    /// A person has set it: it can be reset.
    #[prop(into)]
    by_hand: Signal<bool>,
    /// The category chosen, none for the automatic one, and the reason, if one was given.
    on_choose: Callback<(Option<Category>, Option<String>)>,
) -> impl IntoView {
    let words = use_i18n();
    let compat = use_connection().compat;
    let chosen = RwSignal::new(None::<Category>);
    let reason = RwSignal::new(String::new());
    // Each opening begins with the category as it is then.
    let close = move || {
        open.set(false);
        chosen.set(None);
        reason.set(String::new());
    };
    let save = move || {
        let category = chosen.get_untracked();
        let text = reason.get_untracked().trim().to_owned();
        close();
        if category.is_some() {
            on_choose.run((category, (!text.is_empty()).then_some(text)));
        }
    };
    let reset_to_automatic = move |_| {
        close();
        on_choose.run((None, None));
    };
    // The focus begins at the choices, where arrows and digits choose.
    Effect::new(move |_| {
        if open.get() {
            request_animation_frame(|| {
                let choices = ["dialog[open] input[name=category]:checked", "dialog[open] input[name=category]"];
                let first = choices.iter().find_map(|choice| document().query_selector(choice).ok().flatten());
                if let Some(input) = first.and_then(|input| input.dyn_into::<web_sys::HtmlElement>().ok()) {
                    input.focus().unwrap_or_default();
                }
            });
        }
    });
    let press = move |event: KeyboardEvent| {
        let alone = !(event.ctrl_key() || event.meta_key() || event.alt_key());
        if let Some(category) = digit_category(&event.key()).filter(|_| alone) {
            event.prevent_default();
            chosen.set((current.get_untracked() != Some(category)).then_some(category));
        }
    };
    let choices = move || {
        let choice =
            |category| view! { <CategoryRadio category=category current=current automatic=automatic chosen=chosen /> };
        Category::ALL.into_iter().map(choice).collect_view()
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
                <fieldset class="category-choice" on:keydown=press>
                    <legend>{move || legend.get()}</legend>
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
                <NameField
                    label=Signal::derive(move || words.get().thread().name_label.to_owned())
                    hint=Signal::derive(move || words.get().thread().name_hint.to_owned())
                />
                {move || {
                    (by_hand.get() && compat.get())
                        .then(|| view! { <p class="is-dim">{words.get().thread().return_impossible}</p> })
                }}
                <div class="dialog__actions">
                    {move || {
                        (by_hand.get() && !compat.get())
                            .then(|| {
                                view! {
                                    <button type="button" class="button is-quiet dialog__other" on:click=reset_to_automatic>
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

/// The category of a digit: 1 to 9 and 0 in their fixed order.
fn digit_category(key: &str) -> Option<Category> {
    let digit = key.parse::<usize>().ok().filter(|_| key.len() == 1)?;
    Category::ALL.get((digit + 9) % 10).copied()
}

/// One category as a radio button, with its digit key and a note for the current and the automatic one.
#[component]
fn CategoryRadio(
    category: Category,
    current: Signal<Option<Category>>,
    automatic: Signal<Option<Category>>,
    chosen: RwSignal<Option<Category>>,
) -> impl IntoView {
    let words = use_i18n();
    let note = move || {
        let words = words.get().thread();
        if current.get() == Some(category) {
            Some(words.now_this)
        } else {
            (automatic.get() == Some(category)).then_some(words.automatic_this)
        }
    };
    let pick = move |_| chosen.set((current.get_untracked() != Some(category)).then_some(category));
    view! {
        <label>
            <input
                type="radio"
                name="category"
                value=category.as_str()
                prop:checked=move || chosen.get().or(current.get()) == Some(category)
                on:change=pick
            />
            <span class="emoji" aria-hidden="true">
                {emoji(category)}
            </span>
            <span>{move || (words.get().common.category)(category)}</span>
            <kbd aria-hidden="true">{(category.index() + 1) % 10}</kbd>
            {move || note().map(|note| view! { <small>{note}</small> })}
        </label>
    }
}
