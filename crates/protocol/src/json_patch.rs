//! Patches between two JSON values of one type: [`diff`] makes a patch, [`apply`] applies it. The format is JSON Merge
//! Patch (RFC 7396), with one addition. An array that has its old length and few changed items is patched by an object
//! that maps the index of each changed item to its patch.
//!
//! A field that is null counts as absent, as in the types that are patched (home-page data and session cards).

use serde_json::{Map, Value};

/// What turns `old` into `new`; `None` when they are equal.
#[must_use]
pub fn diff(old: &Value, new: &Value) -> Option<Value> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let mut fields = Map::new();
            for (name, value) in new.iter().filter(|(_, value)| !value.is_null()) {
                let before = old.get(name).filter(|before| !before.is_null());
                if let Some(change) = before.map_or_else(|| Some(value.clone()), |before| diff(before, value)) {
                    fields.insert(name.clone(), change);
                }
            }
            let is_gone = |name: &String| new.get(name).is_none_or(Value::is_null);
            let gone = old.iter().filter(|(name, value)| !value.is_null() && is_gone(name));
            fields.extend(gone.map(|(name, _)| (name.clone(), Value::Null)));
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        (Value::Array(old), Value::Array(items)) if old.len() == items.len() => {
            let changes = old.iter().zip(items).enumerate();
            let changes = changes.filter_map(|(at, (old, new))| Some((at.to_string(), diff(old, new)?)));
            let fields: Map<String, Value> = changes.collect();
            // A null item would read as a removal, and where most items differ their indexes are the larger part.
            let by_index = fields.len() * 2 <= items.len() && !fields.values().any(Value::is_null);
            match fields.is_empty() {
                true => None,
                false if by_index => Some(Value::Object(fields)),
                false => Some(new.clone()),
            }
        }
        (old, new) => (old != new).then(|| new.clone()),
    }
}

/// Puts a difference into the value it was found against.
pub fn apply(target: &mut Value, change: Value) {
    let Value::Object(changes) = change else {
        *target = change;
        return;
    };
    if let Value::Array(items) = target {
        for (at, change) in changes {
            if let Some(item) = at.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
                apply(item, change);
            }
        }
        return;
    }
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else { return };
    for (name, change) in changes {
        if change.is_null() {
            fields.remove(&name);
        } else {
            apply(fields.entry(name).or_insert(Value::Null), change);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Without fields that are null.
    fn plain(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                fields.iter().filter(|(_, it)| !it.is_null()).map(|(name, it)| (name.clone(), plain(it))).collect()
            }
            Value::Array(items) => items.iter().map(plain).collect(),
            other => other.clone(),
        }
    }

    #[test]
    fn only_what_differs_is_named() {
        let old = json!({"a": 1, "b": {"c": [1, 2, 3, 4], "d": "x"}, "e": true, "f": null});
        let new = json!({"a": 1, "b": {"c": [1, 2, 9, 4], "d": "x"}, "g": [1]});
        let change = diff(&old, &new);
        assert_eq!(change, Some(json!({"b": {"c": {"2": 9}}, "e": null, "g": [1]})));
        let mut held = old.clone();
        apply(&mut held, change.unwrap());
        assert_eq!(plain(&held), plain(&new));
        assert_eq!(diff(&new, &new), None);
    }

    /// Values of one type: objects of the same few optional fields, lists of them, and plain values.
    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), (0..4).prop_map(Value::from)];
        let item = (leaf.clone(), proptest::collection::vec(0..3, 0..5));
        let items = item.prop_map(|(a, b)| json!({"a": a, "b": b}));
        let list = proptest::collection::vec(items.clone(), 0..6);
        (leaf, list, proptest::option::of(items)).prop_map(|(x, y, z)| json!({"x": x, "y": y, "z": z}))
    }

    proptest! {
        #[test]
        fn a_difference_leads_from_one_value_to_the_other(old in values(), new in values()) {
            let mut held = old.clone();
            match diff(&old, &new) {
                Some(change) => apply(&mut held, change),
                None => prop_assert_eq!(plain(&old), plain(&new)),
            }
            prop_assert_eq!(plain(&held), plain(&new));
        }
    }
}
