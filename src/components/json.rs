//! JSON as written, indented, with keys and plain values told apart; without that when it is large.

use leptos::prelude::*;
use serde_json::Value;

use super::hidden::every_mark;
use super::plain::Plain;
use crate::i18n::{Words, use_words};

/// Keys and values that are drawn one by one.
const MAX_PARTS: usize = 800;
/// Bytes of a text inside that are drawn as such.
const MAX_TEXT: usize = 16 * 1024;

/// The value.
#[component]
pub fn JsonView(value: Value) -> impl IntoView {
    if parts(&value, MAX_PARTS) > MAX_PARTS {
        let text = serde_json::to_string_pretty(&value).unwrap_or_default();
        return view! { <pre class="json" tabindex="0"><Plain text=text /></pre> }.into_any();
    }
    let words = use_words();
    let mut parts = Vec::new();
    draw(&value, 0, words, &mut parts);
    view! {
        <pre class="json" tabindex="0">
            <code lang="en">{parts}</code>
        </pre>
    }
    .into_any()
}

/// How many keys and values it holds, counted as far as one more than `most`; a very long text counts as too many.
pub fn parts(value: &Value, most: usize) -> usize {
    let sum = |inner: &mut dyn Iterator<Item = &Value>| {
        let mut sum = 1;
        for value in inner {
            if sum > most {
                break;
            }
            sum += 1 + parts(value, most);
        }
        sum
    };
    match value {
        Value::Object(map) => sum(&mut map.values()),
        Value::Array(items) => sum(&mut items.iter()),
        Value::String(text) if text.len() > MAX_TEXT => most + 1,
        _ => 1,
    }
}

fn span(class: &'static str, text: &str, words: Words) -> AnyView {
    view! { <span class=class>{every_mark(text, words)}</span> }.into_any()
}

fn draw(value: &Value, depth: usize, words: Words, out: &mut Vec<AnyView>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push("{".into_any());
            let mut first = true;
            for (key, value) in map {
                line(depth + 1, &mut first, out);
                out.push(span("is-key", &Value::String(key.clone()).to_string(), words));
                out.push(": ".into_any());
                draw(value, depth + 1, words, out);
            }
            out.push(format!("\n{}}}", "  ".repeat(depth)).into_any());
        }
        Value::Array(items) if !items.is_empty() => {
            out.push("[".into_any());
            let mut first = true;
            for value in items {
                line(depth + 1, &mut first, out);
                draw(value, depth + 1, words, out);
            }
            out.push(format!("\n{}]", "  ".repeat(depth)).into_any());
        }
        Value::String(_) => out.push(span("is-text", &value.to_string(), words)),
        other => out.push(span("is-atom", &other.to_string(), words)),
    }
}

fn line(depth: usize, first: &mut bool, out: &mut Vec<AnyView>) {
    let comma = if std::mem::take(first) { "" } else { "," };
    out.push(format!("{comma}\n{}", "  ".repeat(depth)).into_any());
}
