//! Matcher of a query's terms: tests whether a word or phrase occurs in a normalised text (`fold.rs`). [`TermPlan`]
//! describes how an index finds the texts that may match.

use std::ops::Range;

use hangul::syllable::is_syllable;
use memchr::memmem::Finder as Memmem;

use super::class::{Class, class_of, tokens};
use super::fold::folded;
use super::particle;

/// Least number of initial consonants of a search: one alone is in nearly every text, and is matched as the
/// letter it is.
const MIN_INITIALS: usize = 2;
/// Bytes of ASCII that are passed over at once.
const ASCII_STEP: usize = 32;

/// A word or a phrase, prepared once. Texts are to be folded ([`super::fold`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// As written, folded; white space as one blank.
    written: String,
    /// The same without the particle that is passed over.
    understood: String,
    /// What it finds. A word's particle is not in it.
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    /// Pieces one after the other, each with the gap before it.
    Pieces(Vec<(Gap, String)>),
    /// Syllables that begin so, or the letters themselves.
    Initials(Vec<char>),
}

/// Gap between two pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// The first piece.
    Start,
    /// At least and at most this many separators.
    Separators(usize, usize),
    /// Any white space.
    Space,
}

/// How an index finds the texts that may hold a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermPlan {
    /// Exactly the texts with a token of this class that contains this one.
    Within(Class, String),
    /// Exactly the texts with a token of Hangul in which [`has_initials`] finds these.
    Initials(Vec<char>),
    /// Only texts that fit each of these; which of them hold the term is for [`Term::matches`] to say. Of an empty list,
    /// every text.
    All(Vec<Self>),
}

impl Term {
    /// A word as written in a query; nothing for a blank one.
    #[must_use]
    pub fn word(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.contains(char::is_whitespace) {
            return Self::phrase(text);
        }
        let written = folded(text);
        if let Some(initials) = hangul::consonants(&written).filter(|letters| letters.len() >= MIN_INITIALS) {
            return Some(Self { understood: written.clone(), written, shape: Shape::Initials(initials) });
        }
        let composed: String = unicode_normalization::UnicodeNormalization::nfc(text).collect();
        let stem = particle::strip_particle(&composed).unwrap_or(&composed);
        let pieces = pieces(stem);
        (!pieces.is_empty()).then(|| Self { written, understood: folded(stem), shape: Shape::Pieces(pieces) })
    }

    /// An exact phrase: nothing is passed over, but that any white space is as good as any other. Nothing for a blank
    /// one.
    #[must_use]
    pub fn phrase(text: &str) -> Option<Self> {
        let folded = folded(text);
        let words: Vec<&str> = folded.split_whitespace().collect();
        let gap = |at: usize| if at == 0 { Gap::Start } else { Gap::Space };
        let pieces = words.iter().enumerate().map(|(at, word)| (gap(at), (*word).to_owned())).collect();
        let written = words.join(" ");
        (!words.is_empty()).then(|| Self { understood: written.clone(), written, shape: Shape::Pieces(pieces) })
    }

    /// The word as it is understood: folded, without the particle that is passed over.
    #[must_use]
    pub fn understood(&self) -> &str {
        &self.understood
    }

    /// First match in a folded text, in bytes.
    #[must_use]
    pub fn matches(&self, folded: &str) -> Option<Range<usize>> {
        self.find(folded, 0)
    }

