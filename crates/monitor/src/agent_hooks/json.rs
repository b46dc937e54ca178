//! JSON parser that returns each value with its byte range in the text, so that an editor can change one value and
//! leave all other bytes as they are. It accepts more than JSON, so callers first parse the text with `serde_json`.

use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// A value and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// Byte range in the text.
    pub(super) at: Range<usize>,
    pub(super) kind: JsonKind,
}

/// The kinds of values that the editor distinguishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JsonKind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Text(String),
    /// A number, `true`, `false` or `null`.
    Other,
}

/// A member of an object; it begins with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    /// Byte offset of its name.
    pub(super) start: usize,
    pub(super) name: String,
    pub(super) value: Node,
}

impl Node {
    /// The members of an object.
    pub(super) fn members(&self) -> Option<&[Member]> {
        if let JsonKind::Object(members) = &self.kind { Some(members) } else { None }
    }

    /// The values of a list.
    pub(super) fn items(&self) -> Option<&[Self]> {
        if let JsonKind::Array(items) = &self.kind { Some(items) } else { None }
    }

    /// A member's value.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.members()?.iter().find(|member| member.name == name).map(|member| &member.value)
    }

    /// A text.
    pub(super) fn text(&self) -> Option<&str> {
        if let JsonKind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// The places of what an object or list holds, names included.
    pub(super) fn parts(&self) -> Vec<Range<usize>> {
        match &self.kind {
            JsonKind::Object(members) => members.iter().map(|member| member.start..member.value.at.end).collect(),
            JsonKind::Array(items) => items.iter().map(|item| item.at.clone()).collect(),
            JsonKind::Text(_) | JsonKind::Other => Vec::new(),
        }
    }
}

/// The one value of a text that `serde_json` accepts; a byte order mark is passed over.
pub(super) fn parse(text: &str) -> Option<Node> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let parsed = parse_to_ast(text.get(start..)?, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    Some(node(&parsed.value?, start))
}

/// A parsed value, its place counted from the start of the text.
fn node(value: &Value<'_>, start: usize) -> Node {
    let kind = match value {
        Value::Object(object) => JsonKind::Object(
            object
                .properties
                .iter()
                .map(|member| Member {
                    start: start + member.range.start,
                    name: member.name.as_str().to_owned(),
                    value: node(&member.value, start),
                })
                .collect(),
        ),
        Value::Array(array) => JsonKind::Array(array.elements.iter().map(|element| node(element, start)).collect()),
        Value::StringLit(text) => JsonKind::Text(text.value.to_string()),
        Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => JsonKind::Other,
    };
    let range = value.range();
    Node { at: start + range.start..start + range.end, kind }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// The value that the spans describe.
    fn rebuilt(text: &str, node: &Node) -> Value {
        match &node.kind {
            JsonKind::Object(members) => {
                members.iter().map(|member| (member.name.clone(), rebuilt(text, &member.value))).collect()
            }
            JsonKind::Array(items) => items.iter().map(|item| rebuilt(text, item)).collect(),
            JsonKind::Text(text) => Value::from(text.as_str()),
            JsonKind::Other => serde_json::from_str(&text[node.at.clone()]).expect("a value"),
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[ -~가-힣\n\"\\\\]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[a-z\"]{0,3}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn spans_match_a_strict_parser(value in values(), pretty: bool, bom: bool) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = format!("{}{}\n", if bom { "\u{feff}" } else { "" }, text.expect("text"));
            prop_assert_eq!(rebuilt(&text, &parse(&text).expect("parsed")), value);
        }

        #[test]
        fn arbitrary_text_never_panics(text in "[\\[\\]{}\",:\\\\a1 \n]{0,24}") {
            let strict = serde_json::from_str::<Value>(&text).is_ok();
            prop_assert!(!strict || parse(&text).is_some(), "{}", text);
        }
    }
}
