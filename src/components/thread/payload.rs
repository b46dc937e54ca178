//! Card of a message's structured payload (`contract/events.md` §7.2): labelled values.

use coordination::api::Payload;
use coordination::text::hidden;
use leptos::prelude::*;
use serde_json::Value;

use crate::components::hidden::Name;
use crate::components::json::{self, JsonView};
use crate::components::plain::Plain;
use crate::i18n::{I18n, use_i18n};
use crate::ui::Icon;

/// Nodes of the page that a card's keys and values may cost.
const MAX_CARD_NODES: usize = 1_100;
/// Nodes that a payload may cost as JSON.
const MAX_JSON_NODES: usize = 2_000;
/// A payload's frame, and its body where that is one text with all its marks.
const MIN_PAYLOAD_NODES: usize = 300;

/// Nodes of the page that a payload costs, at most: its message's text has that many less.
pub fn nodes(payload: &Payload) -> usize {
    let body = json::nodes(&payload.body, MAX_JSON_NODES);
    MIN_PAYLOAD_NODES + if body > MAX_JSON_NODES { 0 } else { body }
}

/// Card of a payload. Unknown keys are shown as written, and a payload with too many parts as JSON.
#[component]
pub fn PayloadCard(payload: Payload) -> impl IntoView {
    let words = use_i18n();
    let kind = payload.kind.clone();
    let title = move || (words.get().thread().payload_kind)(&kind).map_or_else(|| kind.clone(), ToOwned::to_owned);
    let body = match payload.body {
        // Too many parts for a card: they are shown as written.
        body if json::nodes(&body, MAX_CARD_NODES) > MAX_CARD_NODES => {
            view! { <JsonView value=body nodes=MAX_JSON_NODES /> }.into_any()
        }
        Value::Object(map) => {
            let rows = map
                .into_iter()
                .filter(|(_, value)| !is_blank(value))
                .map(|(key, value)| view! { <PayloadRow key=key value=value /> })
                .collect_view();
            view! { <dl>{rows}</dl> }.into_any()
        }
        Value::String(text) => view! { <pre class="json"><Plain text=text /></pre> }.into_any(),
        other => view! { <pre class="json">{other.to_string()}</pre> }.into_any(),
    };
    view! {
        <div class="payload">
            <p class="payload__kind">{Icon::Plan} {title}</p>
            {body}
        </div>
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// One field: its name and its value.
#[component]
fn PayloadRow(key: String, value: Value) -> impl IntoView {
    let words = use_i18n();
    let written = key.clone();
    let name = move || {
        (words.get().thread().payload_field)(&key).map_or_else(|| hidden::marked(&key).into_owned(), ToOwned::to_owned)
    };
    view! {
        <dt>{name}</dt>
        <dd>{draw(&written, value, words)}</dd>
    }
}

fn draw(key: &str, value: Value, words: I18n) -> AnyView {
    match value {
        Value::String(text) if key.ends_with("Id") => {
            view! { <code class="code-inline"><Name text=text /></code> }.into_any()
        }
        Value::String(text) if matches!(key, "status" | "priority") => (move || value_word(words, &text)).into_any(),
        Value::String(text) => view! { <Plain text=text /> }.into_any(),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| view! { <li>{draw("", item, words)}</li> }).collect_view();
            view! { <ul>{items}</ul> }.into_any()
        }
        other => other.to_string().into_any(),
    }
}

/// States and priorities in the page's words, others as written.
fn value_word(words: I18n, text: &str) -> String {
    let common = &words.get().common;
    if let Ok(status) = text.parse() {
        return (common.task_status)(status).to_owned();
    }
    let thread = words.get().thread();
    (thread.payload_value)(text).map_or_else(|| text.to_owned(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use coordination::api::Payload;
    use coordination::markdown::MAX_NODES;
    use serde_json::{Value, json};

    use super::super::sections::{node_limits, sections};
    use super::{MAX_CARD_NODES, MAX_JSON_NODES, MIN_PAYLOAD_NODES, nodes};

    #[test]
    fn payload_and_text_share_one_node_limit() {
        let marked = "\u{200b}a".repeat(70);
        let many = |count: usize| -> Value { json!(vec![marked.as_str(); count]) };
        let bodies =
            [json!({}), many(5), many(7), many(8), many(1_000), json!({ marked.as_str(): many(5) }), json!(marked)];
        for body in bodies {
            let cost = nodes(&Payload { kind: "question".to_owned(), body });
            for text in ["x".to_owned(), "[Goal] x\n".repeat(5_000)] {
                let text_cost: usize = node_limits(&sections(&text), cost).iter().sum();
                assert!(cost + text_cost <= MAX_NODES, "{cost} and {text_cost}");
                assert!(text_cost >= MAX_NODES / 2, "a payload leaves its message's text room: {text_cost}");
            }
        }
        let large = nodes(&Payload { kind: "question".to_owned(), body: many(7) });
        assert!(large > MIN_PAYLOAD_NODES + MAX_CARD_NODES && large <= MIN_PAYLOAD_NODES + MAX_JSON_NODES, "{large}");
    }
}
