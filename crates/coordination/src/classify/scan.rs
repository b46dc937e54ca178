//! Finds all keywords of a text in one pass. A hundred separate searches an event would be most of a cold start.

use std::sync::OnceLock;

use super::KEYWORDS;

/// Keywords as bits, numbered through the table.
pub(super) type Found = u128;

/// Candidates by the first two bytes of a keyword; every keyword has at least two.
struct Index {
    /// Group number by two bytes; 0 = no keyword begins so.
    starts: Box<[u8]>,
    /// Keywords of each group with their bit.
    groups: Vec<Vec<(&'static [u8], Found)>>,
}

/// Which keywords stand in the lower-cased text.
pub(super) fn keywords(haystack: &str) -> Found {
    static INDEX: OnceLock<Index> = OnceLock::new();
    let index = INDEX.get_or_init(build);
    let bytes = haystack.as_bytes();
    let mut found = 0;
    for at in 0..bytes.len().saturating_sub(1) {
        let group = index.starts[usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1])];
        if group != 0 {
            let rest = bytes.get(at..).unwrap_or_default();
            for (keyword, bit) in index.groups.get(usize::from(group)).into_iter().flatten() {
                if rest.starts_with(keyword) {
                    found |= bit;
                }
            }
        }
    }
    found
}

fn build() -> Index {
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
    Index { starts, groups }
}
