//! JSON text in the page: parser of answers, frames and stored values, and writer of strings for stored values. The
//! parser reads numbers with a fraction by the browser, so that the bundle needs no tables for it.

use coordination::json_parser;
use serde_json::Value;

/// The value that the text holds; `None` when it is not JSON.
pub fn parse(text: &str) -> Option<Value> {
    json_parser::parse(text, float).ok()
}

#[cfg(target_arch = "wasm32")]
fn float(text: &str) -> Option<f64> {
    Some(js_sys::parse_float(text))
}

#[cfg(not(target_arch = "wasm32"))]
fn float(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// The text as a JSON string, with its quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\0'..' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A JSON array of values that are JSON text.
pub fn array(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    format!("[{}]", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::{array, parse, quoted};
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn quoted_texts_are_read_back(texts in proptest::collection::vec(any::<String>(), 0..4)) {
            let text = array(texts.iter().map(|text| quoted(text)));
            prop_assert_eq!(serde_json::from_str(&text).ok(), Some(json!(texts)));
            prop_assert_eq!(parse(&text), Some(json!(texts)));
        }
    }

    #[test]
    fn fractions_are_numbers() {
        assert_eq!(parse("[0.25, -1e3, 7]"), Some(json!([0.25, -1000.0, 7])));
    }
}
