//! View of a JSON value, indented, with different styles for keys and values. A large value is shown as plain text.

use coordination::text::hidden;
use leptos::prelude::*;
use serde_json::Value;

use super::hidden::every_mark;
use super::plain::{Plain, UNFOLDED_BYTES};
use crate::i18n::{I18n, use_i18n};

/// Nodes of the page that keys and values drawn one by one may cost.
const MAX_NODES: usize = 3_000;
/// Around a key and its value, an item, or a whole object.
const PUNCTUATION_NODES: usize = 3;
/// The button of a text that begins folded.
const FOLD_NODES: usize = 6;
/// Bytes of a text inside that are drawn as such.
const MAX_TEXT_BYTES: usize = 16 * 1024;

/// The value.
#[component]
pub fn JsonView(
    value: Value,
    /// Nodes it may cost when it is one of several parts; beyond that it is one text.
    #[prop(default = MAX_NODES)]
    nodes: usize,
) -> impl IntoView {
    if self::nodes(&value, nodes) > nodes {
        let text = serde_json::to_string_pretty(&value).unwrap_or_default();
        return view! { <pre class="json" tabindex="0"><Plain text=text /></pre> }.into_any();
    }
    let words = use_i18n();
    let mut parts = Vec::new();
    draw(&value, 0, words, &mut parts);
    view! {
        <pre class="json" tabindex="0">
            <code lang="en">{parts}</code>
        </pre>
    }
    .into_any()
}

/// Nodes of the page that it costs drawn key by key, as a card or as JSON, counted as far as a little more than `most`;
/// a very long text counts as too many. Never less than are drawn.
pub fn nodes(value: &Value, most: usize) -> usize {
    let mut sum = 0;
    count(value, most, &mut sum);
    sum
}

fn count(value: &Value, most: usize, sum: &mut usize) {
    *sum += match value {
        Value::String(text) => of_text(text, most),
        Value::Object(_) | Value::Array(_) => PUNCTUATION_NODES,
        _ => of_text("", most),
    };
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if *sum > most {
                    return;
                }
                *sum += PUNCTUATION_NODES + of_text(key, most);
                count(value, most, sum);
            }
        }
        Value::Array(items) => {
            for item in items {
                if *sum > most {
                    return;
                }
                *sum += PUNCTUATION_NODES;
                count(item, most, sum);
            }
        }
        _ => {}
    }
}

/// A text with its element, its quotes and the marks of its hidden characters.
fn of_text(text: &str, most: usize) -> usize {
    match text.len() {
        // Not looked at: it is drawn as a whole or not at all.
        bytes if bytes > MAX_TEXT_BYTES => most + 1,
        bytes => {
            let fold = if bytes > UNFOLDED_BYTES { FOLD_NODES } else { 0 };
            let marks = if hidden::is_plain(text) { 0 } else { 3 + 2 * hidden::pieces(text).len() };
            2 + marks + fold
        }
    }
}

fn span(class: &'static str, text: &str, words: I18n) -> AnyView {
    view! { <span class=class>{every_mark(text, words)}</span> }.into_any()
}

fn draw(value: &Value, depth: usize, words: I18n, out: &mut Vec<AnyView>) {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{MAX_NODES, MAX_TEXT_BYTES, nodes};

    #[test]
    fn json_marks_count_toward_node_limit() {
        let marked = "\u{200b}a".repeat(70);
        let (plain, hidden) = (nodes(&json!("a"), MAX_NODES), nodes(&json!(marked), MAX_NODES));
        // 64 marks of an element and its text, the texts between, the rest.
        assert!(plain <= 3 && hidden >= 64 * 3 + 2, "{plain} {hidden}");
        let texts: Vec<&str> = vec![&marked; 20];
        assert!(nodes(&json!(texts), MAX_NODES) > MAX_NODES, "20 texts of 64 marks");
        let keys: serde_json::Map<_, _> = (0..20).map(|at| (format!("{marked}{at}"), json!(1))).collect();
        assert!(nodes(&json!(keys), MAX_NODES) > MAX_NODES, "20 keys of 64 marks");
        let long = "a".repeat(MAX_TEXT_BYTES + 1);
        assert!(nodes(&json!([long]), MAX_NODES) > MAX_NODES && nodes(&json!({ long: 1 }), MAX_NODES) > MAX_NODES);
    }

    #[test]
    fn json_of_400_keys_fits_node_limit() {
        let entries = |count: usize| -> serde_json::Map<_, _> {
            (0..count).map(|at| (format!("key{at}"), json!("한 줄의 값"))).collect()
        };
        assert!(nodes(&json!(entries(400)), MAX_NODES) <= MAX_NODES);
        assert!(nodes(&json!(entries(500)), MAX_NODES) > MAX_NODES);
        // Counting ends soon after it is too much.
        let deep = json!([entries(9_000), [entries(9_000)]]);
        assert!(nodes(&deep, MAX_NODES) < MAX_NODES + 50);
    }
}
