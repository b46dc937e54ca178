//! Single-pass search for all keywords of the classifier in a text. A hundred separate searches per event would take
//! most of the time in which the monitor reads the log at its start.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::KEYWORDS;
use protocol::category::Category;

/// A set of keywords, as bits numbered through the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keywords([u64; 2]);

impl Keywords {
    fn bits(self) -> u128 {
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }

    #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
    fn of_bits(bits: u128) -> Self {
        Self([(bits >> 64) as u64, bits as u64])
    }

    /// Weights for each category, in the order of the categories.
    pub(super) fn scores(self) -> [u32; 10] {
        let found = self.bits();
        let mut scores = [0; 10];
        if found != 0 {
            for own in &index().categories {
                scores[own.category.index()] = (found & own.keywords).count_ones() + (found & own.heavy).count_ones();
            }
        }
        scores
    }

    /// The keywords of one category among these, in the order of the table, with their weight.
    pub(super) fn of_category(self, category: Category) -> Vec<(Cow<'static, str>, f64)> {
        let found = self.bits();
        let Some(own) = index().categories.iter().find(|own| own.category == category) else { return Vec::new() };
        let numbered = (own.first..).zip(own.words);
        numbered
            .filter(|(number, _)| found >> number & 1 == 1)
            .map(|(number, word)| (Cow::Borrowed(*word), if own.heavy >> number & 1 == 1 { 2.0 } else { 1.0 }))
            .collect()
    }
}

/// The keywords of one category as bits.
struct CategoryKeywords {
    category: Category,
    words: &'static [&'static str],
    /// Number of its first keyword.
    first: usize,
    keywords: u128,
    /// Those that count twice.
    heavy: u128,
}

/// Candidates by the first two bytes of a keyword; every keyword has at least two.
struct KeywordIndex {
    /// Group number by two bytes; 0 = no keyword begins so.
    starts: Box<[u8]>,
    /// Keywords of each group with their bit.
    groups: Vec<Vec<(&'static [u8], u128)>>,
    categories: Vec<CategoryKeywords>,
}

fn index() -> &'static KeywordIndex {
    static INDEX: OnceLock<KeywordIndex> = OnceLock::new();
    INDEX.get_or_init(build)
}

/// Which keywords stand in the lower-cased text.
#[must_use]
pub fn keywords(haystack: &str) -> Keywords {
    let index = index();
    let bytes = haystack.as_bytes();
    let mut found = 0;
    for pair in bytes.windows(2).enumerate() {
        let (at, &[first, second]) = pair else { continue };
        let group = index.starts[usize::from(first) << 8 | usize::from(second)];
        if group != 0 {
            let rest = bytes.get(at..).unwrap_or_default();
            for (keyword, bit) in index.groups.get(usize::from(group)).into_iter().flatten() {
                if rest.starts_with(keyword) {
                    found |= bit;
                }
            }
        }
    }
    Keywords::of_bits(found)
}

/// A keyword longer than four UTF-16 units counts twice.
fn is_heavy(keyword: &str) -> bool {
    keyword.encode_utf16().count() > 4
}

fn build() -> KeywordIndex {
    let mut starts = vec![0_u8; 1 << 16].into_boxed_slice();
    let mut groups = vec![Vec::new()];
    for (number, keyword) in KEYWORDS.iter().flat_map(|(_, keywords)| keywords.iter()).enumerate() {
        let bytes = keyword.as_bytes();
        let slot = &mut starts[usize::from(bytes[0]) << 8 | usize::from(bytes[1])];
        if *slot == 0 {
            groups.push(Vec::new());
            *slot = u8::try_from(groups.len() - 1).unwrap_or(0);
        }
        groups[usize::from(*slot)].push((bytes, 1 << number));
    }
    let mut categories = Vec::new();
    let mut first = 0;
    for (category, words) in KEYWORDS {
        let bits = |wanted: fn(&str) -> bool| {
            (first..).zip(words).filter(|(_, word)| wanted(word)).fold(0, |bits, (number, _)| bits | 1 << number)
        };
        categories.push(CategoryKeywords { category, words, first, keywords: bits(|_| true), heavy: bits(is_heavy) });
        first += words.len();
    }
    KeywordIndex { starts, groups, categories }
}
