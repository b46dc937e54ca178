//! Category of a session, computed from its events. Sources of evidence are tried in this order: a category that an
//! event states, main messages, other texts, titles of the session's tasks (classifier `v2` only). The first source
//! with evidence decides; without any, the category is the fallback. Queries apply overrides afterwards.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::event_meta::push_tight;
use super::evidence_words::EvidenceWords;
use super::overview::MAX_TAGS;
use super::rules::ClassifierConfig;
use crate::api::{CategoryEvidence, CategoryInfo};
use crate::category::{Category, CategorySource};
use crate::classify::v2::{self, Learnt, Lexicon, ScoreSum, TextFeatures, TextScores, TextZone};
use crate::classify::{self, Classified, Classifier};
use crate::event::Event;
use crate::role::Role;

/// Share of the winner's weight from which another category is named beside it.
const SECONDARY_SHARE: f64 = 0.4;
/// Words of evidence shown.
const MAX_WORDS: usize = 8;
/// Minimum weight of a word that is shown; weights are shown with one decimal.
const MIN_WEIGHT: f64 = 0.05;

type EvidenceWord = Cow<'static, str>;

/// All votes. Only grows; emptied when the session is rederived.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Votes {
    /// Category that an event states, and that event's tags; the newest one counts.
    explicit: Option<Box<(Category, Vec<EvidenceWord>)>>,
    /// Votes by `v1` of main messages, then of other texts, by category. Absent with `v2`.
    by_rule: Option<Box<[Vec<CategoryVotes>; 2]>>,
    /// Number of main messages without evidence, by fallback category. Most sessions have one such category.
    fallback_main: Vec<(Category, u32)>,
    /// Number of other texts without evidence, likewise.
    fallback_other: Vec<(Category, u32)>,
    /// Sums of `v2` over all texts of a session, so that a new message costs only itself. First
    /// main messages, then other texts; absent without texts.
    sums_by_kind: [Option<Box<TextSums>>; 2],
    /// Sums of the titles of its tasks, where its events have no evidence.
    titles: Option<Box<TextSums>>,
    /// The votes are those of the classifier `v1`.
    by_v1: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct TextSums {
    sum: ScoreSum,
    words: EvidenceWords,
    /// Labels read so far, as many events repeat one.
    labels: Vec<Box<str>>,
    /// Taught rules that matched.
    learnt: Learnt,
}

/// Taught rules that match the texts of a session; see [`Votes::apply_rules`].
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RuleSums {
    main: Learnt,
    other: Learnt,
}

impl RuleSums {
    /// Notes the matches of an event.
    pub(crate) fn note(&mut self, event: &Event, role: Role, lexicon: &Lexicon) {
        if crate::event::category::stated(event).is_none() {
            let learnt = if role == Role::ConversationMain { &mut self.main } else { &mut self.other };
            note(event, lexicon, learnt);
        }
    }
}

fn note(event: &Event, lexicon: &Lexicon, learnt: &mut Learnt) {
    if lexicon.is_empty() {
        return;
    }
    let label = event.label().map(|label| (TextZone::Label, label));
    let text = event.subject_text().map(|text| (TextZone::of_type(event.event_type()), text));
    for (place, text) in label.into_iter().chain(text) {
        lexicon.text_features(place, text, learnt);
    }
    if text.is_some() {
        lexicon.note_speaker(&event.speaker(), learnt);
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct CategoryVotes {
    category: Category,
    weight: f64,
    words: Vec<(EvidenceWord, f64)>,
}

/// Category, tags and evidence of a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SessionVerdict {
    /// The category, its source and its confidence.
    pub(crate) info: CategoryInfo,
    pub(crate) sub_tags: Vec<String>,
    /// The words that decided.
    pub(crate) evidence: CategoryEvidence,
}

/// Category and tags of a session: what lists and sums read of [`SessionVerdict`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BriefVerdict {
    /// The category, its source and its confidence; without a version.
    pub(crate) info: CategoryInfo,
    pub(crate) sub_tags: Vec<String>,
}