    /// All places in a folded text, in order, apart from each other.
    pub fn places<'a>(&'a self, folded: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.find(folded, from)?;
            from = found.end;
            Some(found)
        })
    }

    /// The longest run of syllables, or of letters and digits of ASCII, that is in every text that holds it.
    pub(super) fn anchor(&self) -> Option<String> {
        let Shape::Pieces(pieces) = &self.shape else { return None };
        let plain = |c: char| is_syllable(c) || c.is_ascii_alphanumeric();
        let runs = pieces.iter().flat_map(|(_, piece)| piece.split(|c| !plain(c)));
        runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty()).map(str::to_owned)
    }

    /// Whether it can match a text other than letter for letter.
    #[must_use]
    pub fn is_loose(&self) -> bool {
        match &self.shape {
            Shape::Pieces(pieces) => {
                pieces.iter().any(|(gap, _)| matches!(gap, Gap::Separators(..))) || self.written != self.understood
            }
            Shape::Initials(_) => true,
        }
    }

    /// The text holds it letter for letter, its particle included.
    #[must_use]
    pub fn contains_whole(&self, folded: &str) -> bool {
        folded.contains(&self.written)
    }

    /// How an index finds the texts that may contain it whole ([`Term::contains_whole`]).
    #[must_use]
    pub fn whole(&self) -> TermPlan {
        let parts =
            tokens(&self.written).map(|(range, class, text)| (range.len(), TermPlan::Within(class, text.to_owned())));
        match <[_; 1]>::try_from(parts.collect::<Vec<_>>()) {
            Ok([(length, plan)]) if length == self.written.len() => plan,
            Ok([(_, plan)]) => TermPlan::All(vec![plan]),
            Err(parts) => TermPlan::All(parts.into_iter().map(|(_, plan)| plan).collect()),
        }
    }

    /// Every text that holds it is ASCII there: it consists of ASCII pieces.
    pub(crate) fn is_ascii(&self) -> bool {
        matches!(&self.shape, Shape::Pieces(pieces) if pieces.iter().all(|(_, piece)| piece.is_ascii()))
    }

    /// How an index finds the texts that may hold it.
    #[must_use]
    pub fn plan(&self) -> TermPlan {
        let pieces = match &self.shape {
            Shape::Initials(letters) => return TermPlan::Initials(letters.clone()),
            Shape::Pieces(pieces) => pieces,
        };
        let mut parts = Vec::new();
        for (_, piece) in pieces {
            for (range, class, text) in tokens(piece) {
                if pieces.len() == 1 && range.len() == piece.len() {
                    return TermPlan::Within(class, text.to_owned());
                }
                parts.push(TermPlan::Within(class, text.to_owned()));
            }
        }
        TermPlan::All(parts)
    }

    /// The same over a long text, again and again.
    pub(crate) fn finder(&self) -> Finder<'_> {
        let first = match &self.shape {
            Shape::Initials(_) => None,
            Shape::Pieces(pieces) => pieces.split_first(),
        };
        Finder {
            term: self,
            first: first.map(|((_, first), rest)| FirstPiece {
                finder: Memmem::new(first.as_str()),
                length: first.len(),
                rest,
            }),
        }
    }

    fn find(&self, folded: &str, from: usize) -> Option<Range<usize>> {
        match &self.shape {
            Shape::Initials(letters) => initials(folded, from, letters),
            Shape::Pieces(pieces) => {
                let (first, rest) = pieces.split_first()?;
                let mut from = from;
                loop {
                    let start = from + folded.get(from..)?.find(first.1.as_str())?;
                    if let Some(end) = follow(folded, start + first.1.len(), rest) {
                        return Some(start..end);
                    }
                    // The first piece may occur again within itself.
                    from = start + folded.get(start..)?.chars().next()?.len_utf8();
                }
            }
        }
    }
}

/// A term made ready to be found in a long text.
pub(crate) struct Finder<'a> {
    term: &'a Term,
    /// Nothing for initials.
    first: Option<FirstPiece<'a>>,
}

/// The first piece and what follows it.
struct FirstPiece<'a> {
    finder: Memmem<'a>,
    length: usize,
    rest: &'a [(Gap, String)],
}

impl Finder<'_> {
    /// First match in a folded text from `from` on, in bytes.
    pub(crate) fn find(&self, folded: &str, mut from: usize) -> Option<Range<usize>> {
        let Some(FirstPiece { finder, length, rest }) = &self.first else { return self.term.find(folded, from) };
        loop {
            let start = from + finder.find(folded.as_bytes().get(from..)?)?;
            if let Some(end) = follow(folded, start + length, rest) {
                return Some(start..end);
            }
            // The first piece may occur again within itself.
            from = start + 1;
        }
    }
}

/// Where the pieces end when they follow at `at`.
fn follow(folded: &str, mut at: usize, pieces: &[(Gap, String)]) -> Option<usize> {
    for (gap, piece) in pieces {
        let rest = folded.get(at..)?;
        let skipped = match gap {
            Gap::Start => 0,
            Gap::Space => {
                let skipped = rest.len() - rest.trim_start().len();
                (skipped > 0).then_some(skipped)?
            }
            Gap::Separators(least, most) => {
                let run = rest.chars().take_while(|c| class_of(*c).is_none());
                let lengths: Vec<usize> = run.take(most + 1).map(char::len_utf8).collect();
                (*least..=*most).contains(&lengths.len()).then(|| lengths.iter().sum())?
            }
        };
        at += skipped;
        folded.get(at..).filter(|rest| rest.starts_with(piece.as_str()))?;
        at += piece.len();
    }
    Some(at)
}

