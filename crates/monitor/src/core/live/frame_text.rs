//! JSON texts of one frame of the live stream, each made once and shared by all clients that need it. The usual text
//! has the differences from the frame before. Clients with an open message thread get the differences and the thread's
//! new items. Clients that cannot read differences get full home page data and session cards.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use coordination::api::ShownThread;
use serde_json::{Map, Value};

/// The texts. Each is made once, whatever the number of clients.
#[derive(Debug, Default)]
pub(crate) struct FrameText {
    /// For clients that read differences.
    pub(super) text: Utf8Bytes,
    /// The same with the new items of one thread, for each thread in the frame that some of them show.
    pub(super) of_threads: Vec<(Arc<ShownThread>, Utf8Bytes)>,
    /// With whole home and cards, for all other clients; absent while there are none.
    pub(super) whole: Option<Utf8Bytes>,
}

impl FrameText {
    /// A frame that is the same for all clients.
    pub(super) fn same_for_all(text: String) -> Self {
        let text = Utf8Bytes::from(text);
        Self { text: text.clone(), of_threads: Vec::new(), whole: Some(text) }
    }

    /// For a client that reads differences and shows this thread.
    pub(super) fn with_thread(&self, thread: Option<&ShownThread>) -> &Utf8Bytes {
        let own = thread.and_then(|thread| self.of_threads.iter().find(|(shown, _)| **shown == *thread));
        own.map_or(&self.text, |(_, text)| text)
    }

    /// Bytes of all texts; one that is the same for all clients counts once.
    pub(super) fn bytes(&self) -> usize {
        let whole = self.whole.as_ref().filter(|whole| whole.as_str().as_ptr() != self.text.as_str().as_ptr());
        let others = self.of_threads.iter().map(|(_, text)| text).chain(whole);
        self.text.len() + others.map(|text| text.len()).sum::<usize>()
    }
}

/// A frame as text. Its kind and position come first, where a reader finds them without parsing the rest.
pub(super) fn write(mut frame: Map<String, Value>) -> String {
    let [kind, cursor] = ["type", "cursor"].map(|name| frame.remove(name).unwrap_or_default());
    let mut text = format!("{{\"type\":{kind},\"cursor\":{cursor}");
    for (name, value) in &frame {
        text.push_str(&format!(",\"{name}\":{value}"));
    }
    text.push('}');
    text
}

/// The same with one more field.
pub(super) fn with_field(text: &str, name: &str, value: &str) -> String {
    format!("{},\"{name}\":{value}}}", text.strip_suffix('}').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kind_and_position_come_first() {
        let Value::Object(frame) = json!({"agents": [], "cursor": {"seq": 1}, "now": 3, "type": "delta"}) else {
            panic!("an object")
        };
        let text = write(frame.clone());
        assert!(text.starts_with(r#"{"type":"delta","cursor":{"seq":1},"#), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), Value::Object(frame));
        let more = with_field(&text, "threadPatch", "[1]");
        assert_eq!(serde_json::from_str::<Value>(&more).expect("JSON")["threadPatch"], json!([1]));
        let Value::Object(short) = json!({"cursor": 1, "type": "delta"}) else { panic!("an object") };
        assert_eq!(write(short), r#"{"type":"delta","cursor":1}"#);
    }
}
