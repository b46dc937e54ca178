//! Find in thread: marks every match with the browser's own highlights, so the document stays as it is.

use js_sys::{Array, Function, Object, Reflect};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

use crate::i18n::use_words;
use crate::ui::Icon;

const ALL: &str = "find-hit";
const HERE: &str = "find-here";

/// The bar: a field, `n / m`, and buttons. `root` is searched again whenever `content` changes.
#[component]
pub fn FindBar(
    /// The element whose message texts are searched.
    root: NodeRef<html::Div>,
    /// Changes when the texts do.
    #[prop(into)]
    content: Signal<usize>,
    on_close: Callback<()>,
) -> impl IntoView {
    let words = use_words();
    let query = RwSignal::new(String::new());
    let field = NodeRef::<html::Input>::new();
    let hits = StoredValue::new_local(Vec::<web_sys::Range>::new());
    let found = RwSignal::new(0_usize);
    let here = RwSignal::new(0_usize);

    // Searches the drawn texts: they live outside the reactive graph.
    Effect::new(move |_| {
        content.track();
        let ranges = root.get().map(|root| matches(&root, &query.get())).unwrap_or_default();
        highlight(ALL, &ranges);
        let before = found.get_untracked();
        found.set(ranges.len());
        if before == 0 || here.get_untracked() >= ranges.len() {
            here.set(ranges.len().saturating_sub(1));
        }
        hits.set_value(ranges);
    });
    // Shows the current match: scrolling and highlights belong to the browser.
    Effect::new(move |_| {
        let (_, here) = (found.get(), here.get());
        let range = hits.with_value(|hits| hits.get(here).cloned());
        highlight(HERE, range.as_slice());
        if let Some(element) =
            range.and_then(|range| range.start_container().ok()).and_then(|node| node.parent_element())
        {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Center);
            element.scroll_into_view_with_scroll_into_view_options(&options);
        }
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

    let step = move |forward: bool| {
        let count = found.get_untracked();
        if count > 0 {
            here.update(|here| *here = (*here + if forward { 1 } else { count - 1 }) % count);
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        "Enter" if !event.is_composing() => {
            event.prevent_default();
            step(!event.shift_key());
        }
        "Escape" => on_close.run(()),
        _ => {}
    };
    let count = move || {
        let words = words.get().thread();
        match (query.with(String::is_empty), found.get()) {
            (true, _) => String::new(),
            (false, 0) => words.find_none.to_owned(),
            (false, all) => (words.find_count)(here.get() + 1, all),
        }
    };
    view! {
        <div class="thread-find" role="search">
            <input
                type="search"
                node_ref=field
                aria-label=move || words.get().thread().find_in
                placeholder=move || words.get().thread().find
                title=move || words.get().thread().find_loaded_only
                on:input=move |event| query.set(event_target_value(&event))
                on:keydown=on_key
            />
            <span class="thread-find__count" role="status">
                {count}
            </span>
            <button
                type="button"
                class="icon-button"
                aria-label=move || words.get().thread().find_previous
                on:click=move |_| step(false)
            >
                {Icon::ArrowUp}
            </button>
            <button
                type="button"
                class="icon-button"
                aria-label=move || words.get().thread().find_next
                on:click=move |_| step(true)
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
        </div>
    }
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
