//! Category fields that REST 1.x adds to each event: category, sub-tags, confidence, source, intent and version. They
//! are computed from the event's texts. [`EnrichmentCache`] holds them for recently requested events, together with the
//! JSON of these events.

use std::borrow::Cow;

use super::recent_cache::RecentCache;
use crate::category::{Category, CategorySource};
use crate::classify::{Classified, Classifier};
use crate::event::{DerivedRole, Event, Field};
use crate::role::{Role, SessionType};

/// Role and session types of an event by its own line and the roster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventRole {
    pub(crate) role: Role,
    /// Type of the session that spoke.
    pub(crate) from_type: SessionType,
    /// Type of the session that was addressed.
    pub(crate) to_type: SessionType,
}

impl From<DerivedRole> for EventRole {
    fn from(derived: DerivedRole) -> Self {
        Self { role: derived.role, from_type: derived.from_type, to_type: derived.to_type }
    }
}

/// Fields of a 1.x answer that are computed from the texts of an event.
#[derive(Debug)]
pub(crate) struct Enrichment {
    /// The event's own category.
    pub(crate) category: Category,
    pub(crate) sub_tags: Vec<Cow<'static, str>>,
    /// From 0 to 1.
    pub(crate) confidence: f64,
    /// How the category was decided.
    pub(crate) source: CategorySource,
    /// The intent that the event states.
    pub(crate) intent: Option<Box<str>>,
    /// Version of the classifier that decided.
    pub(crate) version: Box<str>,
}

impl Enrichment {
    /// By the classifier `v1`, or by `v2`.
    pub(crate) fn new(event: &Event, role: Role, by_v1: bool) -> Self {
        if by_v1 {
            let version = event.text(Field::CategoryVersion).unwrap_or("v1");
            Self::from_classified(event, crate::event::category::v1(event, role), version)
        } else {
            let classified = crate::event::category::v2_classified(event, role);
            Self::from_classified(event, classified, Classifier::V2.as_str())
        }
    }

    /// `version`: of the classifier that decided.
    fn from_classified(event: &Event, classified: Classified, version: &str) -> Self {
        Self {
            category: classified.category,
            sub_tags: classified.sub_tags,
            confidence: classified.confidence,
            source: classified.source,
            intent: event.text(Field::CollabIntent).map(Into::into),
            version: version.into(),
        }
    }
}

/// Enrichments in one half of their cache. Each takes about 200 bytes.
const HALF_ENRICHMENTS: usize = 32 * 1024;
/// Bytes in one half of the cache of written events.
const HALF_TEXT_BYTES: usize = 8 << 20;

/// An event by number and classifier.
pub(crate) type EnrichmentKey = (u32, bool);

/// What is kept of the events that were requested last. It does not change while roster and classifier stay.
#[derive(Debug)]
pub(crate) struct EnrichmentCache {
    pub(crate) enrichments: RecentCache<EnrichmentKey, Enrichment>,
    /// Written events, by the depth at which they stand.
    pub(crate) texts: RecentCache<(EnrichmentKey, usize), [u8]>,
}

impl Default for EnrichmentCache {
    fn default() -> Self {
        Self { enrichments: RecentCache::new(HALF_ENRICHMENTS), texts: RecentCache::new(HALF_TEXT_BYTES) }
    }
}
