//! Search field that narrows a list while the user types. During a Hangul composition no search runs and the field's
//! text is not replaced, because the syllable is incomplete.

use gloo_timers::callback::Timeout;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;

/// Typing rests this long before the list follows.
const REST_MS: u32 = 200;

/// The field. `value` is what the list is narrowed to.
#[component]
pub fn SearchField(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] value: Signal<String>,
    /// What was typed so far, each time typing rests.
    on_type: Callback<String>,
    /// The text before the typing and the one that was confirmed with Enter.
    on_commit: Callback<(String, String)>,
) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let composing = StoredValue::new(false);
    let resting = StoredValue::new_local(None::<Timeout>);
    // The filter when typing began, and the value reported last.
    let before = StoredValue::new(value.get_untracked());
    let reported = StoredValue::new(value.get_untracked());
    let typed = move || field.get_untracked().map(|field| field.value().trim().to_owned());
    let report = move || {
        if let Some(text) = typed().filter(|text| reported.with_value(|reported| reported != text)) {
            reported.set_value(text.clone());
            on_type.run(text);
        }
    };
    let rest = move || {
        if !composing.get_value() {
            resting.set_value(Some(Timeout::new(REST_MS, report)));
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        if event.key() != "Enter" || event.is_composing() {
            return;
        }
        event.prevent_default();
        resting.set_value(None);
        if let Some(text) = typed() {
            reported.set_value(text.clone());
            let from = before.get_value();
            before.set_value(text.clone());
            on_commit.run((from, text));
        }
    };
    // The field's text is the browser's: it follows the address only where it did not lead it there.
    Effect::new(move |_| {
        let value = value.get();
        let Some(field) = field.get() else { return };
        if !composing.get_value() && reported.with_value(|reported| *reported != value) {
            field.set_value(&value);
            before.set_value(value.clone());
            reported.set_value(value);
        }
    });
    view! {
        <input
            type="search"
            class="search-field"
            node_ref=field
            aria-label=move || label.get()
            placeholder=move || label.get()
            value=value.get_untracked()
            on:input=move |_| rest()
            on:compositionstart=move |_| {
                composing.set_value(true);
                resting.set_value(None);
            }
            on:compositionend=move |_| {
                composing.set_value(false);
                rest();
            }
            on:focus=move |_| before.set_value(reported.get_value())
            on:keydown=on_key
        />
    }
}
