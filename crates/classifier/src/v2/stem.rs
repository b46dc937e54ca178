//! Stemmer: strips Korean particles and endings, English plurals and verb forms.

/// Particles and endings that are removed from a Korean word, longest first within each last syllable.
const ENDINGS: &[&str] = &[
    "해주시겠어요",
    "해주실래요",
    "해주시면",
    "해주세요",
    "해줄래요",
    "하겠습니다",
    "했습니다",
    "되었습니다",
    "됐습니다",
    "했었습니다",
    "하셨나요",
    "해드릴게요",
    "해드렸습니다",
    "부탁드립니다",
    "드렸습니다",
    "드릴게요",
    "드립니다",
    "드려요",
    "합니다",
    "됩니다",
    "입니다",
    "습니다",
    "하세요",
    "하시죠",
    "하시면",
    "했어요",
    "됐어요",
    "되나요",
    "하나요",
    "할게요",
    "할까요",
    "하려고",
    "하려면",
    "하지만",
    "하면서",
    "하고서",
    "하거나",
    "하는지",
    "했는지",
    "되는지",
    "됐는지",
    "인지를",
    "인지는",
    "이라서",
    "이라고",
    "이라는",
    "이라도",
    "이라면",
    "이어서",
    "이에요",
    "이었고",
    "이네요",
    "인데요",
    "예요",
    "거예요",
    "해서는",
    "했지만",
    "했는데",
    "하는데",
    "되는데",
    "인데",
    "는데요",
    "는데",
    "해야",
    "해도",
    "해서",
    "해줘",
    "해요",
    "하고",
    "하는",
    "하던",
    "하면",
    "하지",
    "하자",
    "하기",
    "한다",
    "했다",
    "했고",
    "했던",
    "하게",
    "하여",
    "되고",
    "되는",
    "되면",
    "되어",
    "되지",
    "된다",
    "됐다",
    "됐고",
    "되던",
    "돼서",
    "돼야",
    "돼요",
    "된",
    "될",
    "됨",
    "돼",
    "됐",
    "한",
    "할",
    "함",
    "해",
    "했",
    "하",
    "에서는",
    "에서도",
    "에게는",
    "으로는",
    "으로도",
    "으로만",
    "에서",
    "에게",
    "에는",
    "에도",
    "에만",
    "으로",
    "로는",
    "로도",
    "로만",
    "부터",
    "까지",
    "까지는",
    "처럼",
    "보다",
    "보다는",
    "마다",
    "밖에",
    "조차",
    "이나",
    "이랑",
    "이든",
    "이며",
    "이고",
    "이면",
    "이란",
    "인지",
    "인가",
    "인",
    "과의",
    "와의",
    "만의",
    "들의",
    "들을",
    "들이",
    "들은",
    "들도",
    "들",
    "께서",
    "께",
    "한테",
    "랑",
    "라도",
    "라는",
    "라고",
    "라서",
    "라면",
    "라",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "로",
    "와",
    "과",
    "도",
    "만",
    "나",
    "요",
    "고",
    "면",
    "지",
    "죠",
    "네요",
    "군요",
    "시오",
    "세요",
    "어요",
    "아요",
    "었습니다",
    "았습니다",
    "었어요",
    "았어요",
    "었고",
    "았고",
    "었던",
    "았던",
    "어서",
    "아서",
    "어야",
    "아야",
    "어도",
    "아도",
    "는지",
    "은지",
    "던",
    "게",
];

/// Number of syllables that remain when the longest known particle or ending is removed; at least one, and two when
/// the ending has only one syllable: `도로` is no `도` with a particle.
pub(super) fn korean(word: &[char]) -> usize {
    let Some(last) = word.last() else { return 0 };
    let packed = pack(word);
    let mut best = word.len();
    for ending in endings_of(*last) {
        let stem_len = word.len().saturating_sub(ending.length);
        let least = if ending.length == 1 { 2 } else { 1 };
        if stem_len >= least && stem_len < best && packed & ending.mask == ending.letters {
            best = stem_len;
        }
    }
    best
}

/// Syllables of the longest ending that can be packed; the longest is shorter.
const MAX_PACKED: usize = 8;

/// An ending, packed for a comparison in one step.
#[derive(Debug)]
struct PackedEnding {
    length: usize,
    letters: u128,
    mask: u128,
}

/// The last syllables of a word, 16 bits each, the last one lowest. Letters beyond 16 bits are in no ending.
fn pack(word: &[char]) -> u128 {
    let tail = &word[word.len().saturating_sub(MAX_PACKED)..];
    tail.iter().fold(0, |packed, c| packed << 16 | u128::from(u16::try_from(u32::from(*c)).unwrap_or(0)))
}

/// The endings with this last syllable. Comparing all of them would be most of the reading time.
fn endings_of(last: char) -> &'static [PackedEnding] {
    let groups = groups();
    let at = u32::from(last).checked_sub(FIRST_SYLLABLE).map(|at| groups.by_last.get(at as usize));
    match at {
        Some(Some(&group)) if group > 0 => groups.endings.get(usize::from(group) - 1).map_or(&[], |list| &list[..]),
        _ => &[],
    }
}

const FIRST_SYLLABLE: u32 = 0xac00;
const SYLLABLES: usize = 11_172;

/// The endings by their last syllable.
#[derive(Debug)]
struct EndingGroups {
    /// For each syllable the number of its group, from 1; 0 for none.
    by_last: Vec<u8>,
    endings: Vec<Vec<PackedEnding>>,
}

