//! Search bar of a thread. The monitor finds the messages; the CSS Custom Highlight API marks the matches in them, so
//! no elements are added for the marks. The message of the current match is unfolded.

use std::collections::HashSet;

use coordination::ids::EventId;
use coordination::search::WordFilter;
use gloo_timers::callback::Timeout;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::i18n::use_i18n;
use crate::ui::enter::{HeldKey, use_single_enter};
use crate::ui::selectors::{BUBBLE_ROW, BUBBLE_SYSTEM, BUBBLE_TEXT, EVENT, FOLDED_BUBBLE, WHOLE_BUBBLE_TEXT};
use crate::ui::{Icon, highlight};

const ALL: &str = "find-hit";
const HERE: &str = "find-here";

/// Typing rests this long before it is looked for.
const REST_MS: u32 = 200;

/// The bar: a field, `n / m`, and buttons. What is drawn of the matches is marked.
#[component]
pub fn FindBar(
    /// The element whose message texts are marked.
    root: NodeRef<html::Div>,
    /// Changes when other texts are drawn.
    #[prop(into)]
    content: Signal<()>,
    /// What is looked for; written here.
    text: RwSignal<String>,
    /// The message of the current match.
    #[prop(into)]
    here: Signal<Option<EventId>>,
    /// The messages that hold it.
    #[prop(into)]
    hits: Signal<HashSet<EventId>>,
    /// Which match it is, of how many; none before there is an answer.
    #[prop(into)]
    number: Signal<Option<(usize, usize)>>,
    /// Goes to the next match, or to the one before.
    on_step: Callback<bool>,
    on_close: Callback<()>,
) -> impl IntoView {
    let words = use_i18n();
    let field = NodeRef::<html::Input>::new();
    let composing = StoredValue::new(false);
    let resting = StoredValue::new_local(None::<Timeout>);
    let enter = use_single_enter(HeldKey::Repeats);
    let typed = move || field.get_untracked().map(|field| field.value().trim().to_owned()).unwrap_or_default();
    let look = move || {
        resting.set_value(None);
        let typed = typed();
        if text.with_untracked(|text| *text != typed) {
            text.set(typed);
            return true;
        }
        false
    };
    let rest = move || {
        if !composing.get_value() {
            let look = move || {
                look();
            };
            resting.set_value(Some(Timeout::new(REST_MS, look)));
        }
    };
    use_marks(root, content, text, hits, here);
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            field.focus().unwrap_or_default();
        }
    });

    let act = move |forward: bool| {
        // What was just typed is looked for first.
        if !look() {
            on_step.run(forward);
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && !event.is_composing() {
            event.prevent_default();
        }
        if enter.down(&event).is_some() {
            act(!event.shift_key());
        } else if event.key() == "Escape" && !event.is_composing() {
            on_close.run(());
        }
    };
    let count = move || {
        let words = words.get().thread();
        match (text.with(String::is_empty), number.get()) {
            (true, _) | (_, None) => String::new(),
            (false, Some((_, 0))) => words.find_none.to_owned(),
            (false, Some((n, all))) => (words.find_count)(n, all),
        }
    };
    view! {
        <div class="thread-find" role="search">
            <input
                type="search"
                node_ref=field
                aria-label=move || words.get().thread().find_in
                placeholder=move || words.get().thread().find
                on:input=move |_| rest()
                on:compositionstart=move |_| {
                    composing.set_value(true);
                    resting.set_value(None);
                }
                on:compositionend=move |_| {
                    composing.set_value(false);
                    if enter.composition_end().is_some() {
                        act(true);
                    } else {
                        rest();
                    }
                }
                on:keydown=on_key
                on:keyup=move |_| enter.up()
            />
            <span class="thread-find__count" role="status">
                {count}
            </span>
            <Buttons on_step=on_step on_close=on_close />
        </div>
    }
}

/// Highlights the drawn matches while the bar is shown.
fn use_marks(
    root: NodeRef<html::Div>,
    content: Signal<()>,
    text: RwSignal<String>,
    hits: Signal<HashSet<EventId>>,
    here: Signal<Option<EventId>>,
) {
    // Marks the drawn texts: they live outside the reactive graph, and are there a moment after they change.
    Effect::new(move |_| {
        content.track();
        here.track();
        hits.track();
        request_animation_frame(move || {
            let Some(root) = root.try_get_untracked().flatten() else { return };
            let Some(text) = text.try_get_untracked() else { return };
            let Some(hits) = hits.try_get_untracked() else { return };
            let here = here.try_get_untracked().flatten().filter(|id| hits.contains(id));
            let here = here.and_then(|id| unfold(&root, &id));
            let Some(words) = WordFilter::read(&text) else {
                highlight::set(ALL, &[]);
                return highlight::set(HERE, &[]);
            };
            let all: Vec<_> = drawn(&root, &hits).iter().flat_map(|message| marks(message, &words)).collect();
            highlight::set(ALL, &all);
            highlight::set(HERE, &here.map(|here| marks(&here, &words)).unwrap_or_default());
        });
    });
    on_cleanup(|| {
        highlight::set(ALL, &[]);
        highlight::set(HERE, &[]);
    });
}

/// Previous, next, close.
#[component]
fn Buttons(on_step: Callback<bool>, on_close: Callback<()>) -> impl IntoView {
    let words = use_i18n();
    view! {
        <button
            type="button"
            class="icon-button"
            aria-label=move || words.get().thread().find_previous
            on:click=move |_| on_step.run(false)
        >
            {Icon::ArrowUp}
        </button>
        <button
            type="button"
            class="icon-button"
            aria-label=move || words.get().thread().find_next
            on:click=move |_| on_step.run(true)
        >
            {Icon::ArrowDown}
        </button>
        <button
            type="button"
            class="icon-button"
            aria-label=move || words.get().thread().find_close
            on:click=move |_| on_close.run(())
        >
            {Icon::Close}
        </button>
    }
}

/// The message, with what is folded in it opened: a match must be seen.
fn unfold(root: &web_sys::Element, id: &EventId) -> Option<web_sys::Element> {
    let message = document().get_element_by_id(&format!("m-{id}")).filter(|message| root.contains(Some(message)))?;
    let fold = message.query_selector(FOLDED_BUBBLE).ok().flatten();
    if let Some(fold) = fold.and_then(|fold| fold.dyn_into::<web_sys::HtmlElement>().ok()) {
        fold.click();
    }
    if let Some(details) = message.query_selector(BUBBLE_SYSTEM).ok().flatten() {
        details.set_attribute("open", "").unwrap_or_default();
    }
    Some(message)
}

/// Those of the messages that are drawn.
fn drawn(root: &web_sys::Element, hits: &HashSet<EventId>) -> Vec<web_sys::Element> {
    let Ok(list) = root.query_selector_all(BUBBLE_ROW) else { return Vec::new() };
    let all = (0..list.length()).filter_map(|index| list.item(index)?.dyn_into::<web_sys::Element>().ok());
    all.filter(|one| one.get_attribute(EVENT).is_some_and(|id| hits.contains(&EventId::from(id)))).collect()
}

/// Positions of the words in a message that contains them. Where they are not drawn (they may be in a link's address),
/// all of its text is marked, so that every counted match is visible. Folded text is marked once it is unfolded.
fn marks(message: &web_sys::Element, words: &WordFilter) -> Vec<web_sys::Range> {
    let mut found = highlight::found(message, BUBBLE_TEXT, words);
    if found.is_empty() {
        let text = message.query_selector(WHOLE_BUBBLE_TEXT).ok().flatten();
        found.extend(text.and_then(|text| highlight::whole(&text)));
    }
    found
}
