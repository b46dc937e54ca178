//! Matcher of the classifier rules that people define: a word, a phrase or a sending agent gives points to a category.
//! Texts are read as for the trained model (`read.rs`), so a word in quotes, code or a negation counts less.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::read::ClauseReader;
use super::words::{FeatureSink, ONE, WordForm};
use super::{CATEGORIES, TextZone};
use protocol::api::Taught;
use protocol::ids::AgentId;

/// Maximum number of words of a phrase.
const MAX_PHRASE: usize = 4;
/// Bits of [`Lexicon::pairs`].
const PAIR_BITS: u32 = 1 << 14;
/// Parts of a point that a bonus is counted in: hundredths of weight times sixteenths of the place's weight. Whole
/// numbers, so that the order of messages does not show.
const WEIGHT_PARTS: f64 = 100.0 * ONE as f64;

/// Taught rules, compiled for matching. Costs nothing when empty.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    /// Words and phrases, each with its rule.
    words: Vec<(Vec<PhraseWord>, Arc<Lesson>)>,
    /// Agents whose messages speak for a category.
    agents: Vec<(AgentId, Arc<Lesson>)>,
    /// Bit set of the letter pairs that phrases begin with. Most texts contain none of them and are not read a second
    /// time.
    pairs: Vec<u64>,
}

/// One word of a phrase.
#[derive(Debug, Clone)]
struct PhraseWord {
    letters: Box<[char]>,
    stem: usize,
    latin: bool,
}

/// One taught word or agent.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lesson {
    /// Place among the rules of its lexicon; words first.
    number: u32,
    /// The word or agent as typed.
    name: Box<str>,
    /// Index of the category.
    category: u8,
    /// In hundredths of a point.
    weight: i32,
}

/// Taught rules found in some texts: each once, at the greatest weight of the places where it occurred.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learnt(Vec<(Arc<Lesson>, u8)>);

impl Lexicon {
    /// Compiles the rules; unusable ones are left out (see [`checked_rules`](super::checked_rules)).
    #[must_use]
    pub fn new(taught: &Taught) -> Self {
        let mut lexicon = Self::default();
        for word in &taught.words {
            let phrase = pieces(&word.word);
            if (1..=MAX_PHRASE).contains(&phrase.len()) {
                lexicon.begin(&phrase);
                let number = lexicon.words.len();
                lexicon.words.push((phrase, lesson(number, &word.word, word.category.index(), word.weight)));
            }
        }
        for hint in &taught.agents {
            let number = lexicon.words.len() + lexicon.agents.len();
            let lesson = lesson(number, hint.agent.as_str(), hint.category.index(), hint.weight);
            lexicon.agents.push((hint.agent.clone(), lesson));
        }
        lexicon
    }

    /// Whether a word or phrase can be matched at all. The reader ignores digits: `1:1 문의` would be every `문의`.
    #[must_use]
    pub fn can_hold(word: &str) -> bool {
        (1..=MAX_PHRASE).contains(&pieces(word).len()) && !word.chars().any(char::is_numeric)
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.agents.is_empty()
    }

    fn begin(&mut self, phrase: &[PhraseWord]) {
        if self.pairs.is_empty() {
            self.pairs = vec![0; PAIR_BITS as usize / 64];
        }
        let Some(first) = phrase.first() else { return };
        match *first.letters {
            [a, b, ..] => self.pairs[bit(a, b) as usize / 64] |= 1 << (bit(a, b) % 64),
            // A phrase that begins with one letter gives no pair to index.
            _ => self.pairs.fill(u64::MAX),
        }
    }

    /// False when none of the words can occur in `text`.
    fn may_be_in(&self, text: &str) -> bool {
        let mut before = '\0';
        !self.pairs.is_empty()
            && text.chars().any(|c| {
                let c = c.to_ascii_lowercase();
                let found = self.pairs[bit(before, c) as usize / 64] >> (bit(before, c) % 64) & 1 == 1;
                before = c;
                // Decomposed letters are composed by the reader only.
                found || ('\u{1100}'..='\u{11ff}').contains(&c)
            })
    }

    /// Notes which of the words stand in `text`.
    pub fn text_features(&self, place: TextZone, text: &str, learnt: &mut Learnt) {
        if !self.may_be_in(text) {
            return;
        }
        let mut listening = RuleMatcher { lexicon: self, clause: Vec::new(), learnt };
        ClauseReader::default().read(place, text, &mut listening);
    }

    /// Notes who speaks.
    pub fn note_speaker(&self, speaker: &AgentId, learnt: &mut Learnt) {
        for (_, lesson) in self.agents.iter().filter(|(agent, _)| agent == speaker) {
            learnt.note(lesson, ONE);
        }
    }
}

impl Learnt {
    fn note(&mut self, lesson: &Arc<Lesson>, weight: i32) {
        let weight = u8::try_from(weight.clamp(0, ONE)).unwrap_or(0);
        match self.0.iter_mut().find(|(known, _)| known.number == lesson.number) {
            Some((_, most)) => *most = weight.max(*most),
            None if weight > 0 => self.0.push((Arc::clone(lesson), weight)),
            None => {}
        }
    }