impl Votes {
    /// Counts an event by the classifier in force, and returns the event's own category.
    pub(crate) fn judge(&mut self, event: &Event, role: Role, classifier: &ClassifierConfig) -> Category {
        self.by_v1 = classifier.classifier == Classifier::V1;
        match classifier.classifier {
            Classifier::V1 => self.add(&crate::event::category::decided_or_v1(event, role), role),
            Classifier::V2 => self.text_features(event, role, &classifier.lexicon),
        }
    }

    /// Counts a decision of `v1`, and returns its category.
    fn add(&mut self, classified: &Classified, role: Role) -> Category {
        let main = role == Role::ConversationMain;
        match classified.source {
            CategorySource::Manual | CategorySource::ManualOverride => {
                self.explicit = Some(Box::new((classified.category, classified.sub_tags.clone())));
            }
            CategorySource::Rule | CategorySource::Heuristic => {
                add_rule(&mut self.by_rule.get_or_insert_default()[usize::from(!main)], classified);
            }
            CategorySource::Fallback | CategorySource::Unknown => {
                self.count_fallback(main, classified.category);
            }
        }
        classified.category
    }

    /// Counts one event by `v2`, and returns the event's own category by the model alone.
    fn text_features(&mut self, event: &Event, role: Role, lexicon: &Lexicon) -> Category {
        if let Some(category) = crate::event::category::stated(event) {
            let tags = event.list("collabSubTags").into_iter().map(Cow::Owned).collect();
            self.explicit = Some(Box::new((category, tags)));
            return category;
        }
        let main = role == Role::ConversationMain;
        let mut matched = false;
        if event.label().is_some() || event.subject_text().is_some() {
            let sums = self.sums_by_kind[usize::from(!main)].get_or_insert_default();
            matched = sums.take(event);
            note(event, lexicon, &mut sums.learnt);
        }
        if !matched {
            self.count_fallback(main, classify::fallback(role));
        }
        crate::event::category::v2_or_fallback(event, role)
    }

    fn count_fallback(&mut self, main: bool, category: Category) {
        let counts = if main { &mut self.fallback_main } else { &mut self.fallback_other };
        match counts.iter_mut().find(|(known, _)| *known == category) {
            Some((_, count)) => *count += 1,
            None => push_tight(counts, (category, 1)),
        }
    }

    /// Applies the matches of a new lexicon. True when they changed.
    pub(crate) fn apply_rules(&mut self, mut sums: RuleSums) -> bool {
        if self.by_v1 {
            return false;
        }
        let mut other = false;
        for (sums, learnt) in self.sums_by_kind.iter_mut().zip([&mut sums.main, &mut sums.other]) {
            // Texts without evidence match no taught words either.
            if let Some(sums) = sums {
                std::mem::swap(&mut sums.learnt, learnt);
                other |= sums.learnt != *learnt;
            }
        }
        other
    }

    /// Whether its events have no word that `v2` knows: the titles of its tasks decide.
    pub(crate) fn is_silent(&self) -> bool {
        !self.by_v1 && self.explicit.is_none() && self.sums_by_kind.iter().flatten().all(|sums| sums.is_empty())
    }

    /// Reads the titles of its tasks, each once, in place of those read before. True when their evidence changed,
    /// by themselves or by taught words.
    pub(crate) fn read_titles(&mut self, titles: &[String], lexicon: &Lexicon) -> bool {
        let mut learnt = Learnt::default();
        titles.iter().for_each(|title| lexicon.text_features(TextZone::Label, title, &mut learnt));
        let known = self.titles.as_deref_mut().filter(|sums| sums.labels.iter().map(|label| &**label).eq(once(titles)));
        match known {
            Some(sums) if sums.learnt == learnt => false,
            Some(sums) => {
                sums.learnt = learnt;
                true
            }
            None if titles.is_empty() => self.titles.take().is_some(),
            None => {
                let mut sums = TextSums { learnt, ..TextSums::default() };
                for title in titles {
                    sums.take_label(title);
                }
                self.titles = Some(Box::new(sums));
                true
            }
        }
    }

