//! Stricter variant of the OpenAPI description, for the contract test. In the committed file (`docs/openapi.json`) a
//! response may have further fields, because newer monitors add some. In this variant it may not, so the test finds
//! every field that this monitor sends but does not describe.
//!
//! Request bodies may still have further fields. Query parameters that may be empty are described in a form that the
//! test tool, Schemathesis, understands.

use serde_json::{Map, Value, json};

/// What only bodies of requests are made of. There the monitor passes over what it does not know.
const REQUEST_BODY_SCHEMAS: [&str; 7] =
    ["CategoriesPatch", "CategoryPatch", "CategoryClear", "CategoryItem", "TaughtPut", "Taught", "TaughtWord"];
const SCHEMA_REF_PREFIX: &str = "#/components/schemas/";

/// The same description with every answer closed.
pub fn closed(mut described: Value) -> Value {
    let open = described["components"]["schemas"].as_object().cloned().unwrap_or_default();
    if let Some(schemas) = described["components"]["schemas"].as_object_mut() {
        for (name, schema) in schemas.iter_mut() {
            if !REQUEST_BODY_SCHEMAS.contains(&name.as_str()) && name != "AgentHint" {
                close(schema, &open);
            }
        }
    }
    let items = described["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    for operation in items.filter_map(Value::as_object_mut).flat_map(|item| item.values_mut()) {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten();
        parameters.for_each(|parameter| may_be_blank(parameter, &open));
    }
    described
}

/// The same description without values that a fixed one cannot exclude: moments after `clock`, which are in the future, and
/// long waits of hooks, each of which would hold the test up.
pub fn limited(mut described: Value, clock: &str) -> Value {
    let mut past = described["components"]["schemas"]["Moment"].clone();
    for form in past["anyOf"].as_array_mut().into_iter().flatten() {
        if form["type"] == "integer" {
            form["maximum"] = json!(clock.parse::<i64>().unwrap_or(0));
        }
        if let Some(pattern) = form["pattern"].as_str() {
            // Years up to 2019: the clock is a later one.
            form["pattern"] = pattern.replace("20[0-9]{2}", "20[01][0-9]").into();
        }
    }
    let paths = described["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    for operation in paths.filter_map(Value::as_object_mut).flat_map(|item| item.values_mut()) {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten();
        for parameter in parameters.filter(|parameter| parameter["name"] == "at" && parameter["in"] == "query") {
            parameter["schema"] = past.clone();
        }
    }
    if let Some(wait) = described.pointer_mut("/components/schemas/PermissionAsk/properties/waitSeconds") {
        wait["maximum"] = json!(1);
    }
    described
}

/// `allowEmptyValue` as part of the schema: schemathesis passes over the word.
fn may_be_blank(parameter: &mut Value, open: &Map<String, Value>) {
    if parameter["allowEmptyValue"] != true {
        return;
    }
    let schema = &mut parameter["schema"];
    let one = if schema.get("items").is_some() { &mut schema["items"] } else { schema };
    // Any text may be blank as it is: an alternative would only be one more thing to violate.
    let known = opened(one, open);
    let is_any_text =
        known["type"] == "string" && ["enum", "pattern", "format"].iter().all(|key| known.get(key).is_none());
    if is_any_text {
        parameter.as_object_mut().map(|parameter| parameter.shift_remove("allowEmptyValue"));
        return;
    }
    *one = json!({ "anyOf": [one.take(), { "type": "string", "pattern": "^ *$" }] });
}

fn close(schema: &mut Value, open: &Map<String, Value>) {
    let Value::Object(object) = schema else { return };
    if let Some(Value::Array(parts)) = object.get_mut("allOf") {
        // What is joined must stay open, or each part would refuse what the others bring.
        for part in parts.iter_mut() {
            *part = opened(part, open);
            close_below(part, open);
        }
        object.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
        return;
    }
    let is_open_object = object.contains_key("properties") && !object.contains_key("additionalProperties");
    if is_open_object {
        object.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
    }
    for alternatives in ["oneOf", "anyOf"] {
        if let Some(Value::Array(branches)) = object.get_mut(alternatives) {
            branches.iter_mut().for_each(|branch| close(branch, open));
        }
    }
    close_below(schema, open);
}

/// Closes the schemas of fields and list items.
fn close_below(schema: &mut Value, open: &Map<String, Value>) {
    let Value::Object(object) = schema else { return };
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties", Value::Object(fields)) => fields.values_mut().for_each(|field| close(field, open)),
            ("items" | "additionalProperties", value) => close(value, open),
            ("prefixItems", Value::Array(items)) => items.iter_mut().for_each(|item| close(item, open)),
            ("oneOf" | "anyOf" | "allOf", Value::Array(branches)) => {
                branches.iter_mut().for_each(|branch| close_below(branch, open));
            }
            _ => {}
        }
    }
}

/// A reference as what it leads to, and so on through all that is joined or chosen from.
fn opened(schema: &Value, open: &Map<String, Value>) -> Value {
    let named = schema.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix(SCHEMA_REF_PREFIX));
    let mut schema = named.and_then(|name| open.get(name)).unwrap_or(schema).clone();
    for joined in ["allOf", "oneOf", "anyOf"] {
        if let Some(Value::Array(parts)) = schema.get_mut(joined) {
            parts.iter_mut().for_each(|part| *part = opened(part, open));
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::{Value, closed, json};

    #[test]
    fn allow_empty_value_permits_blank_parameters() {
        let blank = json!({ "type": "string", "pattern": "^ *$" });
        let word = json!({ "type": "integer" });
        let parameters = json!([
            { "name": "one", "schema": word, "allowEmptyValue": true },
            { "name": "many", "schema": { "type": "array", "items": word }, "allowEmptyValue": true },
            { "name": "must", "schema": word },
        ]);
        let closed = closed(json!({ "paths": { "/a": { "get": { "parameters": parameters } } } }));
        let parameters = &closed["paths"]["/a"]["get"]["parameters"];
        assert_eq!(parameters[0]["schema"]["anyOf"], json!([word, blank]));
        assert_eq!(parameters[1]["schema"]["items"]["anyOf"], json!([word, blank]));
        assert_eq!(parameters[2]["schema"], word);
    }

    #[test]
    fn all_of_is_closed_once_bodies_stay_open() {
        let named = |fields: Value| json!({ "type": "object", "properties": fields });
        let part = json!({ "$ref": "#/components/schemas/Part" });
        let schemas = json!({
            "Part": named(json!({ "a": { "type": "string" } })),
            "Whole": { "allOf": [part, named(json!({ "b": named(json!({})) }))] },
            "Free": { "type": "object", "properties": {}, "additionalProperties": {} },
            "TaughtPut": named(json!({})),
        });
        let closed = closed(json!({ "components": { "schemas": schemas } }));
        let schemas = &closed["components"]["schemas"];
        assert_eq!(schemas["Part"]["unevaluatedProperties"], false);
        assert_eq!(schemas["Whole"]["unevaluatedProperties"], false);
        assert_eq!(schemas["Whole"]["allOf"][0], named(json!({ "a": { "type": "string" } })));
        assert_eq!(schemas["Whole"]["allOf"][1]["properties"]["b"]["unevaluatedProperties"], false);
        assert_eq!(schemas["Whole"]["allOf"][1].get("unevaluatedProperties"), None);
        assert_eq!(schemas["Free"].get("unevaluatedProperties"), None);
        assert_eq!(schemas["TaughtPut"].get("unevaluatedProperties"), None);
    }
}
