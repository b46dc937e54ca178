//! Arithmetic of precomposed Hangul syllables (가–힣): 19 initials, 21 vowels and 28 finals (0: none), in the order of
//! Unicode. Text that mixes precomposed and conjoining letters is normalised elsewhere (`search::fold`).

use std::ops::RangeInclusive;

const FIRST: u32 = '가' as u32;
const VOWELS: u32 = 21;
const FINALS: u32 = 28;
const SYLLABLES: u32 = 19 * VOWELS * FINALS;
/// Conjoining letters: the first initial, the first vowel, and the place before the first final.
const CONJOINING: [u32; 3] = [0x1100, 0x1161, 0x11a7];

/// Number of the final ㄹ.
pub const FINAL_RIEUL: u32 = 8;
/// Number of the final ㅆ.
pub const FINAL_SSANG_SIOT: u32 = 20;

/// Numbers of a syllable's letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Syllable {
    /// Initial consonant, of 19.
    pub initial: u32,
    /// Vowel, of 21.
    pub vowel: u32,
    /// Final consonant, of 28; 0 when it has none.
    pub final_consonant: u32,
}

/// True for 가–힣; letters alone are not syllables.
#[must_use]
#[inline]
pub fn is_syllable(c: char) -> bool {
    matches!(c, '가'..='힣')
}

/// The letters of a syllable by number.
#[must_use]
#[inline]
pub fn split(c: char) -> Option<Syllable> {
    let number = u32::from(c).checked_sub(FIRST).filter(|number| *number < SYLLABLES)?;
    let (initial, vowel) = (number / (VOWELS * FINALS), number / FINALS % VOWELS);
    Some(Syllable { initial, vowel, final_consonant: number % FINALS })
}

/// The syllables with an initial consonant, by its number; they are one range.
pub(crate) fn with_initial(initial: u32) -> Option<RangeInclusive<char>> {
    let first = FIRST + initial * VOWELS * FINALS;
    Some(char::from_u32(first)?..=char::from_u32(first + VOWELS * FINALS - 1)?)
}

/// Number of a syllable's final consonant; 0 when it has none.
#[must_use]
#[inline]
pub fn final_consonant(c: char) -> Option<u32> {
    split(c).map(|syllable| syllable.final_consonant)
}

/// The conjoining letters of a syllable, as in NFD; the last is `None` without a final consonant.
#[must_use]
pub fn decompose(c: char) -> Option<[Option<char>; 3]> {
    let Syllable { initial, vowel, final_consonant } = split(c)?;
    let [initials, vowels, finals] = CONJOINING;
    Some([
        char::from_u32(initials + initial),
        char::from_u32(vowels + vowel),
        char::from_u32(finals + final_consonant).filter(|_| final_consonant > 0),
    ])
}

/// One step of composition (NFC): an initial and a vowel, or a syllable without a final and a final, are one syllable.
#[must_use]
pub fn compose(before: char, letter: char) -> Option<char> {
    let (before, letter) = (u32::from(before), u32::from(letter));
    let [initials, vowels, finals] = CONJOINING;
    let syllable = |number: u32| number < SYLLABLES && number.is_multiple_of(FINALS);
    let composed = if (vowels..vowels + VOWELS).contains(&letter) && (initials..initials + 19).contains(&before) {
        FIRST + ((before - initials) * VOWELS + (letter - vowels)) * FINALS
    } else if (finals + 1..finals + FINALS).contains(&letter) && before.checked_sub(FIRST).is_some_and(syllable) {
        before + letter - finals
    } else {
        return None;
    };
    char::from_u32(composed)
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;

    #[test]
    fn every_syllable_splits_and_composes_as_unicode_says() {
        for c in '가'..='힣' {
            let letters: String = decompose(c).into_iter().flatten().flatten().collect();
            assert_eq!(letters, c.nfd().collect::<String>());
            assert_eq!(letters.chars().reduce(|before, letter| compose(before, letter).unwrap_or('?')), Some(c));
        }
    }

    #[test]
    fn letters_are_numbered_in_unicode_order() {
        assert_eq!(split('가'), Some(Syllable { initial: 0, vowel: 0, final_consonant: 0 }));
        assert_eq!(split('힣'), Some(Syllable { initial: 18, vowel: 20, final_consonant: 27 }));
        assert_eq!(final_consonant('달'), Some(FINAL_RIEUL));
        assert_eq!(final_consonant('했'), Some(FINAL_SSANG_SIOT));
        assert_eq!(final_consonant('다'), Some(0));
    }

    #[test]
    fn neighbours_of_the_syllables_are_none() {
        for c in ['\u{abff}', '\u{d7a4}', 'ㄱ', '\u{1100}', 'a', '一'] {
            assert!(!is_syllable(c) && split(c).is_none() && decompose(c).is_none(), "{c:?}");
        }
    }

    #[test]
    fn only_fitting_letters_compose() {
        let [initial, vowel, last] = decompose('각').unwrap_or_default().map(Option::unwrap_or_default);
        assert_eq!(compose(initial, last), None);
        assert_eq!(compose('가', vowel), None);
        assert_eq!(compose('각', last), None);
        assert_eq!(compose('a', vowel), None);
    }
}