    /// Whether a category written into an event decides.
    pub(crate) fn is_stated(&self) -> bool {
        self.explicit.is_some()
    }

    /// Its category without known words.
    pub(crate) fn fallback(&self) -> Category {
        self.by_fallback().info.key
    }

    pub(crate) fn verdict(&self) -> SessionVerdict {
        let mut verdict = self.decided();
        self.version().as_str().clone_into(&mut verdict.info.version);
        verdict
    }

    /// [`Votes::verdict`] without the evidence. Every fold needs one.
    pub(crate) fn brief_verdict(&self) -> BriefVerdict {
        if self.explicit.is_none() && !self.by_v1 {
            let texts = self.sums_by_kind.iter().flatten().chain(&self.titles);
            if let Some(verdict) = texts.into_iter().find_map(|sums| sums.brief_verdict()) {
                return verdict;
            }
        }
        let SessionVerdict { info, sub_tags, .. } = self.decided();
        BriefVerdict { info, sub_tags }
    }

    fn version(&self) -> Classifier {
        if self.by_v1 { Classifier::V1 } else { Classifier::V2 }
    }

    fn decided(&self) -> SessionVerdict {
        if let Some((category, tags)) = self.explicit.as_deref() {
            return SessionVerdict {
                info: info(*category, Vec::new(), CategorySource::Manual, 1.0),
                sub_tags: tags.iter().take(MAX_TAGS).map(|tag| tag.clone().into_owned()).collect(),
                evidence: CategoryEvidence { automatic: Some(*category), ..CategoryEvidence::default() },
            };
        }
        if !self.by_v1 {
            let sums_by_kind = self.sums_by_kind.iter().flatten().chain(&self.titles).find_map(|sums| sums.verdict());
            return sums_by_kind.unwrap_or_else(|| self.by_fallback());
        }
        match self.by_rule.iter().flat_map(|kinds| kinds.iter()).find(|tallies| !tallies.is_empty()) {
            Some(tallies) => by_rule(tallies),
            None => self.by_fallback(),
        }
    }

    fn by_fallback(&self) -> SessionVerdict {
        let counts = if self.fallback_main.is_empty() { &self.fallback_other } else { &self.fallback_main };
        // Of equals the first in seed order.
        let winner = counts.iter().max_by_key(|(category, count)| (*count, std::cmp::Reverse(category.index())));
        let category = winner.map_or(Category::ALL[0], |(category, _)| *category);
        SessionVerdict {
            info: info(category, Vec::new(), CategorySource::Fallback, 0.2),
            sub_tags: Vec::new(),
            evidence: CategoryEvidence { automatic: Some(category), ..CategoryEvidence::default() },
        }
    }
}

impl TextSums {
    /// True when a word of it is known.
    fn take(&mut self, event: &Event) -> bool {
        let matched = event.label().is_some_and(|label| self.take_label(label));
        let sums_by_kind = event.features();
        self.sum.add(&sums_by_kind.reading);
        if let Some(text) = event.subject_text() {
            self.keep(sums_by_kind, text);
        }
        matched || sums_by_kind.reading != TextScores::default()
    }

    /// Adds a label once; true when a word of it is known.
    fn take_label(&mut self, label: &str) -> bool {
        if self.labels.iter().any(|known| **known == *label) {
            return false;
        }
        push_tight(&mut self.labels, label.into());
        let sums_by_kind = v2::text_features(TextZone::Label, label);
        self.sum.add(&sums_by_kind.reading);
        self.keep(&sums_by_kind, label);
        sums_by_kind.reading != TextScores::default()
    }

    /// Whether the model knows no word of it, and no taught rule speaks for a category.
    fn is_empty(&self) -> bool {
        self.sum.is_empty() && !self.learnt.speaks_for()
    }

    fn keep(&mut self, sums_by_kind: &TextFeatures, text: &str) {
        for (word, part) in sums_by_kind.words(text) {
            self.words.add(&word, sums_by_kind.category(), part);
        }
    }

