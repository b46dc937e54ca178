//! Conversion of Hangul syllables into initial consonants and into key strokes (two-set layout).

use super::syllable::split;

const LEADS: &str = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
/// The same by number: a search looks at every syllable of a text.
const INITIALS: [char; 19] =
    ['ㄱ', 'ㄲ', 'ㄴ', 'ㄷ', 'ㄸ', 'ㄹ', 'ㅁ', 'ㅂ', 'ㅃ', 'ㅅ', 'ㅆ', 'ㅇ', 'ㅈ', 'ㅉ', 'ㅊ', 'ㅋ', 'ㅌ', 'ㅍ', 'ㅎ'];
const VOWELS: [&str; 21] = [
    "ㅏ", "ㅐ", "ㅑ", "ㅒ", "ㅓ", "ㅔ", "ㅕ", "ㅖ", "ㅗ", "ㅗㅏ", "ㅗㅐ", "ㅗㅣ", "ㅛ", "ㅜ", "ㅜㅓ", "ㅜㅔ", "ㅜㅣ",
    "ㅠ", "ㅡ", "ㅡㅣ", "ㅣ",
];
const FINALS: [&str; 28] = [
    "", "ㄱ", "ㄲ", "ㄱㅅ", "ㄴ", "ㄴㅈ", "ㄴㅎ", "ㄷ", "ㄹ", "ㄹㄱ", "ㄹㅁ", "ㄹㅂ", "ㄹㅅ", "ㄹㅌ", "ㄹㅍ", "ㄹㅎ",
    "ㅁ", "ㅂ", "ㅂㅅ", "ㅅ", "ㅆ", "ㅇ", "ㅈ", "ㅊ", "ㅋ", "ㅌ", "ㅍ", "ㅎ",
];
/// Consonants written as one letter, and the two keys they are typed with.
const PAIRS: [(char, &str); 11] = [
    ('ㄳ', "ㄱㅅ"),
    ('ㄵ', "ㄴㅈ"),
    ('ㄶ', "ㄴㅎ"),
    ('ㄺ', "ㄹㄱ"),
    ('ㄻ', "ㄹㅁ"),
    ('ㄼ', "ㄹㅂ"),
    ('ㄽ', "ㄹㅅ"),
    ('ㄾ', "ㄹㅌ"),
    ('ㄿ', "ㄹㅍ"),
    ('ㅀ', "ㄹㅎ"),
    ('ㅄ', "ㅂㅅ"),
];

/// The initial consonant of a syllable.
pub(super) fn lead(c: char) -> Option<char> {
    INITIALS.get(split(c)?.initial as usize).copied()
}

/// Number of an initial consonant; `None` for a letter that begins no syllable.
pub(super) fn initial_number(consonant: char) -> Option<u32> {
    (0..).zip(INITIALS).find(|(_, initial)| *initial == consonant).map(|(number, _)| number)
}

/// The consonants that a letter written alone represents: itself, or the two of a pair. Empty for anything else.
pub(super) fn parts(c: char) -> Vec<char> {
    match PAIRS.iter().find(|(pair, _)| *pair == c) {
        Some((_, two)) => two.chars().collect(),
        None if LEADS.contains(c) => vec![c],
        None => Vec::new(),
    }
}

/// The keys that type a syllable or a letter alone, in order. Empty for anything else.
pub(super) fn keys(c: char) -> Vec<char> {
    if let Some(syllable) = split(c) {
        let initial = INITIALS.get(syllable.initial as usize).copied();
        let (vowel, last) = (VOWELS[syllable.vowel as usize], FINALS[syllable.final_consonant as usize]);
        return initial.into_iter().chain(vowel.chars()).chain(last.chars()).collect();
    }
    let alone = parts(c);
    if !alone.is_empty() {
        return alone;
    }
    // Vowels are in the order of their syllables.
    match u32::from(c).checked_sub(u32::from('ㅏ')) {
        Some(number) if (number as usize) < VOWELS.len() => VOWELS[number as usize].chars().collect(),
        _ => Vec::new(),
    }
}
