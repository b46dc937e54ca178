//! Matcher of Korean names, titles and commands as they are typed. It matches initial consonants (`ㅂㅍ` for 배포) and a
//! syllable still in composition (`뱊`). It ignores case and spaces, and recognises the wrong keyboard layout.
//!
//! It ranks one text against one query. It searches no log and has no index. Start with [`find`].

#![warn(missing_docs)]

mod initials;
mod jamo;
mod layout;
pub mod syllable;

use std::ops::{Range, RangeInclusive};

pub use self::initials::InitialsQuery;
use self::jamo::{keys, lead, parts};

#[cfg(test)]
mod tests;

/// Where a query was found in a text, and how well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HangulMatch {
    /// Byte ranges of the text that were matched, in order, apart from each other, on character boundaries. Empty for
    /// an empty query.
    pub ranges: Vec<Range<usize>>,
    /// Lower is better. Each word adds 0 at the beginning of the text, 1 at that of a word, 2 within a word; and 4 for
    /// a match by initials or 16 for one in the other keyboard layout.
    pub rank: u32,
}

/// Added for a match by initials.
const INITIALS_RANK: u32 = 4;
/// Added for a match in the other keyboard layout.
const LAYOUT_RANK: u32 = 16;
/// Most characters of a query that are compared; a longer query is no name.
const MAX_QUERY_CHARS: usize = 100;

/// Finds every word of `query` in `text`, in any order. `None` when a word is missing. A query without words matches
/// every text. Only the first 100 characters of `query` count.
#[must_use]
pub fn find(query: &str, text: &str) -> Option<HangulMatch> {
    let end = query.char_indices().nth(MAX_QUERY_CHARS).map_or(query.len(), |(at, _)| at);
    let query = query.get(..end).unwrap_or(query);
    let text: Vec<(usize, char)> = text.char_indices().collect();
    let mut found = HangulMatch { ranges: Vec::new(), rank: 0 };
    for word in query.split_whitespace() {
        let (span, rank) = as_typed(word, &text).or_else(|| in_other_layout(word, &text))?;
        found.rank += rank;
        found.ranges.extend(without_spaces(&text, span));
    }
    found.ranges.sort_by_key(|range| range.start);
    found.ranges = joined(found.ranges);
    Some(found)
}

/// The initial consonants of a text; what is no Hangul syllable stays.
#[must_use]
pub fn initials(text: &str) -> String {
    text.chars().map(|c| lead(c).unwrap_or(c)).collect()
}

/// The consonants of a word of nothing but consonants; one like ㄳ is what an IME makes of two.
#[must_use]
pub fn consonants(word: &str) -> Option<Vec<char>> {
    let mut out = Vec::new();
    for c in word.chars() {
        let parts = parts(c);
        if parts.is_empty() {
            return None;
        }
        out.extend(parts);
    }
    (!out.is_empty()).then_some(out)
}

/// The syllables that begin with a consonant; `None` for a letter that no syllable begins with.
#[must_use]
pub fn syllables_with(consonant: char) -> Option<RangeInclusive<char>> {
    syllable::with_initial(jamo::initial_number(consonant)?)
}

/// What is left of these consonants behind a character that represents the first of them: a syllable that begins with
/// it, the letter itself, or two of them written as one.
#[must_use]
pub fn after_initial(c: char, letters: &[char]) -> Option<&[char]> {
    let (first, rest) = letters.split_first()?;
    if c == *first || lead(c) == Some(*first) {
        return Some(rest);
    }
    // The block of the letters alone.
    if !('ㄱ'..='ㅎ').contains(&c) {
        return None;
    }
    letters.strip_prefix(parts(c).as_slice()).filter(|rest| rest.len() < letters.len())
}

/// True when it has a letter that is not yet a syllable: initials, or a word in composition.
#[must_use]
pub fn has_lone_letter(text: &str) -> bool {
    text.chars().any(|c| lead(c).is_none() && !keys(c).is_empty())
}

type IndexedChars = [(usize, char)];

