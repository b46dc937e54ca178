//! Decoder from JSON values to wire types. It replaces `serde_json::from_value`, because it adds less code to the
//! page's bundle. It accepts only objects for structs, not arrays, and its errors give no reason.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_json::{Map, Value};

/// The JSON value does not fit the type. It gives no reason, which keeps the bundle small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeError;

/// `value` as a `T`.
///
/// # Errors
///
/// [`DecodeError`] when it does not fit.
pub fn decode<T: DeserializeOwned>(value: Value) -> Result<T, DecodeError> {
    T::deserialize(Json(value))
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the value does not fit the type")
    }
}

impl std::error::Error for DecodeError {}

/// Every constructor drops its reason, so that no message is compiled in.
impl de::Error for DecodeError {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self
    }
    fn invalid_value(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self
    }
    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        Self
    }
    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self
    }
    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self
    }
    fn missing_field(_: &'static str) -> Self {
        Self
    }
    fn duplicate_field(_: &'static str) -> Self {
        Self
    }
}

struct Json(Value);

impl Json {
    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let Value::Number(number) = self.0 else { return Err(DecodeError) };
        if let Some(number) = number.as_u64() {
            return visitor.visit_u64(number);
        }
        match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => visitor.visit_i64(number),
            (None, Some(number)) => visitor.visit_f64(number),
            (None, None) => Err(DecodeError),
        }
    }

    fn text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            _ => Err(DecodeError),
        }
    }

    fn list<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(JsonItems(items.into_iter())),
            _ => Err(DecodeError),
        }
    }

    fn object<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::Object(fields) => visitor.visit_map(Fields { rest: fields.into_iter(), value: Value::Null }),
            _ => Err(DecodeError),
        }
    }
}

/// Methods that all do the same.
macro_rules! like {
    ($as:ident: $($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            self.$as(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Json {
    type Error = DecodeError;

    like! { number: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
    deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64 }
    like! { text: deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf }
    like! { list: deserialize_seq }
    like! { object: deserialize_map }

    /// Called for types that accept any JSON value.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(_) => self.number(visitor),
            Value::String(_) => self.text(visitor),
            Value::Array(_) => self.list(visitor),
            Value::Object(_) => self.object(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.0.as_bool().ok_or(DecodeError).and_then(|value| visitor.visit_bool(value))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.0.is_null() { visitor.visit_unit() } else { Err(DecodeError) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.list(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.object(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(JsonVariant { name, content: Value::Null }),
            Value::Object(fields) => {
                let mut fields = fields.into_iter();
                match (fields.next(), fields.next()) {
                    (Some((name, content)), None) => visitor.visit_enum(JsonVariant { name, content }),
                    _ => Err(DecodeError),
                }
            }
            _ => Err(DecodeError),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.0.as_str().ok_or(DecodeError).and_then(|name| visitor.visit_str(name))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }
}

struct JsonItems(std::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for JsonItems {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, DecodeError> {
        self.0.next().map(|item| seed.deserialize(Json(item))).transpose()
    }
}

struct Fields {
    rest: <Map<String, Value> as IntoIterator>::IntoIter,
    value: Value,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DecodeError> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(Json(Value::String(name))).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, DecodeError> {
        seed.deserialize(Json(self.value.take()))
    }
}

struct JsonVariant {
    name: String,
    content: Value,
}

impl<'de> EnumAccess<'de> for JsonVariant {
    type Error = DecodeError;
    type Variant = Json;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Json), DecodeError> {
        let name: StrDeserializer<'_, DecodeError> = self.name.as_str().into_deserializer();
        Ok((seed.deserialize(name)?, Json(self.content)))
    }
}

impl<'de> VariantAccess<'de> for Json {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        if self.0.is_null() { Ok(()) } else { Err(DecodeError) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DecodeError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.list(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, DecodeError> {
        self.object(visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum ThingKind {
        Plain,
        Wrapped(u8),
        Named {
            at: i64,
        },
        #[serde(other)]
        Other,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Thing {
        id: String,
        kinds: Vec<ThingKind>,
        maybe: Option<bool>,
        #[serde(default)]
        share: f64,
        pair: (i32, String),
        any: Value,
        counts: BTreeMap<String, u64>,
    }

    fn thing() -> Value {
        json!({
            "id": "a", "kinds": ["plain", {"wrapped": 7}, {"named": {"at": -3}}, "new"], "maybe": null, "share": 0.5,
            "pair": [-1, "b"], "any": {"deep": [1, null, 2.5]}, "counts": {"x": 18446744073709551615u64}, "unknown": []
        })
    }

    #[test]
    fn every_shape_reads_as_serde_json_reads_it() {
        let ours: Thing = decode(thing()).unwrap();
        assert_eq!(ours, serde_json::from_value::<Thing>(thing()).unwrap());
        assert_eq!(
            ours.kinds,
            [ThingKind::Plain, ThingKind::Wrapped(7), ThingKind::Named { at: -3 }, ThingKind::Other]
        );
    }

    #[test]
    fn misfits_are_refused_like_serde_json() {
        for (field, wrong) in [
            ("id", json!(3)),
            ("kinds", json!([{"wrapped": 300}])),
            ("kinds", json!({"plain": 1, "wrapped": 2})),
            ("maybe", json!("yes")),
            ("pair", json!([1])),
            ("counts", json!({"x": -1})),
        ] {
            let mut value = thing();
            value[field] = wrong;
            assert!(serde_json::from_value::<Thing>(value.clone()).is_err(), "{field}");
            assert_eq!(decode::<Thing>(value), Err(DecodeError), "{field}");
        }
        let mut value = thing();
        value.as_object_mut().unwrap().remove("id");
        assert_eq!(decode::<Thing>(value), Err(DecodeError));
    }
}
