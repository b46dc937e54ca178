//! JSON reader for one line of the log, in a single pass. It reads the event's type, agent, status and time, and the
//! known fields of its `data` object. A value of the wrong type counts as absent.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::field::{Collector, Field, FieldTable};

/// Content of a line.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    pub(super) event_type: Option<Cow<'a, str>>,
    /// Values of the known fields.
    pub(super) slots: FieldTable,
    /// Epoch milliseconds; 0 without a usable time.
    pub(super) at: i64,
}

/// Reads `raw`, which is one JSON value.
pub(super) fn read(raw: &str) -> Result<Envelope<'_>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(raw);
    let envelope = deserializer.deserialize_map(EnvelopeVisitor { raw })?;
    deserializer.end()?;
    Ok(envelope)
}

struct EnvelopeVisitor<'a> {
    raw: &'a str,
}

impl<'de> Visitor<'de> for EnvelopeVisitor<'_> {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
        let mut fields = Collector::default();
        let mut event_type = None;
        let (mut ts, mut timestamp_ms, mut timestamp) = (None, None, None);
        while let Some(key) = map.next_key_seed(KeySeed)? {
            match &*key {
                "type" => event_type = map.next_value_seed(Loose)?.into_text().filter(|text| !text.is_empty()),
                "agentId" => {
                    map.next_value_seed(FieldSeed { field: Field::AgentId, raw: self.raw, fields: &mut fields })?;
                }
                "status" => {
                    map.next_value_seed(FieldSeed { field: Field::TopStatus, raw: self.raw, fields: &mut fields })?;
                }
                "ts" => ts = map.next_value_seed(Loose)?.number(),
                "timestampMs" => timestamp_ms = map.next_value_seed(Loose)?.number(),
                "timestamp" => timestamp = map.next_value_seed(Loose)?.into_text(),
                "data" => map.next_value_seed(DataSeed { raw: self.raw, fields: &mut fields })?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let at = timestamp_ms
            .and_then(usable_time)
            .or_else(|| ts.and_then(usable_time))
            .or_else(|| timestamp.as_deref().and_then(protocol::time::parse_iso).filter(|at| *at > 0))
            .unwrap_or(0);
        Ok(Envelope { event_type, slots: fields.finish(), at })
    }
}

/// Accepts times that a JavaScript date can hold and that are after 1970 (`contract/monitor-api.md` D26).
fn usable_time(number: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "the range is checked")]
    (1.0..=8.64e15).contains(&number).then_some(number as i64)
}

/// The body of an event: an object, or anything else, which counts as empty.
struct DataSeed<'a> {
    raw: &'a str,
    fields: &'a mut Collector,
}

impl<'de> DeserializeSeed<'de> for DataSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The scalar arms of a visitor that reads and discards.
macro_rules! ignore_scalars {
    () => {
        fn visit_bool<E>(self, _: bool) -> Result<(), E> {
            Ok(())
        }
        fn visit_i64<E>(self, _: i64) -> Result<(), E> {
            Ok(())
        }
        fn visit_u64<E>(self, _: u64) -> Result<(), E> {
            Ok(())
        }
        fn visit_f64<E>(self, _: f64) -> Result<(), E> {
            Ok(())
        }
        fn visit_str<E>(self, _: &str) -> Result<(), E> {
            Ok(())
        }
        fn visit_unit<E>(self) -> Result<(), E> {
            Ok(())
        }
    };
}

impl<'de> Visitor<'de> for DataSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    ignore_scalars!();

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(KeySeed)? {
            match Field::of_data(&key) {
                Some(field) => map.next_value_seed(FieldSeed { field, raw: self.raw, fields: self.fields })?,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// One field's value, put into the collector.
struct FieldSeed<'a> {
    field: Field,
    raw: &'a str,
    fields: &'a mut Collector,
}

impl<'de> DeserializeSeed<'de> for FieldSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.fields.clear(self.field);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FieldSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<(), E> {
        self.fields.text_in_line(self.field, self.raw, text);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.fields.text_aside(self.field, text);
        Ok(())
    }

    fn visit_bool<E>(self, flag: bool) -> Result<(), E> {
        self.fields.flag(self.field, flag);
        Ok(())
    }

    #[allow(clippy::cast_precision_loss, reason = "a JSON number is a double for every reader of this file")]
    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.fields.number(self.field, number as f64);
        Ok(())
    }

    #[allow(clippy::cast_precision_loss, reason = "a JSON number is a double for every reader of this file")]
    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.fields.number(self.field, number as f64);
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.fields.number(self.field, number);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// A key, borrowed where it has no escapes.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(text.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(text.to_owned().into())
    }
}

/// A scalar of the envelope.
enum Scalar<'a> {
    KeySeed(Cow<'a, str>),
    Number(f64),
    Other,
}

impl<'a> Scalar<'a> {
    fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::KeySeed(Cow::Borrowed(text)) => Some(super::field::trim(text).into()),
            Self::KeySeed(Cow::Owned(text)) => Some(super::field::trim(&text).to_owned().into()),
            Self::Number(_) | Self::Other => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::KeySeed(_) | Self::Other => None,
        }
    }
}

struct Loose;

impl<'de> DeserializeSeed<'de> for Loose {
    type Value = Scalar<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scalar<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Loose {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Scalar<'de>, E> {
        Ok(Scalar::KeySeed(text.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar<'de>, E> {
        Ok(Scalar::KeySeed(text.to_owned().into()))
    }

    #[allow(clippy::cast_precision_loss, reason = "a JSON number is a double for every reader of this file")]
    fn visit_i64<E>(self, number: i64) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Number(number as f64))
    }

    #[allow(clippy::cast_precision_loss, reason = "a JSON number is a double for every reader of this file")]
    fn visit_u64<E>(self, number: u64) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Other)
    }

    fn visit_unit<E>(self) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar<'de>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}