fn as_typed(word: &str, text: &IndexedChars) -> Option<(Range<usize>, u32)> {
    let word: Vec<char> = word.chars().collect();
    let cost = if word.iter().any(|c| !parts(*c).is_empty()) { INITIALS_RANK } else { 0 };
    best(text, |start| typed_at(&word, text, start)).map(|(span, rank)| (span, rank + cost))
}

fn in_other_layout(word: &str, text: &IndexedChars) -> Option<(Range<usize>, u32)> {
    let found = match layout::as_hangul(word) {
        Some(keys) => best(text, |start| keys_at(&keys, text, start)),
        None => {
            let latin: Vec<char> = layout::as_latin(word)?.chars().collect();
            best(text, |start| typed_at(&latin, text, start))
        }
    };
    found.map(|(span, rank)| (span, rank + LAYOUT_RANK))
}

/// The best position for which `matches` returns an end: the text's beginning, a word's, any other.
fn best(text: &IndexedChars, matches: impl Fn(usize) -> Option<usize>) -> Option<(Range<usize>, u32)> {
    let place = |start: usize| match start.checked_sub(1).and_then(|before| text.get(before)) {
        None => 0,
        Some((_, before)) if !before.is_alphanumeric() => 1,
        Some(_) => 2,
    };
    let spans = (0..text.len()).filter_map(|start| Some((start..matches(start)?, place(start))));
    spans.min_by_key(|(span, place)| (*place, span.start))
}

/// End of `word` when it is at `start`; spaces of the text count for nothing.
fn typed_at(word: &[char], text: &IndexedChars, start: usize) -> Option<usize> {
    let mut at = start;
    for (number, wanted) in word.iter().enumerate() {
        if number > 0 {
            at = after_spaces(text, at);
        }
        let here = text.get(at)?.1;
        let is_last = number + 1 == word.len();
        at = if same(*wanted, here) {
            at + 1
        } else if let Some(end) = by_initials(*wanted, text, at) {
            end
        } else if is_last {
            // The syllable under composition: its last consonant may belong to the next one.
            keys_at(&keys(*wanted), text, at)?
        } else {
            return None;
        };
    }
    Some(at)
}

/// A consonant matches a syllable that begins with it; one like ㄳ is what an IME makes of two.
fn by_initials(wanted: char, text: &IndexedChars, start: usize) -> Option<usize> {
    let wanted = parts(wanted);
    let mut at = start;
    for (number, initial) in wanted.iter().enumerate() {
        if number > 0 {
            at = after_spaces(text, at);
        }
        let here = text.get(at)?.1;
        if lead(here) != Some(*initial) && here != *initial {
            return None;
        }
        at += 1;
    }
    (!wanted.is_empty()).then_some(at)
}

/// Where the keys end when typing the text from `start` begins with them.
fn keys_at(wanted: &[char], text: &IndexedChars, start: usize) -> Option<usize> {
    let mut rest = wanted;
    let mut at = start;
    while !rest.is_empty() {
        if at > start {
            at = after_spaces(text, at);
        }
        let here = keys(text.get(at)?.1);
        let shared = here.len().min(rest.len());
        if here.is_empty() || here.get(..shared) != rest.get(..shared) {
            return None;
        }
        rest = rest.get(shared..).unwrap_or_default();
        at += 1;
    }
    (at > start).then_some(at)
}

fn after_spaces(text: &IndexedChars, mut at: usize) -> usize {
    while text.get(at).is_some_and(|(_, c)| c.is_whitespace()) {
        at += 1;
    }
    at
}

fn same(a: char, b: char) -> bool {
    a == b || a.to_lowercase().eq(b.to_lowercase())
}

/// The bytes of a span of characters, in pieces between its spaces.
fn without_spaces(text: &IndexedChars, span: Range<usize>) -> Vec<Range<usize>> {
    let chars = text.get(span).unwrap_or_default();
    let bytes = chars.iter().filter(|(_, c)| !c.is_whitespace()).map(|(at, c)| *at..at + c.len_utf8());
    joined(bytes.collect())
}

/// Ranges sorted by their start, with those that touch made one.
fn joined(ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}
