//! State that the monitor and a browser tab both hold: home page data and the newest session cards, as JSON. So the
//! monitor can send patches of changed values ([`SharedState::shorten`]), and the tab restores whole values from them
//! ([`SharedState::complete`]).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::api::SNAPSHOT_SESSIONS;
use crate::json_patch;

/// Home and the newest cards, as of one position of the stream.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedState {
    /// Process run of the monitor.
    epoch: String,
    /// Position of the newest frame.
    seq: u64,
    /// Home as JSON.
    home: Value,
    /// Session cards as JSON, by session id; at most [`SNAPSHOT_SESSIONS`].
    cards: BTreeMap<String, Value>,
}

/// A frame that does not follow what is held: the stream has to start over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostState;

impl SharedState {
    /// The state of a snapshot frame.
    #[must_use]
    pub fn of_snapshot(frame: &Map<String, Value>) -> Option<Self> {
        let (epoch, seq) = cursor_of(frame)?;
        let cards = frame.get("sessions")?.as_array()?.iter().filter_map(|card| Some((id(card)?, card.clone())));
        Some(Self { epoch: epoch.to_owned(), seq, home: frame.get("home")?.clone(), cards: cards.collect() })
    }

    /// Position of the newest frame in it.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// A snapshot frame of it, for a client that opens a stream now.
    #[must_use]
    pub fn snapshot(&self, now: i64, clients: u64) -> Map<String, Value> {
        let mut cards: Vec<&Value> = self.cards.values().collect();
        cards.sort_by_key(|card| std::cmp::Reverse(last_time(card)));
        let cards: Vec<Value> = cards.into_iter().cloned().collect();
        let cursor = serde_json::json!({"epoch": self.epoch, "seq": self.seq});
        let fields = [
            ("type", Value::from("snapshot")),
            ("cursor", cursor),
            ("now", now.into()),
            ("home", self.home.clone()),
            ("sessions", cards.into()),
            ("clients", clients.into()),
        ];
        fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }

    /// Puts differences in place of home and of the cards that are held, and takes the whole ones in.
    pub fn shorten(&mut self, delta: &mut Map<String, Value>) {
        if let Some(home) = delta.remove("home") {
            let change = json_patch::diff(&self.home, &home).unwrap_or(Value::Object(Map::new()));
            delta.insert("homePatch".to_owned(), change);
            self.home = home;
        }
        let mut patches = Map::new();
        if let Some(Value::Array(cards)) = delta.get_mut("sessions") {
            cards.retain(|card| {
                let Some(id) = id(card) else { return true };
                let Some(held) = self.cards.insert(id.clone(), card.clone()) else { return true };
                patches.insert(id, json_patch::diff(&held, card).unwrap_or(Value::Object(Map::new())));
                false
            });
            if cards.is_empty() {
                delta.remove("sessions");
            }
        }
        if !patches.is_empty() {
            delta.insert("cardPatches".to_owned(), Value::Object(patches));
        }
        self.finish(delta);
    }

    /// Puts home and cards in place of their differences. A delta that does not follow is left as it is, because the count
    /// of positions shows that; so is any other frame.
    ///
    /// # Errors
    ///
    /// [`LostState`] when it changes a card that is not held.
    pub fn complete(&mut self, delta: &mut Map<String, Value>) -> Result<(), LostState> {
        let is_delta = delta.get("type").is_some_and(|kind| kind == "delta");
        let follows =
            is_delta && cursor_of(delta).is_some_and(|(epoch, seq)| epoch == self.epoch && seq == self.seq + 1);
        if !follows {
            return Ok(());
        }
        if let Some(change) = delta.remove("homePatch") {
            json_patch::apply(&mut self.home, change);
            delta.insert("home".to_owned(), self.home.clone());
        } else if let Some(home) = delta.get("home") {
            self.home.clone_from(home);
        }
        let mut cards = match delta.remove("sessions") {
            Some(Value::Array(cards)) => cards,
            _ => Vec::new(),
        };
        for card in &cards {
            if let Some(id) = id(card) {
                self.cards.insert(id, card.clone());
            }
        }
        if let Some(Value::Object(patches)) = delta.remove("cardPatches") {
            for (id, change) in patches {
                let card = self.cards.get_mut(&id).ok_or(LostState)?;
                json_patch::apply(card, change);
                cards.push(card.clone());
            }
        }
        delta.insert("sessions".to_owned(), Value::Array(cards));
        self.finish(delta);
        Ok(())
    }

    /// The same on both sides: what is removed goes, and the oldest cards beyond the limit.
    fn finish(&mut self, delta: &Map<String, Value>) {
        if let Some((_, seq)) = cursor_of(delta) {
            self.seq = seq;
        }
        for id in delta.get("removed").and_then(Value::as_array).into_iter().flatten() {
            self.cards.remove(id.as_str().unwrap_or_default());
        }
        while self.cards.len() > SNAPSHOT_SESSIONS {
            // Newest activity first, ties by id: the last one goes.
            let last = self.cards.iter().min_by_key(|(id, card)| (last_time(card), std::cmp::Reverse(*id)));
            let Some(last) = last.map(|(id, _)| id.clone()) else { return };
            self.cards.remove(&last);
        }
    }
}

fn cursor_of(frame: &Map<String, Value>) -> Option<(&str, u64)> {
    let cursor = frame.get("cursor")?;
    Some((cursor.get("epoch")?.as_str()?, cursor.get("seq")?.as_u64()?))
}

fn id(card: &Value) -> Option<String> {
    card.get("workSessionId")?.as_str().map(str::to_owned)
}

fn last_time(card: &Value) -> i64 {
    card.get("lastTime").and_then(Value::as_i64).unwrap_or(i64::MIN)
}