    /// Points for each category.
    pub(crate) fn bonus(&self) -> [f64; CATEGORIES] {
        let mut sums = [0_i64; CATEGORIES];
        for (lesson, weight) in &self.0 {
            sums[usize::from(lesson.category)] += i64::from(lesson.weight) * i64::from(*weight);
        }
        #[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
        sums.map(|sum| sum as f64 / WEIGHT_PARTS)
    }

    /// Something speaks for a category, not only against some.
    #[must_use]
    pub fn speaks_for(&self) -> bool {
        self.0.iter().any(|(lesson, _)| lesson.weight > 0)
    }

    /// The rules behind a category, heaviest first, with their points: rules for it, and below 0 rules against
    /// another one.
    #[must_use]
    pub fn words(&self, category: usize) -> Vec<(String, f64)> {
        let led = |lesson: &Lesson| (usize::from(lesson.category) == category) == (lesson.weight > 0);
        let lessons = self.0.iter().filter(|(lesson, _)| led(lesson));
        let mut words: Vec<(&Arc<Lesson>, i32)> =
            lessons.map(|(lesson, weight)| (lesson, lesson.weight * i32::from(*weight))).collect();
        words.sort_by(|a, b| b.1.abs().cmp(&a.1.abs()).then_with(|| a.0.name.cmp(&b.0.name)));
        let points = |parts: i32| (f64::from(parts) / WEIGHT_PARTS * 100.0).round() / 100.0;
        words.into_iter().map(|(lesson, parts)| (lesson.name.to_string(), points(parts))).collect()
    }
}

/// Compares each word of a text with the ones before it.
struct RuleMatcher<'a> {
    lexicon: &'a Lexicon,
    /// The words of the clause so far.
    clause: Vec<(Box<[char]>, WordForm)>,
    learnt: &'a mut Learnt,
}

impl FeatureSink for RuleMatcher<'_> {
    fn feature(&mut self, _: u32, _: i32, _: (u32, u32)) {}

    fn word(&mut self, letters: &[char], form: WordForm) {
        self.clause.push((letters.into(), form));
        for (phrase, lesson) in &self.lexicon.words {
            let Some(from) = self.clause.len().checked_sub(phrase.len()) else { continue };
            let window = &self.clause[from..];
            let last = phrase.len() - 1;
            let fits = phrase
                .iter()
                .zip(window)
                .enumerate()
                .all(|(at, (piece, (letters, form)))| piece.fits(letters, *form, at == 0, at == last));
            if fits {
                let weight = window.iter().map(|(_, form)| form.weight).min().unwrap_or(0);
                self.learnt.note(lesson, weight);
            }
        }
    }

    fn end(&mut self) {
        self.clause.clear();
    }
}

impl PhraseWord {
    /// Whether a word of a text is this one: in another form, or as a part of a Korean compound. Within a phrase a
    /// compound may extend only outwards.
    fn fits(&self, letters: &[char], form: WordForm, first: bool, last: bool) -> bool {
        if self.latin != form.latin {
            return false;
        }
        let stem_letters = letters.get(..form.stem).unwrap_or(letters);
        let own = self.letters.get(..self.stem).unwrap_or(&self.letters);
        if letters == &*self.letters || (stem_letters == own && own.len() >= 2) {
            return true;
        }
        if self.latin || self.letters.len() < 2 {
            return false;
        }
        (last && letters.starts_with(&self.letters)) || (first && stem_letters.ends_with(&self.letters))
    }
}

fn lesson(number: usize, name: &str, category: usize, weight: f64) -> Arc<Lesson> {
    #[allow(clippy::cast_possible_truncation, reason = "at most a few hundred; casts of floats saturate")]
    let weight = (weight * 100.0).round().clamp(-10_000.0, 10_000.0) as i32;
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    Arc::new(Lesson { number, name: name.into(), category: u8::try_from(category).unwrap_or(0), weight })
}

/// The words of a phrase, as the reader splits them.
fn pieces(text: &str) -> Vec<PhraseWord> {
    struct Pieces(Vec<PhraseWord>);
    impl FeatureSink for Pieces {
        fn feature(&mut self, _: u32, _: i32, _: (u32, u32)) {}

        fn word(&mut self, letters: &[char], form: WordForm) {
            self.0.push(PhraseWord { letters: letters.into(), stem: form.stem, latin: form.latin });
        }
    }
    let mut pieces = Pieces(Vec::new());
    ClauseReader::default().read(TextZone::Request, text, &mut pieces);
    pieces.0
}

