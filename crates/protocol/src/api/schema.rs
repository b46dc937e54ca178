//! Hand-written OpenAPI schemas of types for which none can be derived: times and page cursors in queries, agent pairs,
//! the events that coding agents post, and the override that a client last saw before it changes a category.

use utoipa::openapi::schema::{AnyOf, Schema, SchemaType, Type};
use utoipa::openapi::{Array, Object, ObjectBuilder, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::{AgentPair, ExpectedOverride};
use crate::category::Category;

/// A time in a query: epoch milliseconds, or an ISO date or date-time.
#[derive(Debug, Clone, Copy)]
pub struct Moment;

/// The `next`, `previousPage` or `nextPage` of an earlier answer.
#[derive(Debug, Clone, Copy)]
pub struct PageMark;

/// A date of this or the last century with an optional time of day. Other forms of ISO 8601 that are read (a date
/// without a day, a comma before the fraction, `+09:00`) are not listed.
const ISO_PATTERN: &str = "^(19[7-9][0-9]|20[0-9]{2})-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|\
                   (0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))\
                   (T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?Z?)?$";

/// Eighteen digits: every number of milliseconds that fits.
const PAGE_MARK_PATTERN: &str = "^-?[0-9]{1,18}\\.[!-~]{1,200}$";

/// Two texts without blanks; a comma or a backslash of their own behind a backslash.
const PAIR_PATTERN: &str = r"^([^,\\\s\x85]|\\[,\\]){1,60},([^,\\\s\x85]|\\[,\\]){1,60}$";

/// Milliseconds that a date can hold, as in JavaScript.
const MAX_EPOCH_MS: i64 = 8_640_000_000_000_000;

impl PartialSchema for Moment {
    fn schema() -> RefOr<Schema> {
        let number = typed_schema(Type::Integer).minimum(Some(0)).maximum(Some(MAX_EPOCH_MS));
        let mut either = AnyOf::new();
        either.items = vec![number.into(), typed_schema(Type::String).pattern(Some(ISO_PATTERN)).into()];
        either.description =
            Some("Epoch milliseconds, or an ISO 8601 date or date-time (UTC where it names no zone)".into());
        RefOr::T(Schema::AnyOf(either))
    }
}

impl ToSchema for Moment {}

impl PartialSchema for PageMark {
    fn schema() -> RefOr<Schema> {
        let text = typed_schema(Type::String).pattern(Some(PAGE_MARK_PATTERN));
        RefOr::T(text.description(Some("Names a place in a list; taken from an earlier answer")).into())
    }
}

impl ToSchema for PageMark {}

/// Body of the POST of coding agents: one item or a list. Each item is checked on its own.
#[derive(Debug, Clone, Copy)]
pub struct PostedItems;

impl PartialSchema for PostedItems {
    fn schema() -> RefOr<Schema> {
        let any = Object::builder().schema_type(SchemaType::AnyValue);
        let mut either = AnyOf::new();
        either.items = vec![
            typed_schema(Type::Object).into(),
            Array::builder().items(any).max_items(Some(super::MAX_ITEMS)).into(),
        ];
        either.description = Some("One item, or at most 100 of them; what cannot be taken in is refused alone".into());
        RefOr::T(Schema::AnyOf(either))
    }
}

impl ToSchema for PostedItems {}

impl PartialSchema for AgentPair {
    fn schema() -> RefOr<Schema> {
        let text = typed_schema(Type::String).pattern(Some(PAIR_PATTERN));
        RefOr::T(text.description(Some("Two agents with a comma between, the lesser id first in answers")).into())
    }
}

impl ToSchema for AgentPair {}

impl PartialSchema for ExpectedOverride {
    fn schema() -> RefOr<Schema> {
        let words = [None].into_iter().chain(Category::ALL.map(Some)).map(|seen| String::from(Self(seen)));
        let words = typed_schema(Type::String).enum_values(Some(words));
        RefOr::T(words.description(Some("The override in force, or `automatic` where there is none")).into())
    }
}

impl ToSchema for ExpectedOverride {}

fn typed_schema(kind: Type) -> ObjectBuilder {
    Object::builder().schema_type(SchemaType::Type(kind))
}
