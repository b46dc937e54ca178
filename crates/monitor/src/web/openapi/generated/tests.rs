//! Tests of the OpenAPI document: the committed one equals the one generated from the router's route tables, references
//! resolve, operation ids are unique, and descriptions contain no links into the code.
//!
//! Proves (api): docs/openapi.json equals what the code generates and has every route.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{described, document, plain, plain_words};

#[test]
fn the_committed_description_is_what_the_code_gives() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let committed = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        committed == document(),
        "docs/openapi.json is stale. Regenerate it and review the difference:\n  \
         cargo run -q -p task-monitor -- openapi > docs/openapi.json && git diff docs/openapi.json"
    );
}

#[test]
fn references_resolve_and_operation_ids_are_unique() {
    let described = described();
    let mut references = BTreeSet::new();
    walk(&described, &mut |object| references.extend(object.get("$ref").and_then(Value::as_str).map(str::to_owned)));
    assert!(references.len() > 100, "{}", references.len());
    for reference in &references {
        assert!(described.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    let mut ids = Vec::new();
    walk(&described, &mut |object| ids.extend(object.get("operationId").and_then(Value::as_str).map(str::to_owned)));
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{ids:?}");
}

fn walk(value: &Value, look: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, look)),
        Value::Object(object) => {
            look(object);
            object.values().for_each(|value| walk(value, look));
        }
        _ => {}
    }
}

#[test]
fn descriptions_do_not_point_into_the_code() {
    assert_eq!(plain("As sent (§A.5), see [`Status::at`](crate::x)."), "As sent, see `Status::at`.");
    assert_eq!(plain("One of [`A`] and [`B`]; (of two)"), "One of `A` and `B`; (of two)");
}

#[test]
fn only_descriptions_and_summaries_are_rewritten() {
    let text = "See [`A`](crate::a).";
    let mut document = json!({ "summary": text, "example": text, "enum": [text], "inner": { "description": text } });
    plain_words(&mut document);
    let plain = "See `A`.";
    assert_eq!(
        document,
        json!({ "summary": plain, "example": text, "enum": [text], "inner": { "description": plain } }),
        "an example or a value is part of the contract"
    );
}
