//! Composition of decomposed Hangul (NFD) into syllables, without tables.

const LEAD: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TAIL: u32 = 0x11a7;
const FIRST: u32 = 0xac00;

/// Adds a letter to the syllables so far.
pub(super) fn join(syllables: &mut Vec<char>, letter: char) {
    let code = u32::from(letter);
    let last = syllables.last().map_or(0, |last| u32::from(*last));
    let joined = if (VOWEL..VOWEL + 21).contains(&code) && (LEAD..LEAD + 19).contains(&last) {
        Some(FIRST + ((last - LEAD) * 21 + (code - VOWEL)) * 28)
    } else if (TAIL + 1..TAIL + 28).contains(&code)
        && (FIRST..FIRST + 11_172).contains(&last)
        && (last - FIRST).is_multiple_of(28)
    {
        Some(last + code - TAIL)
    } else {
        None
    };
    match joined.and_then(char::from_u32) {
        Some(syllable) => {
            syllables.pop();
            syllables.push(syllable);
        }
        None => syllables.push(letter),
    }
}
