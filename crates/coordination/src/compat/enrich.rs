//! Response format of one event with all derived fields, such as role and category (`contract/monitor-api.md` §4.1).
//! Derived fields and serialised events of recent answers are cached ([`EnrichmentCache`]).

use std::sync::Arc;

use serde_json::{Map, Value};

use super::answer::write_value;
use crate::category::Category;
use crate::classify::Classifier;
use crate::event::{Event, EventPosition, derive_role};
use crate::hub::{Enrichment, EnrichmentCache, EnrichmentKey, EventRole, Hub};
use crate::json_number::number;
use crate::roster::Roster;

/// An event of an answer, to be written later: its line, and what the hub says of it.
#[derive(Debug)]
pub(super) struct PendingEvent {
    /// Number of the event in the hub.
    index: u32,
    /// The line of the log, from which the other fields are computed.
    line: Box<str>,
    role: EventRole,
    /// Category by the classifier in force; `None` when that is `v1`.
    category: Option<Category>,
    /// Shared cache of enrichments and written texts.
    cache: Arc<EnrichmentCache>,
}

impl PendingEvent {
    pub(super) fn new(hub: &Hub, by_v1: bool, index: u32) -> Self {
        Self {
            index,
            line: hub.event(index).raw.clone(),
            role: hub.v1_role(index),
            category: (!by_v1).then(|| hub.meta_of(index).category),
            cache: Arc::clone(hub.v1_enrichments()),
        }
    }

    /// Writes it at this depth.
    pub(super) fn write(&self, out: &mut Vec<u8>, depth: usize) {
        let text = self.cache.texts.get_or((self.key(), depth), <[u8]>::len, || {
            let mut text = Vec::with_capacity(3 * self.line.len());
            write_value(&mut text, &self.to_value(), depth);
            text.into()
        });
        out.extend_from_slice(&text);
    }

    fn key(&self) -> EnrichmentKey {
        (self.index, self.category.is_none())
    }

    fn to_value(&self) -> Value {
        let enrichment = self.cache.enrichments.get_or(
            self.key(),
            |_| 1,
            || {
                let event = Event::reparse(&self.line, EventPosition::new("".into(), EventPosition::NO_OFFSET));
                Arc::new(Enrichment::new(&event, self.role.role, self.category.is_none()))
            },
        );
        enriched(&self.line, self.role, &enrichment, self.category.unwrap_or(enrichment.category))
    }
}

/// All original keys, `data` with the derived keys written over it, and their copies on top.
#[must_use]
pub fn enrich(event: &Event, roster: &Roster, classifier: Classifier) -> Value {
    let role = EventRole::from(derive_role(event, roster));
    let enrichment = Enrichment::new(event, role.role, classifier == Classifier::V1);
    enriched(&event.raw, role, &enrichment, enrichment.category)
}

impl Hub {
    /// An event of the hub with all derived fields and with the category from the classifier in force.
    #[must_use]
    pub fn enrich(&self, event: &Event) -> Value {
        let number = self.find(&event.id()).filter(|_| self.classifier() != Classifier::V1);
        let given = number.map(|number| self.meta_of(number).category);
        let role = EventRole::from(derive_role(event, self.roster()));
        let enrichment = Enrichment::new(event, role.role, given.is_none());
        enriched(&event.raw, role, &enrichment, given.unwrap_or(enrichment.category))
    }
}

fn enriched(line: &str, role: EventRole, enrichment: &Enrichment, category: Category) -> Value {
    let mut top = match serde_json::from_str(line) {
        Ok(Value::Object(top)) => top,
        Ok(other) => return other,
        // It nests too deep to be read.
        Err(_) => return line.into(),
    };
    let mut data = match top.get_mut("data").map(Value::take) {
        Some(Value::Object(data)) => data,
        _ => Map::new(),
    };
    let mut own = Map::new();
    own.insert("eventRole".to_owned(), role.role.as_str().into());
    own.insert("fromSessionType".to_owned(), role.from_type.as_str().into());
    own.insert("toSessionType".to_owned(), role.to_type.as_str().into());
    own.insert("collabCategory".to_owned(), category.as_str().into());
    own.insert("collabSubTags".to_owned(), enrichment.sub_tags.clone().into());
    let source = serde_json::to_value(enrichment.source).unwrap_or(Value::Null);
    for (key, value) in &own {
        data.insert(key.clone(), value.clone());
    }
    match enrichment.intent.as_deref() {
        Some(intent) => data.insert("collabIntent".to_owned(), intent.into()),
        None => data.shift_remove("collabIntent"),
    };
    data.insert("categoryConfidence".to_owned(), number(enrichment.confidence));
    data.insert("categorySource".to_owned(), source.clone());
    data.insert("categoryVersion".to_owned(), (*enrichment.version).into());
    top.insert("data".to_owned(), Value::Object(data));
    top.extend(own);
    top.insert("categoryConfidence".to_owned(), number(enrichment.confidence));
    top.insert("categorySource".to_owned(), source);
    Value::Object(top)
}
