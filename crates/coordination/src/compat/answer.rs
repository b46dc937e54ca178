//! Writer of a REST 1.x answer (the API of the original monitor) in parts of about 64 KiB. The JSON is indented by two
//! spaces, as by `JSON.stringify(value, null, 2)`. An answer holds copies of its log lines, so the hub is not locked
//! while a client reads.

use serde_json::{Map, Value};

use super::enrich::PendingEvent;

/// Bytes of a part; its last value may exceed them.
const PART_BYTES: usize = 64 * 1024;

/// A value of the answer that is not written yet.
pub(super) enum AnswerNode {
    Value(Value),
    Object(Vec<(&'static str, Self)>),
    Array(Vec<Self>),
    Event(Box<PendingEvent>),
}

impl<T: Into<Value>> From<T> for AnswerNode {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

/// An object or array whose beginning is written.
enum OpenNode {
    Object(std::vec::IntoIter<(&'static str, AnswerNode)>),
    Array(std::vec::IntoIter<AnswerNode>),
}

/// An answer. As an iterator it gives the parts of its text.
pub struct V1Answer {
    /// The whole, until the first part is requested.
    root: Option<AnswerNode>,
    /// Objects and arrays whose end is not written yet, the innermost last.
    open: Vec<OpenNode>,
    /// The next member is the first of its object or array.
    is_first: bool,
}

impl V1Answer {
    pub(super) fn new(members: Vec<(&'static str, AnswerNode)>) -> Self {
        Self { root: Some(AnswerNode::Object(members)), open: Vec::new(), is_first: true }
    }

    /// The whole text.
    #[must_use]
    pub fn into_text(self) -> String {
        let bytes: Vec<u8> = self.flatten().collect();
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// The whole as a value.
    #[must_use]
    pub fn into_value(self) -> Value {
        serde_json::from_str(&self.into_text()).unwrap_or_default()
    }

    fn write_node(&mut self, out: &mut Vec<u8>, node: AnswerNode) {
        match node {
            AnswerNode::Value(value) => write_value(out, &value, self.open.len()),
            AnswerNode::Event(event) => event.write(out, self.open.len()),
            AnswerNode::Object(members) if members.is_empty() => out.extend_from_slice(b"{}"),
            AnswerNode::Array(items) if items.is_empty() => out.extend_from_slice(b"[]"),
            AnswerNode::Object(members) => {
                out.push(b'{');
                self.open.push(OpenNode::Object(members.into_iter()));
                self.is_first = true;
            }
            AnswerNode::Array(items) => {
                out.push(b'[');
                self.open.push(OpenNode::Array(items.into_iter()));
                self.is_first = true;
            }
        }
    }

    fn write_next(&mut self, out: &mut Vec<u8>, open: OpenNode) {
        let (next, rest, end) = match open {
            OpenNode::Object(mut members) => {
                let next = members.next().map(|(key, node)| (Some(key), node));
                (next, OpenNode::Object(members), b'}')
            }
            OpenNode::Array(mut items) => (items.next().map(|node| (None, node)), OpenNode::Array(items), b']'),
        };
        let Some((key, node)) = next else {
            new_line(out, self.open.len());
            out.push(end);
            self.is_first = false;
            return;
        };
        self.open.push(rest);
        begin_member(out, self.open.len(), self.is_first);
        self.is_first = false;
        if let Some(key) = key {
            write_text(out, key);
            out.extend_from_slice(b": ");
        }
        self.write_node(out, node);
    }
}

impl Iterator for V1Answer {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        if let Some(root) = self.root.take() {
            self.write_node(&mut out, root);
        }
        while out.len() < PART_BYTES
            && let Some(open) = self.open.pop()
        {
            self.write_next(&mut out, open);
        }
        (!out.is_empty()).then_some(out)
    }
}

fn new_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.resize(out.len() + 2 * depth, b' ');
}

fn begin_member(out: &mut Vec<u8>, depth: usize, is_first: bool) {
    if !is_first {
        out.push(b',');
    }
    new_line(out, depth);
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    // A text is always written.
    serde_json::to_writer(out, text).unwrap_or_default();
}

/// Writes a value whose first line is at this depth.
pub(super) fn write_value(out: &mut Vec<u8>, value: &Value, depth: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => write_object(out, members, depth),
        Value::Array(items) if !items.is_empty() => {
            out.push(b'[');
            for (number, item) in items.iter().enumerate() {
                begin_member(out, depth + 1, number == 0);
                write_value(out, item, depth + 1);
            }
            new_line(out, depth);
            out.push(b']');
        }
        Value::String(text) => write_text(out, text),
        // Numbers of a `Value` are finite, so each can be written.
        other => serde_json::to_writer(out, other).unwrap_or_default(),
    }
}

fn write_object(out: &mut Vec<u8>, members: &Map<String, Value>, depth: usize) {
    out.push(b'{');
    for (number, (key, value)) in members.iter().enumerate() {
        begin_member(out, depth + 1, number == 0);
        write_text(out, key);
        out.extend_from_slice(b": ");
        write_value(out, value, depth + 1);
    }
    new_line(out, depth);
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{AnswerNode, PART_BYTES, V1Answer};

    #[test]
    fn text_equals_serde_pretty_text() {
        let value =
            json!({"a": [], "b": {}, "c": [1, -0.0, 1.5e300, [null, {"\u{1}\"é": "\u{2028}\n"}]], "d": {"e": [{}]}});
        let Value::Object(members) = &value else { panic!("an object") };
        let nodes = ["a", "b", "c", "d"].map(|key| (key, AnswerNode::Value(members[key].clone())));
        let answer = V1Answer::new(nodes.into_iter().collect());
        assert_eq!(answer.into_text(), serde_json::to_string_pretty(&value).unwrap_or_default());
        let nested = || {
            let inner = AnswerNode::Object(vec![
                ("x", AnswerNode::Array(vec![1.into(), AnswerNode::Array(Vec::new())])),
                ("y", "z".into()),
            ]);
            V1Answer::new(vec![
                ("list", AnswerNode::Array(vec![inner, AnswerNode::Object(Vec::new())])),
                ("n", 3.into()),
            ])
        };
        let expected = json!({"list": [{"x": [1, []], "y": "z"}, {}], "n": 3});
        assert_eq!(nested().into_text(), serde_json::to_string_pretty(&expected).unwrap_or_default());
        assert_eq!(V1Answer::new(Vec::new()).into_text(), "{}");
    }

    #[test]
    fn parts_are_of_bounded_size() {
        let items: Vec<AnswerNode> = (0..2000).map(|number| AnswerNode::from(format!("{number:0>200}"))).collect();
        let parts: Vec<Vec<u8>> = V1Answer::new(vec![("items", AnswerNode::Array(items))]).collect();
        assert!(parts.len() > 5);
        assert!(parts.iter().all(|part| part.len() < PART_BYTES + 300));
    }
}
