//! Reader of the classifier's training lexicon: words and phrases, each listed under the category that it indicates.
//! Each phrase becomes a training record of one message, so a word counts even when no other record contains it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use coordination::category::Category;

use crate::records::{LabelledMessage, LabelledRecord};

/// Reads `## category` headings and lines of phrases parted by `·`; `#` begins a comment.
pub fn read(path: &Path) -> Result<Vec<LabelledRecord>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut category = None;
    let mut entries = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("## ") {
            category = name.trim().parse::<Category>().ok();
            if category.is_none() {
                bail!("{}: line {}: no category {name:?}", path.display(), at + 1);
            }
        } else if let (Some(category), false) = (category, line.starts_with('#')) {
            let phrases = line.split('·').map(str::trim).filter(|phrase| !phrase.is_empty());
            entries.extend(phrases.map(|phrase| entry(category, phrase)));
        }
    }
    Ok(entries)
}

fn entry(category: Category, phrase: &str) -> LabelledRecord {
    LabelledRecord {
        file: 0,
        label: None,
        messages: vec![LabelledMessage { kind: "a2a.send".to_owned(), text: phrase.to_owned() }],
        category,
        acceptable: Vec::new(),
        difficulty: "lexicon".to_owned(),
        lang: String::new(),
    }
}
