//! Find in thread: marks every match with the browser's own highlights, so the document stays as it is.

use coordination::ids::EventId;
use gloo_timers::callback::Timeout;
use js_sys::{Array, Function, Object, Reflect};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

use crate::i18n::use_words;
use crate::ui::Icon;
use crate::ui::enter::use_one_enter;

const ALL: &str = "find-hit";
const HERE: &str = "find-here";

/// Typing rests this long before it is looked for.
const REST_MS: u32 = 200;

/// The bar: a field, `n / m`, and buttons. What is drawn of the matches is marked.
#[component]
pub fn FindBar(
    /// The element whose message texts are marked.
    root: NodeRef<html::Div>,
    /// Tells when other texts are drawn.
    #[prop(into)]
    content: Signal<()>,
    /// What is looked for; written here.
    text: RwSignal<String>,
    /// The message of the current match.
    #[prop(into)]
    here: Signal<Option<EventId>>,
    /// Which match it is, of how many; none before there is an answer.
    #[prop(into)]
    number: Signal<Option<(usize, usize)>>,
    /// Goes to the next match, or to the one before.
    on_step: Callback<bool>,
    on_close: Callback<()>,
) -> impl IntoView {
    let words = use_words();
    let field = NodeRef::<html::Input>::new();
    let composing = StoredValue::new(false);
    let resting = StoredValue::new_local(None::<Timeout>);
    let enter = use_one_enter();
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
    // Marks the drawn texts: they live outside the reactive graph, and are there a moment after they change.
    Effect::new(move |_| {
        content.track();
        here.track();
        text.track();
        request_animation_frame(move || {
            let Some(root) = root.try_get_untracked().flatten() else { return };
            let Some(text) = text.try_get_untracked() else { return };
            let here = here.try_get_untracked().flatten().and_then(|id| unfold(&root, &id));
            highlight(ALL, &matches(&root, &text));
            highlight(HERE, &here.map(|here| matches(&here, &text)).unwrap_or_default());
        });
    });
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            field.focus().unwrap_or_default();
        }
    });
    on_cleanup(|| {
        highlight(ALL, &[]);
        highlight(HERE, &[]);
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
        if enter.down(&event) {
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
                    if enter.composed() {
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

/// Backward, forward, away.
#[component]
fn Buttons(on_step: Callback<bool>, on_close: Callback<()>) -> impl IntoView {
    let words = use_words();
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
    let fold = message.query_selector(".bubble__fold[aria-expanded=false]").ok().flatten();
    if let Some(fold) = fold.and_then(|fold| fold.dyn_into::<web_sys::HtmlElement>().ok()) {
        fold.click();
    }
    if let Some(details) = message.query_selector("details.bubble__system").ok().flatten() {
        details.set_attribute("open", "").unwrap_or_default();
    }
    Some(message)
}

/// Every place in the message texts below `root` that reads like `query`, letter case aside.
fn matches(root: &web_sys::Element, query: &str) -> Vec<web_sys::Range> {
    let wanted: Vec<u16> = lower(query.trim());
    let mut ranges = Vec::new();
    if wanted.is_empty() {
        return ranges;
    }
    let Ok(texts) = root.query_selector_all(".bubble__text, .notice p") else { return ranges };
    for index in 0..texts.length() {
        if let Some(node) = texts.item(index) {
            search_node(&node, &wanted, &mut ranges);
        }
    }
    ranges
}

fn search_node(node: &web_sys::Node, wanted: &[u16], ranges: &mut Vec<web_sys::Range>) {
    if node.node_type() == web_sys::Node::TEXT_NODE {
        let text = lower(&node.node_value().unwrap_or_default());
        let mut at = 0;
        while at + wanted.len() <= text.len() {
            if text[at..at + wanted.len()] != *wanted {
                at += 1;
                continue;
            }
            let end = at + wanted.len();
            if let Ok(range) = document().create_range() {
                let placed = range.set_start(node, at as u32).and_then(|()| range.set_end(node, end as u32));
                ranges.extend(placed.ok().map(|()| range));
            }
            at = end;
        }
        return;
    }
    let children = node.child_nodes();
    for index in 0..children.length() {
        if let Some(child) = children.item(index) {
            search_node(&child, wanted, ranges);
        }
    }
}

/// UTF-16 units, as ranges count them. Letters whose lower case has another length stay as they are.
fn lower(text: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(text.len());
    for c in text.chars() {
        let mut low = c.to_lowercase();
        let c = match (low.next(), low.next()) {
            (Some(one), None) if one.len_utf16() == c.len_utf16() => one,
            _ => c,
        };
        units.extend(c.encode_utf16(&mut [0; 2]).iter());
    }
    units
}

/// Sets or removes a named highlight of the browser. One without them still counts and scrolls.
fn highlight(name: &str, ranges: &[web_sys::Range]) {
    let get =
        |object: &JsValue, key: &str| Reflect::get(object, &JsValue::from_str(key)).ok().filter(|v| !v.is_undefined());
    let global: Object = js_sys::global();
    let Some(registry) = get(&global, "CSS").and_then(|css| get(&css, "highlights")) else { return };
    let Some(delete) = get(&registry, "delete").and_then(|f| f.dyn_into::<Function>().ok()) else { return };
    delete.call1(&registry, &JsValue::from_str(name)).ok();
    if ranges.is_empty() {
        return;
    }
    let Some(class) = get(&global, "Highlight").and_then(|f| f.dyn_into::<Function>().ok()) else { return };
    let list: Array = ranges.iter().collect();
    if let (Ok(value), Some(set)) =
        (Reflect::construct(&class, &list), get(&registry, "set").and_then(|f| f.dyn_into::<Function>().ok()))
    {
        set.call2(&registry, &JsValue::from_str(name), &value).ok();
    }
}
