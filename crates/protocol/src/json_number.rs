//! Conversion of floating-point numbers to JSON. Whole numbers below 9·10¹⁵ are serialised as in JavaScript: `1`,
//! not `1.0`.

use serde_json::Value;

/// A number as JavaScript writes it: `1`, not `1.0`.
#[must_use]
pub fn number(value: f64) -> Value {
    #[allow(clippy::cast_possible_truncation, reason = "the range is checked")]
    if value.fract() == 0.0 && value.abs() < 9e15 { Value::from(value as i64) } else { Value::from(value) }
}