fn groups() -> &'static EndingGroups {
    static GROUPS: std::sync::OnceLock<EndingGroups> = std::sync::OnceLock::new();
    GROUPS.get_or_init(|| {
        let mut groups = EndingGroups { by_last: vec![0; SYLLABLES], endings: Vec::new() };
        for ending in ENDINGS {
            let letters: Vec<char> = ending.chars().collect();
            let last = letters.last().and_then(|last| u32::from(*last).checked_sub(FIRST_SYLLABLE));
            let Some(number) = last.and_then(|last| groups.by_last.get_mut(last as usize)) else { continue };
            if *number == 0 {
                groups.endings.push(Vec::new());
                *number = u8::try_from(groups.endings.len()).unwrap_or(0);
            }
            let mask = u128::MAX >> (128 - 16 * letters.len());
            let packed = PackedEnding { length: letters.len(), letters: pack(&letters), mask };
            if let Some(group) = groups.endings.get_mut(usize::from(*number).wrapping_sub(1)) {
                group.push(packed);
            }
        }
        groups
    })
}

/// Number of bytes of a lower-case Latin word that remain.
pub(super) fn latin(word: &[u8]) -> usize {
    let length = word.len();
    let cut = |ending: &str, least: usize| word.ends_with(ending.as_bytes()) && length - ending.len() >= least;
    if cut("ations", 3) || cut("ation's", 3) {
        length - 3
    } else if cut("ings", 4) {
        length - 4
    } else if cut("ing", 4) || cut("ies", 3) {
        length - 3
    } else if cut("ed", 4) || cut("'s", 2) {
        length - 2
    } else if cut("s", 3) && !word.ends_with(b"ss") && !word.ends_with(b"us") && !word.ends_with(b"is") {
        length - 1
    } else {
        length
    }
}

/// Words without meaning for the work by themselves; they still count in pairs.
const EMPTY: &[&str] = &[
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "before", "but", "by", "can",
    "could", "did", "do", "done", "for", "from", "get", "got", "had", "has", "have", "i", "if", "in", "into", "is",
    "it", "its", "just", "let", "may", "me", "more", "my", "need", "no", "not", "now", "of", "ok", "on", "one", "only",
    "or", "our", "out", "over", "per", "please", "same", "so", "some", "than", "that", "the", "their", "them", "then",
    "there", "they", "this", "to", "too", "two", "up", "us", "was", "we", "were", "will", "with", "would", "you",
    "your",
];

/// Letters of the longest of them.
pub(super) const MAX_EMPTY_LETTERS: usize = 6;

/// Whether it is a function word of the language.
pub(super) fn is_empty(word: &[u8]) -> bool {
    word.len() <= MAX_EMPTY_LETTERS && may_be_empty(packed(word)) && PACKED.binary_search(&packed(word)).is_ok()
}

/// A bit for each packed word's hash: most words are none of them, and a search would be a good part of the time.
static EMPTY_BITS: [u64; 64] = {
    let mut bits = [0; 64];
    let mut at = 0;
    while at < PACKED.len() {
        let bit = empty_bit(PACKED[at]);
        bits[bit / 64] |= 1 << (bit % 64);
        at += 1;
    }
    bits
};

const fn empty_bit(packed: u64) -> usize {
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

fn may_be_empty(packed: u64) -> bool {
    let bit = empty_bit(packed);
    EMPTY_BITS[bit / 64] >> (bit % 64) & 1 == 1
}

/// [`EMPTY`] as numbers in the same order: every Latin word of every message is looked up.
static PACKED: [u64; EMPTY.len()] = {
    let mut all = [0; EMPTY.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = packed(EMPTY[at].as_bytes());
        at += 1;
    }
    all
};

/// The first [`MAX_EMPTY_LETTERS`] letters as one number, the first in the highest bits.
const fn packed(word: &[u8]) -> u64 {
    let mut number = 0;
    let mut at = 0;
    while at < MAX_EMPTY_LETTERS {
        number = number << 8 | if at < word.len() { word[at] as u64 } else { 0 };
        at += 1;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_are_empty() {
        assert_eq!(latin(b"deployments"), "deployment".len());
        assert_eq!(latin(b"class"), "class".len());
        assert_eq!(latin(b"testing"), "test".len());
    }

    #[test]
    fn every_ending_is_packed_and_removed() {
        let groups = groups();
        assert_eq!(groups.endings.iter().map(Vec::len).sum::<usize>(), ENDINGS.len());
        assert!(ENDINGS.iter().all(|ending| ending.chars().count() <= MAX_PACKED));
        for ending in ENDINGS {
            let word: Vec<char> = "배포가".chars().take(2).chain(ending.chars()).collect();
            let longest = ENDINGS.iter().map(|other| other.chars().collect::<Vec<_>>());
            let longest = longest.filter(|other| word.ends_with(other) && other.len() < word.len());
            assert_eq!(korean(&word), word.len() - longest.map(|other| other.len()).max().unwrap_or(0), "{ending}");
        }
    }

    #[test]
    fn empty_words_are_found_at_any_index() {
        assert!(PACKED.is_sorted() && EMPTY.iter().all(|word| word.len() <= MAX_EMPTY_LETTERS));
        assert!(is_empty(b"a") && is_empty(b"your") && is_empty(b"not") && !is_empty(b"deploy"));
    }
}
