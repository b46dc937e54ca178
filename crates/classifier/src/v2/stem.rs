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
    let mut best = word.len();
    for ending in endings_of(word) {
        let stem_len = word.len().saturating_sub(ending.len());
        let least = if ending.len() == 1 { 2 } else { 1 };
        if stem_len >= least && stem_len < best && word.ends_with(ending) {
            best = stem_len;
        }
    }
    best
}

/// The endings with the same last syllable as this word. Comparing all of them would be most of the reading time.
fn endings_of(word: &[char]) -> &'static [Vec<char>] {
    let last = word.last().copied().unwrap_or_default();
    let group = groups().binary_search_by_key(&last, |(c, _)| *c).ok();
    group.map_or(&[], |at| &groups()[at].1[..])
}

type EndingGroup = (char, Vec<Vec<char>>);

fn groups() -> &'static [EndingGroup] {
    static GROUPS: std::sync::OnceLock<Vec<EndingGroup>> = std::sync::OnceLock::new();
    GROUPS.get_or_init(|| {
        let mut groups: Vec<EndingGroup> = Vec::new();
        for ending in ENDINGS {
            let Some(last) = ending.chars().next_back() else { continue };
            match groups.iter_mut().find(|(c, _)| *c == last) {
                Some((_, list)) => list.push(ending.chars().collect()),
                None => groups.push((last, vec![ending.chars().collect()])),
            }
        }
        groups.sort_by_key(|(c, _)| *c);
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
    word.len() <= MAX_EMPTY_LETTERS && PACKED.binary_search(&packed(word)).is_ok()
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
    fn empty_words_are_found_at_any_index() {
        assert!(PACKED.is_sorted() && EMPTY.iter().all(|word| word.len() <= MAX_EMPTY_LETTERS));
        assert!(is_empty(b"a") && is_empty(b"your") && is_empty(b"not") && !is_empty(b"deploy"));
    }
}
