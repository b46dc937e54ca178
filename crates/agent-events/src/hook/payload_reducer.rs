//! Builder of the stored part of a hook payload: copies permitted fields, redacts and shortens texts, and omits those
//! that the capture level (how much of a hook may be stored) does not permit.

use serde_json::{Map, Value};

use super::Capture;
use super::secret::hide;
use super::words::{MESSAGE_UNITS, SUMMARY_UNITS, TextCleaner, is_code};
use crate::Fault;

/// Characters of an id.
const MAX_ID_CHARS: usize = 128;

/// Builder of a reduced payload: copies permitted fields from the received object.
pub(super) struct PayloadReducer<'a> {
    /// The received object.
    pub(super) from: &'a Map<String, Value>,
    /// The reduced object.
    pub(super) to: Map<String, Value>,
    /// How much text may be copied.
    pub(super) capture: Capture,
    /// Removes secrets from texts and shortens them.
    pub(super) words: &'a TextCleaner<'a>,
    /// Faults found so far.
    pub(super) faults: Vec<Fault>,
}

impl<'a> PayloadReducer<'a> {
    pub(super) fn new(from: &'a Map<String, Value>, capture: Capture, words: &'a TextCleaner<'a>) -> Self {
        Self { from, to: Map::new(), capture, words, faults: Vec::new() }
    }

    /// The same for an object inside; an empty one where it is missing.
    pub(super) fn inside<'b>(&'b self, from: &'b Map<String, Value>) -> PayloadReducer<'b> {
        PayloadReducer::new(from, self.capture, self.words)
    }

    pub(super) fn str(&self, name: &str) -> Option<&'a str> {
        self.from.get(name).and_then(Value::as_str)
    }

    pub(super) fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.to.insert(name.to_owned(), value.into());
    }

    /// An id without which the hook says nothing.
    pub(super) fn need(&mut self, name: &str) {
        let code = match self.from.get(name) {
            Some(Value::String(text)) if text.trim().is_empty() => "required",
            Some(Value::String(text)) if text.chars().count() > MAX_ID_CHARS => "length",
            Some(Value::String(text)) => return self.put(name, visible(text)),
            // Tasks have been counted by numbers as well.
            Some(Value::Number(number)) if name == "task_id" => return self.put(name, number.to_string()),
            Some(Value::Null) | None => "required",
            Some(_) => "type",
        };
        self.faults.push(Fault { path: format!("payload.{name}"), code: code.to_owned() });
    }

    /// An id, where there is a good one.
    pub(super) fn id(&mut self, name: &str) {
        if let Some(Value::Number(number)) = self.from.get(name) {
            return self.put(name, number.to_string());
        }
        if let Some(text) = self.str(name).map(str::trim).filter(|text| !text.is_empty()) {
            self.put(name, Self::long_id(text));
        }
    }

    /// An id in another field, as [`Self::id`] would keep it: the two must be found equal.
    pub(super) fn long_id(text: &str) -> String {
        visible(text).chars().take(MAX_ID_CHARS).collect()
    }

    /// One of a handful of codes: never a sentence.
    pub(super) fn code(&mut self, name: &str) {
        if let Some(text) = self.str(name).filter(|text| is_code(text)).filter(|text| hide(text) == *text) {
            self.put(name, text);
        }
    }

    /// A number that is not negative.
    pub(super) fn count(&mut self, name: &str) {
        if let Some(number) = self.from.get(name).and_then(Value::as_f64).filter(|number| *number >= 0.0) {
            #[expect(clippy::cast_possible_truncation, reason = "a duration in milliseconds; beyond i64 it saturates")]
            self.put(name, number.round() as i64);
        }
    }

    pub(super) fn flag(&mut self, name: &str) {
        if self.from.get(name).and_then(Value::as_bool) == Some(true) {
            self.put(name, true);
        }
    }

    /// A text of one line, from the level `summary` on.
    pub(super) fn line(&mut self, name: &str) {
        self.text(name, name, SUMMARY_UNITS, Capture::Summary);
    }

    /// A field that is stored at the full capture level only.
    pub(super) fn whole(&mut self, name: &str) {
        self.text(name, name, MESSAGE_UNITS, Capture::Full);
    }

    /// A text under another name, from a level on.
    pub(super) fn text(&mut self, name: &str, under: &str, max: usize, from: Capture) {
        if self.capture < from {
            return;
        }
        if let Some(text) = self.str(name) {
            let cleaned = if max <= SUMMARY_UNITS { self.words.line(text, max) } else { self.words.block(text, max) };
            if !cleaned.is_empty() {
                self.put(under, cleaned);
            }
        }
    }

    /// The name of a file.
    pub(super) fn file(&mut self) {
        if self.capture < Capture::Summary {
            return;
        }
        let path = ["file_path", "notebook_path", "path", "file"].into_iter().find_map(|name| self.str(name));
        if let Some(name) = path.and_then(|path| self.words.file(path)) {
            self.put("file", name);
        }
    }

    /// An object made apart.
    pub(super) fn object(&mut self, name: &str, inside: Map<String, Value>) {
        self.put(name, Value::Object(inside));
    }
}

/// A name without control characters, which are not allowed in an event's name (§A.1) and would be invisible.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
