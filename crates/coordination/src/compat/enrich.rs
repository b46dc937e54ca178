//! Response format of one event with all derived fields (`contract/monitor-api.md` §4.1).

use serde_json::{Map, Value};

use crate::category::Category;
use crate::classify::{Classified, Classifier};
use crate::event::{DerivedRole, derive_role};
use crate::event::{Event, Field};
use crate::json_number::number;
use crate::roster::Roster;

/// All original keys, `data` with the derived keys written over it, and their copies on top.
#[must_use]
pub fn enrich(event: &Event, roster: &Roster, classifier: Classifier) -> Value {
    let derived = derive_role(event, roster);
    match classifier {
        Classifier::V1 => enriched(event, derived, None),
        Classifier::V2 => {
            with(event, derived, &crate::event::category::v2_classified(event, derived.role), Some(classifier.as_str()))
        }
    }
}

/// In the form of the existing monitor; with the category of the classifier in force, where there is one.
pub(super) fn enriched(event: &Event, derived: DerivedRole, given: Option<Category>) -> Value {
    match given {
        None => with(event, derived, &crate::event::category::v1(event, derived.role), None),
        Some(category) => {
            let classified = Classified { category, ..crate::event::category::v2_classified(event, derived.role) };
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
