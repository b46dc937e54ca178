//! Labelled records for training and evaluation of the classifiers: messages of agents, with the expected category and
//! other acceptable ones. A file holds one JSON object per line.

use std::path::Path;

use anyhow::{Context, Result};
use coordination::api::TextZone;
use coordination::category::Category;
use serde::Deserialize;

/// One message of a record.
#[derive(Debug, Clone, Deserialize)]
pub struct LabelledMessage {
    /// Event type.
    #[serde(rename = "type", default)]
    pub kind: String,
    #[serde(default)]
    pub text: String,
}

/// One record with its label.
#[derive(Debug, Clone, Deserialize)]
pub struct LabelledRecord {
    /// Number of the file it came from, i.e. of its writer.
    #[serde(skip)]
    pub file: usize,
    #[serde(default)]
    pub label: Option<String>,
    #[serde(default)]
    pub messages: Vec<LabelledMessage>,
    pub category: Category,
    #[serde(default)]
    pub acceptable: Vec<Category>,
    #[serde(default)]
    pub difficulty: String,
    #[serde(default)]
    pub lang: String,
}

impl LabelledRecord {
    /// Its texts, each with its zone.
    pub fn texts(&self) -> impl Iterator<Item = (TextZone, &str)> {
        let label = self.label.as_deref().map(|label| (TextZone::Label, label));
        label
            .into_iter()
            .chain(self.messages.iter().map(|message| (TextZone::of_type(&message.kind), message.text.as_str())))
    }
}

/// All records of a file, one JSON object a line.
pub fn read(path: &Path) -> Result<Vec<LabelledRecord>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| serde_json::from_str(line).with_context(|| format!("{}: line {}", path.display(), at + 1)))
        .collect()
}
