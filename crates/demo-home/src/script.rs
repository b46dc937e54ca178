//! Scenes of the generated demo log. A scene is the events of one work session or conversation in the log of the
//! fixture `everything`. The generator repeats scenes with new ids and times; a scene of more than three hours is
//! compressed to three.

use std::collections::HashMap;

use serde_json::Value;

use super::embedded;
use super::random::DemoRandom;

/// One work session as a sequence of events.
#[derive(Debug)]
pub(super) struct Scene {
    /// Milliseconds since the scene began, and the event.
    pub(super) steps: Vec<(i64, Value)>,
}

/// A scene longer than this is one that rested over night; it is played faster.
const MAX_SCENE_MS: i64 = 3 * 3_600_000;

/// All scenes, oldest first. Lines that are no events, and talk without a session or conversation, are left out.
pub(super) fn scenes() -> Vec<Scene> {
    let mut order: Vec<String> = Vec::new();
    let mut found: HashMap<String, Vec<(i64, Value)>> = HashMap::new();
    let logs = embedded::everything().iter().filter(|(path, _)| path.starts_with("logs/"));
    for line in logs.flat_map(|(_, text)| text.lines()) {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        let Some(at) = event.get("ts").and_then(Value::as_i64) else { continue };
        let id = |key: &str| event.get("data")?.get(key)?.as_str().map(str::to_owned);
        let Some(key) = id("workSessionId").or_else(|| id("conversationId")) else { continue };
        if !found.contains_key(&key) {
            order.push(key.clone());
        }
        found.entry(key).or_default().push((at, event));
    }
    order.iter().filter_map(|key| found.remove(key)).map(scene).filter(|scene| scene.steps.len() > 1).collect()
}

fn scene(mut steps: Vec<(i64, Value)>) -> Scene {
    steps.sort_by_key(|(at, _)| *at);
    let first = steps.first().map_or(0, |(at, _)| *at);
    let length = steps.last().map_or(0, |(at, _)| *at - first).max(1);
    for (at, _) in &mut steps {
        *at -= first;
        if length > MAX_SCENE_MS {
            *at = *at * (MAX_SCENE_MS / 1000) / (length / 1000).max(1);
        }
    }
    Scene { steps }
}

/// One playing of a scene: the same ids throughout, others than in every other playing.
#[derive(Debug)]
pub(super) struct Playing {
    ids: HashMap<String, String>,
    random: DemoRandom,
    ticket: u64,
    opened: bool,
}

impl Playing {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = DemoRandom::new(seed);
        let ticket = 1000 + random.next() % 9000;
        Self { ids: HashMap::new(), random, ticket, opened: false }
    }

    /// The event as it happens at `at`.
    pub(super) fn perform(&mut self, event: &Value, at: i64) -> Value {
        let mut event = event.clone();
        if let Some(ts) = event.get_mut("ts") {
            *ts = at.into();
        }
        let opening = !self.opened && event.get("type").and_then(Value::as_str) == Some("a2a.send");
        self.opened |= opening;
        if let Some(data) = event.get_mut("data").and_then(Value::as_object_mut) {
            for (key, value) in data.iter_mut() {
                if let Value::String(text) = value {
                    *text = self.fresh(text);
                    if opening && key == "message" {
                        *text = ticketed(text, self.ticket);
                    }
                }
            }
        }
        event
    }

    /// Ids inside a text (keys hold ids too) replaced by this playing's own.
    fn fresh(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let boundary = out.bytes().last().is_none_or(|byte| !byte.is_ascii_alphanumeric());
            if boundary && let Some(id) = leading_id(rest) {
                let random = &mut self.random;
                let new = self.ids.entry(id.to_owned()).or_insert_with(|| match id.strip_prefix("task_") {
                    Some(_) => format!("task_{}", random.hex(20)),
                    None => random.uuid(),
                });
                out.push_str(new);
                rest = &rest[id.len()..];
                continue;
            }
            let Some(next) = rest.chars().next() else { break };
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
        out
    }
}

/// A UUID or a task id at the start of a text.
fn leading_id(text: &str) -> Option<&str> {
    let hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    if let Some(task) = text.get(..25)
        && let Some(rest) = task.strip_prefix("task_")
        && hex(rest)
    {
        return Some(task);
    }
    let uuid = text.get(..36)?;
    let lengths = uuid.split('-').map(str::len);
    (lengths.eq([8, 4, 4, 4, 12]) && uuid.split('-').all(hex)).then_some(uuid)
}

/// The first line names a ticket, so that two runs of a scene differ.
fn ticketed(text: &str, ticket: u64) -> String {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let plain = !first.is_empty() && !first.starts_with("[SYSTEM") && !first.contains('|') && !first.starts_with("```");
    match (plain, rest.is_empty()) {
        (false, _) => text.to_owned(),
        (true, true) => format!("{first} (#{ticket})"),
        (true, false) => format!("{first} (#{ticket})\n{rest}"),
    }
}
