//! Features of one clause: words, word parts, pairs of neighbouring words, and signs such as a sum of money. Negated
//! words weigh less.

use super::stem;

/// Full weight of a feature.
pub(super) const ONE: i32 = 16;
/// Longest Latin word that is read whole.
const MAX_LATIN: usize = 32;

/// Script of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordKind {
    Latin,
    Korean,
    /// A form, not a word: a sum of money, a share, a question mark.
    SignKind,
}

/// One word of a clause.
#[derive(Debug, Clone, Copy)]
struct ClauseWord {
    kind: WordKind,
    /// Its range in the text.
    span: (u32, u32),
    /// Its letters in [`WordClause::letters`].
    letters: (u32, u32),
    /// How many of them are its stem.
    stem: u32,
    /// Identity of the stem.
    key: u32,
    /// Weight of its place, of [`ONE`].
    weight: i32,
}

/// Families of features; equal letters have different meanings in each.
#[derive(Clone, Copy)]
enum Family {
    ClauseWord = 1,
    Prefix = 2,
    Gram = 3,
    Pair = 4,
    Ending = 5,
    SignKind = 6,
    Start = 7,
}

/// Receives the features of a text.
pub(super) trait FeatureSink {
    /// A feature: key, amount (of [`ONE`] × [`ONE`]) and the range of the word.
    fn feature(&mut self, key: u32, amount: i32, span: (u32, u32));

    /// A word, before its features.
    fn word(&mut self, _letters: &[char], _form: WordForm) {}

    /// A clause is over.
    fn end(&mut self) {}
}

/// Form of a word in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordForm {
    /// How many of its letters are its stem.
    pub(super) stem: usize,
    /// Latin, else Korean.
    pub(super) latin: bool,
    /// Weight of its place, of [`ONE`].
    pub(super) weight: i32,
}

/// Words up to the next mark that ends a clause.
#[derive(Debug, Default)]
pub(super) struct WordClause {
    words: Vec<ClauseWord>,
    /// Letters of all words, one after the other.
    letters: Vec<char>,
    /// Some word may be a negation, so [`Self::pass_by`] has to search.
    may_negate: bool,
}

/// Signs that represent a kind of number or punctuation.
#[derive(Debug, Clone, Copy)]
pub(super) enum SignKind {
    /// A question mark.
    Question = 1,
    /// A percentage.
    Share = 2,
    /// An amount of money.
    Money = 3,
    /// A version number.
    Version = 4,
    /// A reference to an issue, such as `#12`.
    Issue = 5,
    /// A web address.
    Address = 6,
    /// A code block or an identifier.
    Code = 7,
    /// A row of a table.
    Table = 8,
    /// A file name or path.
    File = 9,
}

impl WordClause {
    pub(super) fn push_mark(&mut self, mark: SignKind, span: (u32, u32), weight: i32) {
        let key = mix(Family::SignKind as u32, mark as u32);
        self.words.push(ClauseWord { kind: WordKind::SignKind, span, letters: (0, 0), stem: 0, key, weight });
    }

    /// A lower-case Latin word.
    pub(super) fn push_latin(&mut self, letters: &[u8], span: (u32, u32), weight: i32) {
        let whole = letters.get(..letters.len().min(MAX_LATIN)).unwrap_or_default();
        if whole.len() < 2 && whole != b"i" && whole != b"a" {
            return;
        }
        let stem = stem::latin(whole);
        let from = self.letters.len();
        self.letters.extend(whole.iter().map(|byte| char::from(*byte)));
        self.add(WordKind::Latin, from, stem, span, weight);
    }

    /// A run of Hangul syllables.
    pub(super) fn push_korean(&mut self, syllables: &[char], span: (u32, u32), weight: i32) {
        let stem = stem::korean(syllables);
        let from = self.letters.len();
        self.letters.extend_from_slice(syllables);
        self.add(WordKind::Korean, from, stem, span, weight);
    }

    fn add(&mut self, kind: WordKind, from: usize, stem: usize, span: (u32, u32), weight: i32) {
        let key = hash(Family::ClauseWord, &self.letters[from..from + stem]);
        self.may_negate |= may_negate(&self.letters[from..]);
        #[allow(clippy::cast_possible_truncation, reason = "a message is read up to a few thousand bytes")]
        let (letters, stem) = ((from as u32, self.letters.len() as u32), stem as u32);
        self.words.push(ClauseWord { kind, span, letters, stem, key, weight });
    }

    /// Reduces the weight of negated words, passes the features on and empties the clause.
    pub(super) fn flush(&mut self, sink: &mut impl FeatureSink) {
        if self.words.is_empty() {
            return;
        }
        if std::mem::take(&mut self.may_negate) {
            self.pass_by();
        }
        let mut before: Option<ClauseWord> = None;
        for word in &self.words {
            let letters = &self.letters[word.letters.0 as usize..word.letters.1 as usize];
            if word.kind != WordKind::SignKind {
                let (stem, latin) = (word.stem as usize, word.kind == WordKind::Latin);
                sink.word(letters, WordForm { stem, latin, weight: word.weight });
            }
            match word.kind {
                WordKind::SignKind => sink.feature(word.key, word.weight * ONE / 2, word.span),
                WordKind::Latin => latin(word, letters, sink),
                WordKind::Korean => korean(word, letters, sink),
            }
            if word.kind != WordKind::SignKind {
                if let Some(before) = before {
                    let weight = before.weight.min(word.weight);
                    let key = mix(before.key.rotate_left(7) ^ Family::Pair as u32, word.key);
                    sink.feature(key, weight * ONE * 5 / 8, word.span);
                }
                before = Some(*word);
            }
        }
        sink.end();
        self.words.clear();
        self.letters.clear();
    }

