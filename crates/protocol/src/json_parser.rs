//! Parser from JSON text to [`Value`]. It replaces `serde_json::from_str` in the page, because it adds less code to the
//! page's bundle: its errors give no reason, and the caller reads numbers with a fraction or an exponent, which every
//! browser can.

use serde_json::{Map, Number, Value};

/// The text is not JSON. It gives no reason, which keeps the bundle small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseError;

/// Reader of a JSON number that is no 64-bit integer, such as `-1.5e3`. `None` when it is out of range.
pub type ParseFloat = fn(&str) -> Option<f64>;

/// Arrays and objects may be nested to one level less, as in `serde_json`: the parser calls itself for each level.
const MAX_DEPTH: usize = 128;

/// The value that `text` holds. Of equal keys of an object the last one counts.
///
/// # Errors
///
/// [`ParseError`] when the text is not JSON, is nested too deep, or holds a number out of range.
pub fn parse(text: &str, float: ParseFloat) -> Result<Value, ParseError> {
    let mut parser = Parser { text, at: 0, float };
    let value = parser.value(MAX_DEPTH)?;
    match parser.next_token() {
        None => Ok(value),
        Some(_) => Err(ParseError),
    }
}

struct Parser<'t> {
    text: &'t str,
    /// Byte offset of what is read next.
    at: usize,
    float: ParseFloat,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no white space.
    fn next_token(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    /// Takes this byte if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self, depth: usize) -> Result<Value, ParseError> {
        match self.next_token() {
            Some(b'{') => self.object(depth - 1),
            Some(b'[') => self.array(depth - 1),
            Some(b'"') => self.string().map(Value::String),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(ParseError),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, ParseError> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += word.len();
        if rest.starts_with(word.as_bytes()) { Ok(value) } else { Err(ParseError) }
    }

    fn object(&mut self, depth: usize) -> Result<Value, ParseError> {
        let mut fields = Map::new();
        self.items(depth, b'}', |parser| {
            if parser.next_token() != Some(b'"') {
                return Err(ParseError);
            }
            let name = parser.string()?;
            if parser.next_token() != Some(b':') {
                return Err(ParseError);
            }
            parser.at += 1;
            let value = parser.value(depth)?;
            fields.insert(name, value);
            Ok(())
        })?;
        Ok(Value::Object(fields))
    }

    fn array(&mut self, depth: usize) -> Result<Value, ParseError> {
        let mut items = Vec::new();
        self.items(depth, b']', |parser| {
            items.push(parser.value(depth)?);
            Ok(())
        })?;
        Ok(Value::Array(items))
    }

    /// Items between an opening byte, which is next, and `end`.
    fn items(
        &mut self,
        depth: usize,
        end: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), ParseError>,
    ) -> Result<(), ParseError> {
        self.at += 1;
        if depth == 0 {
            return Err(ParseError);
        }
        if self.next_token() == Some(end) {
            self.at += 1;
            return Ok(());
        }
        loop {
            item(self)?;
            let next = self.next_token().ok_or(ParseError)?;
            self.at += 1;
            match next {
                b',' => {}
                next if next == end => return Ok(()),
                _ => return Err(ParseError),
            }
        }
    }

    /// A string, whose opening quote is next.
    fn string(&mut self) -> Result<String, ParseError> {
        self.at += 1;
        let mut out = String::new();
        let mut start = self.at;
        loop {
            let byte = self.peek().ok_or(ParseError)?;
            if !matches!(byte, b'"' | b'\\' | 0..0x20) {
                self.at += 1;
                continue;
            }
            out.push_str(self.text.get(start..self.at).ok_or(ParseError)?);
            self.at += 1;
            match byte {
                b'"' => return Ok(out),
                b'\\' => out.push(self.escaped()?),
                _ => return Err(ParseError),
            }
            start = self.at;
        }
    }

    /// The character of an escape, whose backslash is read.
    fn escaped(&mut self) -> Result<char, ParseError> {
        let byte = self.peek().ok_or(ParseError)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.code_unit()?;
                let code = match unit {
                    // The first half of a pair.
                    0xd800..0xdc00 => {
                        let low = if self.take(b'\\') && self.take(b'u') { self.code_unit()? } else { 0 };
                        let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400).ok_or(ParseError)?;
                        0x1_0000 + ((unit - 0xd800) << 10) + low
                    }
                    unit => unit,
                };
                char::from_u32(code).ok_or(ParseError)?
            }
            _ => return Err(ParseError),
        })
    }

    /// Four hexadecimal digits.
    fn code_unit(&mut self) -> Result<u32, ParseError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16)).ok_or(ParseError)?;
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<Value, ParseError> {
        let start = self.at;
        let negative = self.take(b'-');
        // No digit follows a leading zero.
        if !self.take(b'0') {
            self.digits()?;
        }
        let mut whole = true;
        if self.take(b'.') {
            whole = false;
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            whole = false;
            if !self.take(b'-') {
                self.take(b'+');
            }
            self.digits()?;
        }
        let text = self.text.get(start..self.at).ok_or(ParseError)?;
        let integer = match negative {
            true => text.parse::<i64>().ok().filter(|number| *number != 0).map(Number::from),
            false => text.parse::<u64>().ok().map(Number::from),
        };
        let number = integer.filter(|_| whole).or_else(|| Number::from_f64((self.float)(text)?));
        number.map(Value::Number).ok_or(ParseError)
    }

    /// At least one digit.
    fn digits(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(ParseError) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Option<Value> {
        parse(text, |text| text.parse().ok()).ok()
    }

    fn reference(text: &str) -> Option<Value> {
        serde_json::from_str(text).ok()
    }

    #[test]
    fn odd_texts_read_like_serde_json() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let mixed = |depth: usize| format!("{}1{}", "{\"a\":[".repeat(depth), "]}".repeat(depth));
        let texts = [
            "",
            " ",
            "null",
            " true ",
            "tru",
            "truex",
            "nul",
            "falsefalse",
            "[]",
            "[ ]",
            "[,]",
            "[1,]",
            "[1 2]",
            "[1",
            "{}",
            "{ }",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\":1 \"b\":2}",
            "{a:1}",
            "{\"a\":1}}",
            "{\"a\":1,\"b\":2,\"a\":3}",
            "0",
            "-0",
            "-",
            "+1",
            "01",
            "-01",
            "1.",
            ".5",
            "1.5",
            "1e",
            "1e+",
            "1e5",
            "1E-2",
            "-1.25e+2",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775808",
            "-9223372036854775809",
            "1e308",
            "1e309",
            "-1e309",
            "1e-400",
            "0.1",
            "\"",
            "\"a\"",
            "\"\\",
            "\"\\q\"",
            "\"\\u00e9\"",
            "\"\\u12\"",
            "\"\\u+123\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ud83dx\"",
            "\"\\ud83d\\n\"",
            "\"\\ud83d\\ud83d\"",
            "\"\\ude00\"",
            "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
            "\"a\nb\"",
            "\"\u{7f}한글 😀\"",
            "\u{feff}1",
            "1 2",
            "// a\n1",
            "\u{a0}1",
            "[1]\u{b}",
            "NaN",
            "Infinity",
        ];
        let nested = [126, 127, 128, 129].map(deep).into_iter().chain([63, 64].map(mixed));
        for text in texts.map(str::to_owned).into_iter().chain(nested) {
            assert_eq!(parsed(&text), reference(&text), "{text}");
        }
        assert_eq!(parsed("-0").map(|zero| zero.to_string()).as_deref(), Some("-0.0"));
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::vec((".{0,4}", inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn written_values_are_read_back(value in json(), pretty in any::<bool>()) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            prop_assert_eq!(parsed(&text), Some(value));
        }

        /// A changed byte makes other JSON or none; both parsers say the same. Numbers with a fraction are left out:
        /// `serde_json` may read one that no program writes to the neighbour of the nearest value.
        #[test]
        fn damaged_texts_read_like_serde_json(value in json(), place in any::<prop::sample::Index>(), byte in 0x20_u8..0x7f) {
            let mut bytes = value.to_string().into_bytes();
            let place = place.index(bytes.len());
            bytes[place] = byte;
            if let Ok(text) = String::from_utf8(bytes) {
                let without_floats = |value: Value| serde_json::to_string(&value).ok().filter(|text| !text.contains('.'));
                prop_assert_eq!(parsed(&text).is_some(), reference(&text).is_some());
                let expected = reference(&text).and_then(without_floats);
                prop_assert!(expected.is_none() || parsed(&text).and_then(without_floats) == expected);
            }
        }
    }
}
