//! Conversion of text typed in the wrong keyboard layout: `qovh` to 배포, `ㅗㅐㅡㄷ` to home.

use super::jamo::keys;

/// Hangul keys on a Latin keyboard; capitals are typed with Shift.
const KEYS: [(char, char); 33] = [
    ('q', 'ㅂ'),
    ('w', 'ㅈ'),
    ('e', 'ㄷ'),
    ('r', 'ㄱ'),
    ('t', 'ㅅ'),
    ('y', 'ㅛ'),
    ('u', 'ㅕ'),
    ('i', 'ㅑ'),
    ('o', 'ㅐ'),
    ('p', 'ㅔ'),
    ('a', 'ㅁ'),
    ('s', 'ㄴ'),
    ('d', 'ㅇ'),
    ('f', 'ㄹ'),
    ('g', 'ㅎ'),
    ('h', 'ㅗ'),
    ('j', 'ㅓ'),
    ('k', 'ㅏ'),
    ('l', 'ㅣ'),
    ('z', 'ㅋ'),
    ('x', 'ㅌ'),
    ('c', 'ㅊ'),
    ('v', 'ㅍ'),
    ('b', 'ㅠ'),
    ('n', 'ㅜ'),
    ('m', 'ㅡ'),
    ('Q', 'ㅃ'),
    ('W', 'ㅉ'),
    ('E', 'ㄸ'),
    ('R', 'ㄲ'),
    ('T', 'ㅆ'),
    ('O', 'ㅒ'),
    ('P', 'ㅖ'),
];
/// Shorter words say too little to be taken for a mistake.
const MIN_WORD_CHARS: usize = 2;

/// The Hangul keys of a word of Latin letters.
pub(super) fn as_hangul(word: &str) -> Option<Vec<char>> {
    let key = |c: char| {
        let hangul_key = |c: char| KEYS.iter().find(|(latin, _)| *latin == c).map(|(_, hangul)| *hangul);
        hangul_key(c).or_else(|| hangul_key(c.to_ascii_lowercase()))
    };
    let keys: Option<Vec<char>> = word.chars().map(key).collect();
    keys.filter(|keys| keys.len() >= MIN_WORD_CHARS)
}

/// The Latin letters of a word of Hangul.
pub(super) fn as_latin(word: &str) -> Option<String> {
    let mut out = String::new();
    for c in word.chars() {
        let typed = keys(c);
        if typed.is_empty() {
            return None;
        }
        for key in typed {
            out.push(KEYS.iter().find(|(_, hangul)| *hangul == key)?.0);
        }
    }
    (out.len() >= MIN_WORD_CHARS).then_some(out)
}
