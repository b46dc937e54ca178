//! Decoding structs for [`CategoryCount`], [`Exchange`] and [`Mark`], in place of serde's derived decoders. Each struct
//! has all fields of the JSON object and is converted to the type. The derived decoders (`flatten`, `tag`) buffer each
//! object and made up a tenth of the dashboard's bundle. Encoders stay derived.

use serde::Deserialize;

use super::{CategoryCount, CategoryTotals, Exchange, Mark, MarkKind};
use crate::category::Category;
use crate::delivery::{Delivery, DeliveryState, ReasonClass};
use crate::ids::{AgentId, EventId};

/// Fields of [`CategoryCount`] and [`CategoryTotals`] in one object.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CountRow {
    key: Category,
    total: u32,
    active: u32,
    last_time: Option<i64>,
    #[serde(default)]
    spark: Vec<u32>,
}

impl From<CountRow> for CategoryCount {
    fn from(row: CountRow) -> Self {
        let CountRow { key, total, active, last_time, spark } = row;
        Self { key, totals: CategoryTotals { total, active, last_time, spark } }
    }
}

/// Fields of [`Exchange`] and [`Delivery`] in one object.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExchangeRow {
    id: EventId,
    sent_at: i64,
    state: DeliveryState,
    settled: Option<DeliveryState>,
    settled_at: Option<i64>,
    answer_id: Option<EventId>,
    reason: Option<ReasonClass>,
    detail: Option<String>,
    #[serde(default)]
    retries: u32,
    max_retries: Option<u32>,
    last_retry_at: Option<i64>,
    #[serde(default)]
    turns: u32,
    max_turns: Option<u32>,
    ended_by: Option<String>,
    announced: Option<bool>,
    #[serde(default)]
    one_way: bool,
    intent: Option<String>,
}

impl From<ExchangeRow> for Exchange {
    fn from(row: ExchangeRow) -> Self {
        let delivery = Delivery {
            settled: row.settled,
            settled_at: row.settled_at,
            answer_id: row.answer_id,
            reason: row.reason,
            detail: row.detail,
            retries: row.retries,
            max_retries: row.max_retries,
            last_retry_at: row.last_retry_at,
            turns: row.turns,
            max_turns: row.max_turns,
            ended_by: row.ended_by,
            announced: row.announced,
            one_way: row.one_way,
            intent: row.intent,
        };
        Self { id: row.id, sent_at: row.sent_at, state: row.state, delivery }
    }
}

/// A mark with the fields of every kind.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MarkRow {
    id: EventId,
    at: i64,
    exchange_id: Option<EventId>,
    from: AgentId,
    to: AgentId,
    kind: String,
    /// A class for no reply and blocked, else a text.
    reason: Option<String>,
    detail: Option<String>,
    waited_secs: Option<u32>,
    attempt: Option<u32>,
    max_attempts: Option<u32>,
    error_code: Option<String>,
    backoff_ms: Option<i64>,
    text: Option<String>,
    turns: Option<u32>,
    max_turns: Option<u32>,
    early: Option<bool>,
    announced: Option<bool>,
    failed: Option<bool>,
}

impl TryFrom<MarkRow> for Mark {
    type Error = &'static str;

    fn try_from(row: MarkRow) -> Result<Self, &'static str> {
        const MISSING: &str = "a mark lacks a field of its kind";
        let kind = match row.kind.as_str() {
            "noReply" => MarkKind::NoReply {
                reason: reason(row.reason.as_deref().ok_or(MISSING)?)?,
                detail: row.detail,
                waited_secs: row.waited_secs,
            },
            "blocked" => {
                MarkKind::Blocked { reason: reason(row.reason.as_deref().ok_or(MISSING)?)?, detail: row.detail }
            }
            "retry" => MarkKind::Retry {
                attempt: row.attempt.ok_or(MISSING)?,
                max_attempts: row.max_attempts.ok_or(MISSING)?,
                error_code: row.error_code,
                backoff_ms: row.backoff_ms,
            },
            "autoRoute" => MarkKind::AutoRoute { text: row.text.ok_or(MISSING)? },
            "complete" => MarkKind::Complete {
                reason: row.reason,
                turns: row.turns,
                max_turns: row.max_turns,
                early: row.early.ok_or(MISSING)?,
                announced: row.announced.ok_or(MISSING)?,
                failed: row.failed.ok_or(MISSING)?,
                detail: row.detail,
            },
            _ => return Err("a mark of an unknown kind"),
        };
        Ok(Self { id: row.id, at: row.at, kind, exchange_id: row.exchange_id, from: row.from, to: row.to })
    }
}

/// A class by its name on the wire; one this build does not know is [`ReasonClass::Unknown`].
fn reason(name: &str) -> Result<ReasonClass, &'static str> {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};
    let name: StrDeserializer<'_, Error> = name.into_deserializer();
    ReasonClass::deserialize(name).map_err(|_| "a reason of no class")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
        serde_json::from_value(serde_json::to_value(value).unwrap()).unwrap()
    }

    #[test]
    fn flattened_rows_round_trip() {
        let text = || Some("Error: timed out".to_owned());
        let kinds = [
            MarkKind::NoReply { reason: ReasonClass::Timeout, detail: text(), waited_secs: Some(300) },
            MarkKind::Blocked { reason: ReasonClass::Concurrency, detail: None },
            MarkKind::Retry { attempt: 1, max_attempts: 3, error_code: text(), backoff_ms: Some(5_000) },
            MarkKind::AutoRoute { text: "@seum".to_owned() },
            MarkKind::Complete {
                reason: Some("max_turns".to_owned()),
                turns: Some(4),
                max_turns: Some(5),
                early: true,
                announced: false,
                failed: true,
                detail: text(),
            },
        ];
        for kind in kinds {
            let mark = Mark {
                id: EventId::from("f-1"),
                at: 7,
                kind,
                exchange_id: Some(EventId::from("f-0")),
                from: AgentId::from("eden"),
                to: AgentId::from("seum"),
            };
            assert_eq!(round_trip(&mark), mark);
        }
        let delivery = Delivery {
            settled: Some(DeliveryState::NoReply),
            settled_at: Some(9),
            answer_id: Some(EventId::from("f-2")),
            reason: Some(ReasonClass::RateLimit),
            detail: text(),
            retries: 2,
            max_retries: Some(3),
            last_retry_at: Some(8),
            turns: 1,
            max_turns: Some(6),
            ended_by: text(),
            announced: Some(true),
            one_way: true,
            intent: text(),
        };
        let exchange = Exchange { id: EventId::from("f-1"), sent_at: 3, state: DeliveryState::NoReply, delivery };
        assert_eq!(round_trip(&exchange), exchange);
        let totals = CategoryTotals { total: 3, active: 1, last_time: Some(5), spark: vec![0, 2] };
        let count = CategoryCount { key: Category::InfraOps, totals };
        assert_eq!(round_trip(&count), count);
    }

    #[test]
    fn unknown_reason_class_parses_missing_field_fails() {
        let read = |text: &str| serde_json::from_str::<Mark>(text);
        let mark = read(r#"{"id":"a","at":1,"from":"x","to":"y","kind":"blocked","reason":"moonPhase"}"#).unwrap();
        assert_eq!(mark.kind, MarkKind::Blocked { reason: ReasonClass::Unknown, detail: None });
        assert!(read(r#"{"id":"a","at":1,"from":"x","to":"y","kind":"blocked"}"#).is_err());
    }
}