/// A word as the pieces it is made of: at separators within it, and where small letters go over into capital ones.
/// Text before the first and after the last piece belongs to it.
fn pieces(word: &str) -> Vec<(Gap, String)> {
    let chars: Vec<char> = word.chars().collect();
    let inner = chars.iter().position(|c| class_of(*c).is_some());
    let (Some(first), Some(last)) = (inner, chars.iter().rposition(|c| class_of(*c).is_some())) else {
        let all = folded(word);
        return if all.is_empty() { Vec::new() } else { vec![(Gap::Start, all)] };
    };
    let mut out: Vec<(Gap, String)> = Vec::new();
    let (mut piece, mut gap, mut separators) = (String::new(), Gap::Start, 0);
    let mut before: Option<char> = None;
    for (at, &c) in chars.iter().enumerate() {
        if at > first && at < last && class_of(c).is_none() {
            separators += 1;
            continue;
        }
        let parted = separators > 0 || before.is_some_and(|before| turns(before, c, chars.get(at + 1).copied()));
        if at > first && at <= last && parted {
            out.push((gap, folded(&std::mem::take(&mut piece))));
            // Two numbers are not one number.
            let digits = c.is_numeric() && before.is_some_and(char::is_numeric);
            gap = Gap::Separators(usize::from(digits), separators.max(1));
            separators = 0;
        }
        piece.push(c);
        before = Some(c);
    }
    out.push((gap, folded(&piece)));
    out.retain(|(_, piece)| !piece.is_empty());
    out
}

/// A new part of an identifier begins with `c`: `workSession`, `HTTPServer`, `deploy완료`.
fn turns(before: char, c: char, next: Option<char>) -> bool {
    let latin = |c: char| class_of(c) == Some(Class::Latin) && c.is_alphabetic();
    let hangul = |c: char| class_of(c) == Some(Class::Hangul);
    (c.is_uppercase() && (before.is_lowercase() || before.is_numeric()))
        || (before.is_uppercase() && c.is_uppercase() && next.is_some_and(char::is_lowercase))
        || (latin(before) && hangul(c))
        || (hangul(before) && latin(c))
}

/// A word of a query as it is understood, in its own letters: without the particle that is passed over.
#[must_use]
pub fn understood(word: &str) -> String {
    let composed: String = unicode_normalization::UnicodeNormalization::nfc(word).collect();
    particle::strip_particle(&composed).unwrap_or(&composed).to_owned()
}

/// Whether a token of Hangul holds syllables that begin with these consonants in sequence, or the letters themselves.
#[must_use]
pub fn has_initials(token: &str, letters: &[char]) -> bool {
    initials(token, 0, letters).is_some()
}

fn initials(folded: &str, mut at: usize, letters: &[char]) -> Option<Range<usize>> {
    let first = letters.first().copied()?;
    let syllables = hangul::syllables_with(first);
    let begins = |c: char| match is_syllable(c) {
        true => syllables.as_ref().is_some_and(|syllables| syllables.contains(&c)),
        false => ('ㄱ'..='ㅎ').contains(&c),
    };
    loop {
        at = skip_ascii(folded, at)?;
        let rest = folded.get(at..)?;
        let c = rest.chars().next()?;
        if begins(c)
            && let Some(length) = initials_length(rest, letters)
        {
            return Some(at..at + length);
        }
        at += c.len_utf8();
    }
}

/// Position of the first character from `at` on that is not ASCII; `None` when all the rest is ASCII.
fn skip_ascii(text: &str, mut at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    while bytes.get(at)?.is_ascii() {
        at += if bytes.get(at..at + ASCII_STEP).is_some_and(<[u8]>::is_ascii) { ASCII_STEP } else { 1 };
    }
    Some(at)
}

/// Bytes of the syllables at the beginning of the text that stand for these consonants.
fn initials_length(text: &str, letters: &[char]) -> Option<usize> {
    let (mut left, mut chars) = (letters, text.chars());
    while !left.is_empty() {
        left = hangul::after_initial(chars.next()?, left)?;
    }
    Some(text.len() - chars.as_str().len())
}