    /// `A 말고 B`, `not A`, `A is for later`: a negated word counts a quarter.
    fn pass_by(&mut self) {
        let letters = &self.letters;
        let mut until = 0;
        let mut after = usize::MAX;
        let mut whole = false;
        for (at, word) in self.words.iter().enumerate() {
            let text = &letters[word.letters.0 as usize..word.letters.1 as usize];
            match word.kind {
                WordKind::Korean
                    if is_any(text, &["말고", "말고는", "아니라", "아니고", "대신", "빼고", "제외하고"]) =>
                {
                    until = at;
                }
                WordKind::Korean
                    if is_any(text, &["나중에", "다음에", "말아", "말고요", "말아요", "마세요", "마시고"]) =>
                {
                    whole = true;
                }
                WordKind::Latin
                    if is_any(text, &["not", "no", "don't", "without", "never", "instead", "isn't", "nothing"]) =>
                {
                    after = after.min(at);
                }
                WordKind::Latin if is_any(text, &["later", "unrelated"]) => whole = true,
                _ => {}
            }
        }
        if !whole && until == 0 && after == usize::MAX {
            return;
        }
        for (at, word) in self.words.iter_mut().enumerate() {
            if whole || at < until || (at > after && at <= after.saturating_add(4)) {
                word.weight /= 4;
            }
        }
    }
}

fn is_any(text: &[char], words: &[&str]) -> bool {
    words.iter().any(|word| word.chars().eq(text.iter().copied()))
}

/// Whether a word may be one that [`WordClause::pass_by`] looks for. Nearly every word begins otherwise.
fn may_negate(text: &[char]) -> bool {
    let first = text.first().copied().unwrap_or_default();
    matches!(first, '말' | '아' | '대' | '빼' | '제' | '나' | '다' | '마' | 'n' | 'd' | 'w' | 'i' | 'u' | 'l')
}

fn latin(word: &ClauseWord, letters: &[char], sink: &mut impl FeatureSink) {
    let stem = &letters[..word.stem as usize];
    let mut bytes = [0_u8; MAX_LATIN];
    for (to, from) in bytes.iter_mut().zip(letters) {
        *to = u8::try_from(*from).unwrap_or(b'?');
    }
    if letters.len() <= stem::MAX_EMPTY_LETTERS && stem::is_empty(&bytes[..letters.len()]) {
        return;
    }
    sink.feature(word.key, word.weight * ONE, word.span);
    if stem.len() >= 5 {
        sink.feature(hash(Family::Prefix, &stem[..4]), word.weight * ONE / 2, word.span);
    }
}

fn korean(word: &ClauseWord, letters: &[char], sink: &mut impl FeatureSink) {
    let stem = &letters[..word.stem as usize];
    let full = word.weight * ONE;
    match stem.len() {
        0 => {}
        1 => sink.feature(word.key, full / 2, word.span),
        2 => sink.feature(hash(Family::Gram, stem), full, word.span),
        length => {
            // The more parts, the less each counts: a long word has no more weight than a short one.
            let part = full * 3 / if length == 3 { 4 } else { 6 };
            // A triple's hash continues that of its pair.
            let mut rest = stem;
            while let [a, b, after @ ..] = rest {
                let pair = step(step(seed(Family::Gram), *a), *b);
                sink.feature(finish(pair), part, word.span);
                if let [c, ..] = after {
                    sink.feature(finish(step(pair, *c)), part, word.span);
                }
                rest = &rest[1..];
            }
            if length >= 4 {
                sink.feature(word.key, full / 2, word.span);
            }
        }
    }
    if stem.len() >= 2 {
        sink.feature(hash(Family::Start, &stem[..2]), full / 3, word.span);
    }
    if letters.len() >= 3 && letters.len() > stem.len() {
        sink.feature(hash(Family::Ending, &letters[letters.len() - 2..]), full / 3, word.span);
    }
}

/// Hash that names a feature; 24 bits of it are used.
fn hash(family: Family, letters: &[char]) -> u32 {
    finish(letters.iter().fold(seed(family), |hash, c| step(hash, *c)))
}

/// The hash of no letters.
fn seed(family: Family) -> u32 {
    0x811c_9dc5 ^ family as u32
}

fn step(hash: u32, letter: char) -> u32 {
    (hash ^ u32::from(letter)).wrapping_mul(0x0100_0193)
}

fn mix(a: u32, b: u32) -> u32 {
    finish((a ^ 0x9e37_79b9).wrapping_mul(0x85eb_ca6b) ^ b.wrapping_mul(0xc2b2_ae35))
}

fn finish(mut hash: u32) -> u32 {
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    (hash ^ hash >> 16) & 0x00ff_ffff
}