    fn brief_verdict(&self) -> Option<BriefVerdict> {
        let answer = self.sum.answer_with(&self.learnt)?;
        let words = self.words.of(answer.category);
        Some(BriefVerdict {
            info: info(answer.category, answer.secondary, CategorySource::Rule, answer.confidence),
            sub_tags: v2::sub_tags(words.iter().map(|(word, _)| *word), MAX_TAGS),
        })
    }

    fn verdict(&self) -> Option<SessionVerdict> {
        let answer = self.sum.answer_with(&self.learnt)?;
        let words = self.words.of(answer.category);
        let weighed = words.iter().map(|(word, part)| ((*word).to_owned(), self.sum.weight(*part)));
        let matches = weighed.filter(|(_, weight)| *weight >= MIN_WEIGHT).take(MAX_WORDS);
        Some(SessionVerdict {
            info: info(answer.category, answer.secondary.clone(), CategorySource::Rule, answer.confidence),
            sub_tags: v2::sub_tags(words.iter().map(|(word, _)| *word), MAX_TAGS),
            evidence: CategoryEvidence {
                matches: matches.collect(),
                taught: self.learnt.words(answer.category.index()),
                runner_up: Some(answer.runner_up),
                manual: None,
                automatic: Some(answer.category),
            },
        })
    }
}

/// Each once, in order.
fn once(titles: &[String]) -> impl Iterator<Item = &str> {
    let first = |(at, title): &(usize, &String)| !titles[..*at].contains(title);
    titles.iter().enumerate().filter(first).map(|(_, title)| title.as_str())
}

fn add_rule(tallies: &mut Vec<CategoryVotes>, classified: &Classified) {
    let at = tallies.iter().position(|tally| tally.category == classified.category).unwrap_or_else(|| {
        push_tight(tallies, CategoryVotes { category: classified.category, weight: 0.0, words: Vec::new() });
        tallies.len() - 1
    });
    let tally = &mut tallies[at];
    tally.weight += classified.score;
    for (word, weight) in &classified.matches {
        match tally.words.iter_mut().find(|(known, _)| known == word) {
            Some((_, sum)) => *sum += weight,
            None => push_tight(&mut tally.words, (word.clone(), *weight)),
        }
    }
}

fn by_rule(tallies: &[CategoryVotes]) -> SessionVerdict {
    let mut ranked: Vec<&CategoryVotes> = tallies.iter().collect();
    ranked.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.category.cmp(&b.category)));
    let winner = ranked[0];
    let second = ranked.get(1).map(|tally| (tally.category, tally.weight));
    let secondary = ranked[1..]
        .iter()
        .filter(|tally| tally.weight >= winner.weight * SECONDARY_SHARE)
        .map(|tally| tally.category)
        .collect();
    let margin = (winner.weight - second.map_or(0.0, |(_, weight)| weight)) / winner.weight.max(1.0);
    // Half of the certainty comes from how much was found, half from how clearly it leads.
    let mass = winner.weight / (winner.weight + 3.0);
    let confidence = ((0.5 + 0.45 * mass * (0.5 + 0.5 * margin)).min(0.95) * 100.0).round() / 100.0;
    let mut words = winner.words.clone();
    words.sort_by(|a, b| b.1.total_cmp(&a.1));
    SessionVerdict {
        info: info(winner.category, secondary, CategorySource::Rule, confidence),
        sub_tags: words.iter().take(MAX_TAGS).map(|(word, _)| word.clone().into_owned()).collect(),
        evidence: CategoryEvidence {
            matches: words.into_iter().take(MAX_WORDS).map(|(word, weight)| (word.into_owned(), weight)).collect(),
            taught: Vec::new(),
            runner_up: second.map(|(category, weight)| (category, winner.weight - weight)),
            manual: None,
            automatic: Some(winner.category),
        },
    }
}

fn info(key: Category, secondary: Vec<Category>, source: CategorySource, confidence: f64) -> CategoryInfo {
    CategoryInfo { key, secondary, source, confidence, version: String::new() }
}
