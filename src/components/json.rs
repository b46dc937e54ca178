//! JSON as written, indented, with keys and plain values told apart.

use leptos::prelude::*;
use serde_json::Value;

/// The value.
#[component]
pub fn JsonView(value: Value) -> impl IntoView {
    let mut parts = Vec::new();
    draw(&value, 0, &mut parts);
    view! {
        <pre class="json" tabindex="0">
            <code lang="en">{parts}</code>
        </pre>
    }
}

fn span(class: &'static str, text: String) -> AnyView {
    view! { <span class=class>{text}</span> }.into_any()
}

fn draw(value: &Value, depth: usize, out: &mut Vec<AnyView>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push("{".into_any());
            let mut first = true;
            for (key, value) in map {
                line(depth + 1, &mut first, out);
                out.push(span("is-key", Value::String(key.clone()).to_string()));
                out.push(": ".into_any());
                draw(value, depth + 1, out);
            }
            out.push(format!("\n{}}}", "  ".repeat(depth)).into_any());
        }
        Value::Array(items) if !items.is_empty() => {
            out.push("[".into_any());
            let mut first = true;
            for value in items {
                line(depth + 1, &mut first, out);
                draw(value, depth + 1, out);
            }
            out.push(format!("\n{}]", "  ".repeat(depth)).into_any());
        }
        Value::String(_) => out.push(span("is-text", value.to_string())),
        other => out.push(span("is-atom", other.to_string())),
    }
}

fn line(depth: usize, first: &mut bool, out: &mut Vec<AnyView>) {
    let comma = if std::mem::take(first) { "" } else { "," };
    out.push(format!("{comma}\n{}", "  ".repeat(depth)).into_any());
}
