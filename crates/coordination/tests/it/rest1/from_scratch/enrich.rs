//! Expected JSON (test oracle) of one event in REST 1.x responses, with its derived fields
//! (`contract/monitor-api.md` §4.1).

use serde_json::{Map, Value};

use coordination::category::Category;
use coordination::classify::{Classified, Classifier};
use coordination::event::DerivedRole;
use coordination::event::{Event, Field};
use coordination::json_number::number;

/// In the form of the original 1.x monitor; with the category of the classifier in force, where there is one.
pub(super) fn enriched(event: &Event, derived: DerivedRole, given: Option<Category>) -> Value {
    match given {
        None => with(event, derived, &coordination::event::category::v1(event, derived.role), None),
        Some(category) => {
            let classified =
                Classified { category, ..coordination::event::category::v2_classified(event, derived.role) };
            with(event, derived, &classified, Some(Classifier::V2.as_str()))
        }
    }
}

/// `version`: of the deciding classifier, unless the event's own version is used.
fn with(event: &Event, derived: DerivedRole, classified: &Classified, version: Option<&str>) -> Value {
    let Value::Object(mut top) = event.to_value() else { return event.to_value() };
    let mut data = match top.get_mut("data").map(Value::take) {
        Some(Value::Object(data)) => data,
        _ => Map::new(),
    };
    let mut own = Map::new();
    own.insert("eventRole".to_owned(), derived.role.as_str().into());
    own.insert("fromSessionType".to_owned(), derived.from_type.as_str().into());
    own.insert("toSessionType".to_owned(), derived.to_type.as_str().into());
    own.insert("collabCategory".to_owned(), classified.category.as_str().into());
    own.insert("collabSubTags".to_owned(), classified.sub_tags.clone().into());
    let source = serde_json::to_value(classified.source).unwrap_or(Value::Null);
    for (key, value) in &own {
        data.insert(key.clone(), value.clone());
    }
    match event.text(Field::CollabIntent) {
        Some(intent) => data.insert("collabIntent".to_owned(), intent.into()),
        None => data.shift_remove("collabIntent"),
    };
    data.insert("categoryConfidence".to_owned(), number(classified.confidence));
    data.insert("categorySource".to_owned(), source.clone());
    let version = version.or_else(|| event.text(Field::CategoryVersion)).unwrap_or("v1");
    data.insert("categoryVersion".to_owned(), version.into());
    top.insert("data".to_owned(), Value::Object(data));
    top.extend(own);
    top.insert("categoryConfidence".to_owned(), number(classified.confidence));
    top.insert("categorySource".to_owned(), source);
    Value::Object(top)
}
