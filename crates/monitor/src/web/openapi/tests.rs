//! The committed description is the one the code gives, and has every route and no other.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{described, document, plain, plain_words};
use crate::web::{v1, v2};

#[test]
fn the_committed_description_is_what_the_code_gives() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let committed = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        committed == document(),
        "docs/openapi.json is stale. Make it anew and look at what changed:\n  \
         cargo run -q -p task-monitor -- openapi > docs/openapi.json && git diff docs/openapi.json"
    );
}

#[test]
fn every_route_is_described_and_nothing_else() {
    // A route that answers every method is a net below the others: all it says is that there is nothing.
    let nets = ["/api/v2/{*rest}", "/api/{*rest}", "/api/agents/{id}/{action}"];
    let routes = [format!("{:?}", v1::routes()), format!("{:?}", v2::routes())];
    let mut there: BTreeSet<String> = routes.iter().flat_map(|text| of_router(text)).collect();
    assert!(there.len() > 50, "the routers no longer tell their routes: {there:?}");
    there.retain(|route| !nets.iter().any(|net| route.ends_with(&format!(" {net}"))));
    let described = described();
    let paths = described["paths"].as_object().expect("paths");
    let told: BTreeSet<String> = paths
        .iter()
        .flat_map(|(path, item)| item.as_object().expect("item").keys().map(move |method| format!("{method} {path}")))
        .collect();
    // A path in a description cannot hold the rest of an address, only one part of it.
    let there: BTreeSet<String> = there.iter().map(|route| route.replace("{*rest}", "{rest}")).collect();
    assert_eq!(told, there);
}

/// Where a tag may be shown again is told, with what is answered then; and nowhere else.
#[test]
fn exactly_the_routes_whose_answers_bear_tags_say_so() {
    let there: BTreeSet<String> = of_router(&format!("{:?}", v2::tagged())).into_iter().collect();
    assert!(there.len() > 10, "{there:?}");
    let described = described();
    let mut told = BTreeSet::new();
    for (path, item) in described["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("item") {
            let not_modified = operation["responses"].get("304").is_some();
            let shown = operation["parameters"].as_array().into_iter().flatten();
            let shown = shown.filter(|it| it["$ref"] == "#/components/parameters/IfNoneMatch").count();
            let tag = operation.pointer("/responses/200/headers/ETag").is_some();
            assert_eq!((shown, tag), (usize::from(not_modified), not_modified), "{method} {path}");
            if not_modified {
                told.insert(format!("{method} {path}"));
            }
        }
    }
    assert_eq!(told, there);
}

/// `method path` of every route, out of what axum's router prints of itself.
fn of_router(text: &str) -> Vec<String> {
    let (routes, paths) = text.split_once("node: Node").expect("routes and their paths");
    // What follows is the net below, once more with paths of its own.
    let paths = paths.split("PathRouter").next().unwrap_or_default();
    let by_id = |text: &'static str| {
        move |part: &str| -> Option<(usize, String)> {
            let (id, rest) = part.split_once("): ")?;
            Some((id.parse().ok()?, rest.strip_prefix(text)?.to_owned()))
        }
    };
    let methods: Vec<(usize, String)> = routes.split("RouteId(").filter_map(by_id("MethodRouter")).collect();
    let paths: Vec<(usize, String)> = paths.split("RouteId(").filter_map(by_id("\"")).collect();
    assert_eq!(methods.len(), paths.len(), "the router prints itself otherwise than it did: {text}");
    let mut found = Vec::new();
    for (id, path) in paths {
        let path = path.split('"').next().unwrap_or_default();
        let written = methods.iter().find(|(other, _)| *other == id).map_or("", |(_, text)| text);
        let before = found.len();
        for method in ["get", "put", "post", "patch", "delete"] {
            if !written.contains(&format!(" {method}: None")) {
                found.push(format!("{method} {path}"));
            }
        }
        if found.len() == before {
            found.push(format!("any {path}"));
        }
    }
    found
}

#[test]
fn every_reference_leads_somewhere_and_every_operation_has_a_name_of_its_own() {
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
    assert_eq!(plain("As told (§A.5), see [`Status::at`](crate::x)."), "As told, see `Status::at`.");
    assert_eq!(plain("One of [`A`] and [`B`]; (of two)"), "One of `A` and `B`; (of two)");
}

#[test]
fn only_descriptions_and_summaries_are_rewritten() {
    let told = "See [`A`](crate::a).";
    let mut document = json!({ "summary": told, "example": told, "enum": [told], "inner": { "description": told } });
    plain_words(&mut document);
    let plain = "See `A`.";
    assert_eq!(
        document,
        json!({ "summary": plain, "example": told, "enum": [told], "inner": { "description": plain } }),
        "an example or a value is part of the contract"
    );
}
