//! First difference of two JSON values.

use std::collections::BTreeSet;

use serde_json::Value;

/// Where two values differ first, with both.
pub(super) fn difference(wanted: &Value, found: &Value, place: &str) -> Option<String> {
    match (wanted, found) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            let member =
                |object: &serde_json::Map<String, Value>, name: &str| object.get(name).cloned().unwrap_or_default();
            names
                .into_iter()
                .find_map(|name| difference(&member(one, name), &member(other, name), &format!("{place}.{name}")))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).enumerate();
            pairs.into_iter().find_map(|(number, (one, other))| difference(one, other, &format!("{place}[{number}]")))
        }
        _ if wanted == found => None,
        _ => Some(format!("{place}: {} instead of {}", brief(found), brief(wanted))),
    }
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::difference;

    #[test]
    fn differences_name_path_and_values() {
        let (one, other) = (json!({ "a": [1, { "b": 2 }] }), json!({ "a": [1, { "b": 3 }] }));
        assert_eq!(difference(&one, &one, ""), None);
        assert_eq!(difference(&one, &other, "").as_deref(), Some(".a[1].b: 3 instead of 2"));
        let shorter = json!({ "a": [1] });
        assert!(difference(&one, &shorter, "").is_some_and(|place| place.starts_with(".a: [1] instead of")));
    }
}
