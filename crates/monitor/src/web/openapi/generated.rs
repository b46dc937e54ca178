//! Generator of the OpenAPI document for REST v2 and for the input of hooks. It uses the route tables (`web::v2`) and
//! the types of the handlers ([`describe`]).
//!
//! The result is committed as `docs/openapi.json`. A test in `tests.rs` fails when the file is out of date. REST 1.x is
//! described in `docs/contract/monitor-api.md`.

mod common;
pub(in crate::web) mod describe;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::web::v2;

/// The description as the text of a file.
#[must_use]
pub fn document() -> String {
    let mut text = serde_json::to_string_pretty(&described()).unwrap_or_default();
    text.push('\n');
    text
}

fn described() -> Value {
    let mut document = serde_json::to_value(v2::openapi()).unwrap_or_default();
    document["info"] = common::info();
    document["servers"] = json!([{ "url": "/", "description": "Where the monitor is served" }]);
    document["tags"] = common::tags();
    document["components"]["securitySchemes"] = common::security();
    document["components"]["responses"] = common::responses();
    document["components"]["headers"] = common::headers();
    document["components"]["parameters"] = common::parameters();
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        // A rule may name the kinds that this version knows.
        let mut kinds = schemas.get("AttentionKind").cloned().unwrap_or_default();
        kinds["enum"].as_array_mut().into_iter().for_each(|kinds| kinds.retain(|kind| kind != "unknown"));
        schemas["AlertRuleSpec"]["properties"]["kinds"]["items"] = kinds;
        for (name, schema) in schemas.iter_mut() {
            drop_unknown_kind(schema);
            if !is_body(name) {
                left_out(schema);
            }
        }
    }
    if let Some(paths) = document["paths"].as_object_mut() {
        let cacheable = v2::cacheable_paths();
        for (path, item) in paths.iter_mut() {
            for (method, operation) in item.as_object_mut().into_iter().flatten() {
                complete(path, method, operation);
                if method == "get" && cacheable.contains(path) {
                    common::tagged(operation);
                }
            }
        }
        paths.sort_keys();
    }
    plain_words(&mut document);
    document
}

/// What utoipa cannot know of an operation: a name of its own, examples that are there in the fixtures, and the
/// answers that many operations have.
fn complete(path: &str, method: &str, operation: &mut Value) {
    operation["operationId"] = operation_id(method, path).into();
    let mut takes_input = operation.get("requestBody").is_some();
    for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
        takes_input = true;
        if let Some(schema) = parameter.get_mut("schema") {
            never_null(schema);
            common::known_words(schema);
        }
        // A blank one is as good as none.
        if parameter["in"] == "query" && parameter["required"] != true {
            parameter["allowEmptyValue"] = true.into();
        }
        if let Some(example) = common::example(path, parameter) {
            parameter["example"] = example;
        }
    }
    if let Some(body) = operation.get_mut("requestBody") {
        let media = &mut body["content"]["application/json"];
        never_null(&mut media["schema"]);
        media["example"] = common::body_example(method, path);
    }
    let writes = operation.get("security").is_some();
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    for (status, name) in common::responses_of(path, takes_input, writes) {
        responses.entry(status).or_insert_with(|| json!({ "$ref": format!("#/components/responses/{name}") }));
    }
    responses.sort_keys();
    for (status, answer) in responses.iter_mut() {
        if answer.get("$ref").is_some() {
            continue;
        }
        if answer.get("description").and_then(Value::as_str).is_none_or(str::is_empty) {
            answer["description"] = "The answer".into();
        }
        // Once upgraded, a stream has no headers of ours.
        if status != "101" {
            answer["headers"] = common::headers_of_an_answer();
        }
        for (kind, media) in answer.get_mut("content").and_then(Value::as_object_mut).into_iter().flatten() {
            // Bytes; they have no schema.
            if kind.starts_with("image/") {
                *media = json!({});
            }
        }
    }
}

