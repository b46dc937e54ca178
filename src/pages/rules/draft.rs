//! Unsaved draft of the classifier rules. It is stored for the tab, so that it survives navigation to another page.

use coordination::api::{AgentHint, Taught, TaughtFault, TaughtInfo, TaughtWord};
use coordination::category::Category;
use coordination::ids::AgentId;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::i18n::messages::RulesMessages;

/// What the tab stores of a draft: every line as typed, and the saved rules it is based on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredDraft {
    pub(super) base: TaughtInfo,
    lines: Vec<StoredRuleLine>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredRuleLine {
    agent: bool,
    name: String,
    category: Option<Category>,
    /// None where no number was typed.
    weight: Option<f64>,
}

/// Points of a new line.
const DEFAULT_WEIGHT: f64 = 1.0;
/// Name in the tab's own storage.
const STORAGE_KEY: &str = "task-hub.rules-draft";

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleKind {
    Word,
    Agent,
}

/// One line of the editor.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleLine {
    pub(super) key: u64,
    pub(super) kind: RuleKind,
    pub(super) name: RwSignal<String>,
    pub(super) category: RwSignal<Option<Category>>,
    /// Not a number where something else was typed.
    pub(super) weight: RwSignal<f64>,
    /// Just added: the first field takes the focus.
    pub(super) fresh: bool,
}

/// The lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct RulesDraft {
    pub(super) lines: RwSignal<Vec<RuleLine>>,
    next: StoredValue<u64>,
    /// The page: lines made while an effect runs must outlive its next run.
    page: StoredValue<Option<Owner>>,
}

/// What the lines say together.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Compiled {
    pub(super) taught: Taught,
    /// Lines of its words and agents, in their order.
    words: Vec<u64>,
    agents: Vec<u64>,
    /// Lines without a category.
    pub(super) unfinished: Vec<u64>,
}

impl RulesDraft {
    pub(super) fn new() -> Self {
        Self { lines: RwSignal::new(Vec::new()), next: StoredValue::new(0), page: StoredValue::new(Owner::current()) }
    }

    fn line(self, kind: RuleKind, name: String, category: Option<Category>, weight: f64, fresh: bool) -> RuleLine {
        let key = self.next.with_value(|next| *next);
        self.next.set_value(key + 1);
        let line = move || RuleLine {
            key,
            kind,
            name: RwSignal::new(name),
            category: RwSignal::new(category),
            weight: RwSignal::new(weight),
            fresh,
        };
        match self.page.get_value() {
            Some(page) => page.with(line),
            None => line(),
        }
    }

    /// An empty line.
    pub(super) fn add(self, kind: RuleKind, category: Option<Category>) {
        let line = self.line(kind, String::new(), category, DEFAULT_WEIGHT, true);
        self.lines.update(|lines| lines.push(line));
    }

    pub(super) fn remove(self, key: u64) {
        self.lines.update(|lines| lines.retain(|line| line.key != key));
    }

    /// Replaces all lines.
    pub(super) fn load(self, taught: &Taught) {
        let word =
            |word: &TaughtWord| self.line(RuleKind::Word, word.word.clone(), Some(word.category), word.weight, false);
        let hint = |hint: &AgentHint| {
            self.line(RuleKind::Agent, hint.agent.to_string(), Some(hint.category), hint.weight, false)
        };
        self.lines.set(taught.words.iter().map(word).chain(taught.agents.iter().map(hint)).collect());
    }

    /// The lines as typed, finished or not. Reactive.
    pub(super) fn to_stored(self, base: TaughtInfo) -> StoredDraft {
        let line = |line: &RuleLine| StoredRuleLine {
            agent: line.kind == RuleKind::Agent,
            name: line.name.get(),
            category: line.category.get(),
            weight: Some(line.weight.get()).filter(|weight| weight.is_finite()),
        };
        StoredDraft { base, lines: self.lines.with(|lines| lines.iter().map(line).collect()) }
    }

    /// Replaces all lines by stored ones.
    pub(super) fn restore(self, stored: &StoredDraft) {
        let line = |line: &StoredRuleLine| {
            let kind = if line.agent { RuleKind::Agent } else { RuleKind::Word };
            self.line(kind, line.name.clone(), line.category, line.weight.unwrap_or(f64::NAN), false)
        };
        self.lines.set(stored.lines.iter().map(line).collect());
    }

    /// What the lines say. Reactive. Empty lines say nothing.
    pub(super) fn compiled(self) -> Compiled {
        let mut out = Compiled::default();
        self.lines.with(|lines| {
            for line in lines {
                let (name, weight) = (line.name.get().trim().to_owned(), line.weight.get());
                match (line.kind, line.category.get()) {
                    _ if name.is_empty() => {}
                    (_, None) => out.unfinished.push(line.key),
                    (RuleKind::Word, Some(category)) => {
                        out.words.push(line.key);
                        out.taught.words.push(TaughtWord { word: name, category, weight });
                    }
                    (RuleKind::Agent, Some(category)) => {
                        out.agents.push(line.key);
                        out.taught.agents.push(AgentHint { agent: AgentId::from(name), category, weight });
                    }
                }
            }
        });
        out
    }
}

impl Compiled {
    /// The line at fault; none where it is not one line's.
    pub(super) fn line_of(&self, fault: &TaughtFault) -> Option<u64> {
        let (list, rest) = fault.field.split_once('[')?;
        let at: usize = rest.split_once(']')?.0.parse().ok()?;
        if list == "words" { &self.words } else { &self.agents }.get(at).copied()
    }
}

/// The fault in the user's words.
pub(super) fn sentence(fault: &TaughtFault, words: &RulesMessages) -> &'static str {
    if !fault.field.contains('[') {
        words.too_many
    } else if fault.field.ends_with(".weight") {
        words.bad_weight
    } else if fault.message.contains("twice") {
        words.twice
    } else {
        words.bad_word
    }
}

/// What this tab has not saved yet.
pub(super) fn stored_draft() -> Option<StoredDraft> {
    serde_json::from_str(&storage()?.get_item(STORAGE_KEY).ok().flatten()?).ok()
}

/// Keeps it, or forgets it.
pub(super) fn store_draft(stored: Option<&StoredDraft>) {
    let Some(storage) = storage() else { return };
    // A browser without room keeps it on the page alone.
    match stored.and_then(|text| serde_json::to_string(text).ok()) {
        Some(text) => storage.set_item(STORAGE_KEY, &text).unwrap_or_default(),
        None => storage.remove_item(STORAGE_KEY).unwrap_or_default(),
    }
}

fn storage() -> Option<web_sys::Storage> {
    window().session_storage().ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn rule_fault_is_shown_at_its_line() {
        let compiled = Compiled { words: vec![3, 5], agents: vec![9], ..Compiled::default() };
        let fault = |field: &str, message: &str| TaughtFault { field: field.to_owned(), message: message.to_owned() };
        let words = Locale::Ko.messages().rules();
        for (field, message, line, expected) in [
            ("words[1].word", "not a word", Some(5), words.bad_word),
            ("words[0].word", "occurs twice", Some(3), words.twice),
            ("agents[0].weight", "a weight", Some(9), words.bad_weight),
            ("words", "at most", None, words.too_many),
            ("words[7].word", "?", None, words.bad_word),
        ] {
            let fault = fault(field, message);
            assert_eq!((compiled.line_of(&fault), sentence(&fault, words)), (line, expected), "{field}");
        }
    }
}