fn bit(a: char, b: char) -> u32 {
    (u32::from(a).wrapping_mul(0x9e37_79b1) ^ u32::from(b).wrapping_mul(0x85eb_ca6b)) >> 11 & (PAIR_BITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v2::checked_rules;
    use protocol::api::{AgentHint, TaughtWord};
    use protocol::category::Category;

    fn lexicon(words: &[(&str, f64)]) -> Lexicon {
        let word =
            |&(word, weight): &(&str, f64)| TaughtWord { word: word.to_owned(), category: Category::InfraOps, weight };
        Lexicon::new(&Taught { words: words.iter().map(word).collect(), agents: Vec::new() })
    }

    fn points(words: &[(&str, f64)], texts: &[&str]) -> f64 {
        let (lexicon, mut learnt) = (lexicon(words), Learnt::default());
        texts.iter().for_each(|text| lexicon.text_features(TextZone::Request, text, &mut learnt));
        learnt.bonus()[Category::InfraOps.index()]
    }

    #[test]
    fn taught_word_matches_all_its_forms_only() {
        for (word, text) in [
            ("배포", "배포를 시작합니다"),
            ("배포", "재배포가 필요해요"),
            ("배포", "배포창을 잡아 주세요"),
            ("배포를", "배포가 끝났습니다"),
            ("배포", "\u{1107}\u{1162}\u{1111}\u{1169} 시작"),
            ("deploy", "We deployed it"),
            ("Deploy", "DEPLOY now"),
            ("알바트로스 배포", "내일 알바트로스 배포입니다"),
            ("blue green", "a Blue-Green switch"),
        ] {
            assert!(points(&[(word, 1.0)], &[text]) > 0.9, "{word} in {text}");
        }
        for (word, text) in [
            ("test", "the latest news"),
            ("cs", "metrics of csv files"),
            ("배포", "배를 포장합니다"),
            ("알바트로스 배포", "알바트로스는 새입니다. 배포 일정은 내일"),
            ("알바트로스 배포", "배포 알바트로스"),
        ] {
            assert!(points(&[(word, 1.0)], &[text]).abs() < 1e-9, "{word} not in {text}");
        }
    }

    #[test]
    fn word_counts_once_less_when_denied_or_quoted() {
        let score = |text: &str| points(&[("배포", 2.0)], &[text]);
        assert!((score("배포 배포 배포") - 2.0).abs() < 1e-9, "once, however often");
        assert!((score("배포 말고 문서를 봐 주세요") - 0.5).abs() < 1e-9, "denied: a quarter");
        assert!(score("> 배포 이야기") < 1.0 && score("```\n배포\n```") < 0.5);
        assert!((points(&[("배포", 2.0)], &["배포 말고", "배포부터"]) - 2.0).abs() < 1e-9, "the best place counts");
        assert!((points(&[("배포", -1.5)], &["배포"]) + 1.5).abs() < 1e-9, "a word may speak against");
        let mut against = Learnt::default();
        lexicon(&[("배포", -1.5)]).text_features(TextZone::Request, "배포", &mut against);
        assert_eq!(against.words(Category::QaValidation.index()), [("배포".to_owned(), -1.5)], "and so for another");
        assert!(against.words(Category::InfraOps.index()).is_empty());
    }

    #[test]
    fn only_agents_with_a_hint_speak_for_something() {
        let hint = AgentHint { agent: "seum".into(), category: Category::InfraOps, weight: 0.5 };
        let lexicon = Lexicon::new(&Taught { words: Vec::new(), agents: vec![hint] });
        let mut learnt = Learnt::default();
        lexicon.note_speaker(&"eden".into(), &mut learnt);
        assert_eq!(learnt, Learnt::default());
        lexicon.note_speaker(&"seum".into(), &mut learnt);
        lexicon.note_speaker(&"seum".into(), &mut learnt);
        assert!((learnt.bonus()[Category::InfraOps.index()] - 0.5).abs() < 1e-9);
        assert_eq!(learnt.words(Category::InfraOps.index()), [("seum".to_owned(), 0.5)]);
    }

    #[test]
    fn invalid_rules_are_rejected_with_field() {
        let word = |word: &str, weight: f64| TaughtWord { word: word.to_owned(), category: Category::InfraOps, weight };
        let fault = |words: Vec<TaughtWord>| checked_rules(Taught { words, agents: Vec::new() }).map_err(|it| it.field);
        assert_eq!(fault(vec![word("배포", 1.0), word("  ", 1.0)]), Err("words[1].word".to_owned()));
        assert_eq!(fault(vec![word("하나 둘 셋 넷 다섯", 1.0)]), Err("words[0].word".to_owned()));
        assert_eq!(fault(vec![word("...", 1.0)]), Err("words[0].word".to_owned()));
        assert_eq!(fault(vec![word("1:1 문의", 1.0)]), Err("words[0].word".to_owned()), "it would be any 문의");
        assert_eq!(fault(vec![word("배포", 0.001)]), Err("words[0].weight".to_owned()));
        assert_eq!(fault(vec![word("배포", f64::NAN)]), Err("words[0].weight".to_owned()));
        assert_eq!(fault(vec![word("Deploy", 1.0), word("deploy", 2.0)]), Err("words[1].word".to_owned()));
        assert_eq!(fault(vec![word("배포", 1.0); 201]), Err("words".to_owned()));
        let fine =
            checked_rules(Taught { words: vec![word("  알바트로스   배포 ", 1.234)], agents: Vec::new() }).unwrap();
        assert_eq!((fine.words[0].word.as_str(), fine.words[0].weight), ("알바트로스 배포", 1.23));
        assert_ne!(fine.revision(), Taught::default().revision());
    }
}
