//! Validation of rules that people teach the classifier.

use super::Lexicon;
use protocol::api::{MAX_AGENT_HINTS, MAX_TAUGHT_CHARS, MAX_TAUGHT_WEIGHT, MAX_TAUGHT_WORDS, Taught, TaughtFault};
use protocol::ids::AgentId;

/// The rules with words trimmed and weights in hundredths.
///
/// # Errors
/// At the first fault: too many, a word without letters or too long, a weight of 0 or out of bounds, the same word
/// or agent twice for one category.
pub fn checked_rules(mut rules: Taught) -> Result<Taught, TaughtFault> {
    let fault = |field: String, message: &str| Err(TaughtFault { field, message: message.to_owned() });
    if rules.words.len() > MAX_TAUGHT_WORDS {
        return fault("words".to_owned(), "at most 200 words can be taught");
    }
    if rules.agents.len() > MAX_AGENT_HINTS {
        return fault("agents".to_owned(), "at most 100 agents can have a hint");
    }
    for (at, word) in rules.words.iter_mut().enumerate() {
        word.word = word.word.split_whitespace().collect::<Vec<_>>().join(" ");
        let field = format!("words[{at}].word");
        if word.word.chars().count() > MAX_TAUGHT_CHARS {
            return fault(field, "a word may hold 40 characters");
        }
        if !Lexicon::can_hold(&word.word) {
            return fault(field, "not one to four words of Korean or Latin letters");
        }
        word.weight = weight(word.weight).ok_or_else(|| out_of_bounds(format!("words[{at}].weight")))?;
    }
    for (at, hint) in rules.agents.iter_mut().enumerate() {
        hint.agent = AgentId::from(hint.agent.as_str().trim().to_lowercase());
        if hint.agent.as_str().is_empty() || hint.agent.as_str().chars().count() > 200 {
            return fault(format!("agents[{at}].agent"), "not an agent's id");
        }
        hint.weight = weight(hint.weight).ok_or_else(|| out_of_bounds(format!("agents[{at}].weight")))?;
    }
    let words = rules.words.iter().map(|word| (word.word.to_lowercase(), word.category));
    if let Some(at) = twice(words) {
        return fault(format!("words[{at}].word"), "this word occurs twice for the same category");
    }
    let agents = rules.agents.iter().map(|hint| (hint.agent.as_str().to_owned(), hint.category));
    if let Some(at) = twice(agents) {
        return fault(format!("agents[{at}].agent"), "this agent occurs twice for the same category");
    }
    Ok(rules)
}

fn weight(weight: f64) -> Option<f64> {
    let rounded = (weight * 100.0).round() / 100.0;
    (rounded.abs() <= MAX_TAUGHT_WEIGHT && rounded.abs() > 0.0).then_some(rounded)
}

fn out_of_bounds(field: String) -> TaughtFault {
    TaughtFault { field, message: "a weight is a number from -20 to 20, other than 0".to_owned() }
}

/// Index of the first item that occurred before.
fn twice<T: Ord>(items: impl Iterator<Item = T>) -> Option<usize> {
    let mut seen = std::collections::BTreeSet::new();
    items.enumerate().find_map(|(at, item)| (!seen.insert(item)).then_some(at))
}