/// `patch_v2_sessions_id_category`.
fn operation_id(method: &str, path: &str) -> String {
    let words = path.split(['/', '{', '}', '-']).filter(|word| !word.is_empty() && *word != "api");
    std::iter::once(method).chain(words).collect::<Vec<_>>().join("_")
}

/// Bodies may hold `null` for an absent value. An answer does only in a field that is always there.
fn is_body(schema: &str) -> bool {
    let is_part = matches!(schema, "CategoryItem" | "ResolvedMark" | "NotePlace" | "AlertRuleSpec");
    let is_whole =
        matches!(schema, "AlertTest" | "AlertRetry" | "PushSubscription" | "PermissionAsk" | "PermissionAnswer");
    is_part || is_whole || ["Patch", "Put", "Clear", "Removal", "Request"].iter().any(|ending| schema.ends_with(ending))
}

/// A kind that only a newer version writes cannot be sent, and an answer may have it anyway.
fn drop_unknown_kind(schema: &mut Value) {
    if let Some(Value::Array(kinds)) = schema.get_mut("oneOf") {
        kinds.retain(|kind| kind["properties"]["kind"]["enum"] != json!(["unknown"]));
    }
}

/// What may be left out is never `null`.
fn left_out(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(left_out),
        Value::Object(object) => {
            let required = object.get("required").cloned().unwrap_or_default();
            let always = |name: &String| required.as_array().is_some_and(|names| names.iter().any(|it| it == name));
            for (key, value) in object.iter_mut() {
                match (key.as_str(), value) {
                    ("properties", Value::Object(fields)) => {
                        fields.iter_mut().filter(|(name, _)| !always(name)).for_each(|(_, field)| never_null(field));
                    }
                    (_, value) => left_out(value),
                }
            }
        }
        _ => {}
    }
}

/// Takes the alternative `null` out of a schema and all below it.
fn never_null(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(never_null),
        Value::Object(object) => {
            object.values_mut().for_each(never_null);
            one_type(object);
            for alternatives in ["oneOf", "anyOf"] {
                let Some(Value::Array(items)) = object.get_mut(alternatives) else { continue };
                items.retain(|item| item.get("type").is_none_or(|kind| kind != "null"));
                if let [Value::Object(only)] = items.as_mut_slice() {
                    let only = std::mem::take(only);
                    object.shift_remove(alternatives);
                    object.extend(only);
                }
            }
        }
        _ => {}
    }
}

/// `["string", "null"]` as `"string"`.
fn one_type(object: &mut Map<String, Value>) {
    let Some(Value::Array(kinds)) = object.get_mut("type") else { return };
    kinds.retain(|kind| kind != "null");
    if let [only] = kinds.as_slice() {
        let only = only.clone();
        object.insert("type".to_owned(), only);
    }
}

/// Comments in the code point to code and to the papers behind it; a description cannot.
fn plain_words(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(plain_words),
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                match value {
                    Value::String(text) if matches!(key.as_str(), "description" | "summary") => *text = plain(text),
                    other => plain_words(other),
                }
            }
        }
        _ => {}
    }
}

/// Without citations of the contracts, and ``[`Type::field`](path)`` as `` `Type::field` ``.
fn plain(text: &str) -> String {
    let mut text = text.replace('\n', " ").replace("  ", " ");
    for start in [" (`contract/", " (§"] {
        while let Some(at) = text.find(start) {
            let Some(end) = text[at..].find(')').map(|end| at + end + 1) else { break };
            text.replace_range(at..end, "");
        }
    }
    while let Some(at) = text.find("[`") {
        let Some(close) = text[at..].find("`]").map(|close| at + close) else { break };
        let end = match text[close + 2..].starts_with('(') {
            true => text[close + 2..].find(')').map_or(close + 2, |end| close + 3 + end),
            false => close + 2,
        };
        let name = text[at + 1..=close].to_owned();
        text.replace_range(at..end, &name);
    }
    text
}
