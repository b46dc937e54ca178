//! Test of writing a parsed search query back as text. The text parses to the same query, or it is refused because it
//! has become too long.
//!
//! Proves (search): A parsed query that is written as text and parsed again is the same query, or is refused as too
//! long.

use coordination::search::{MAX_CHARS, parse, to_text};

/// Found by the fuzzer: a lone backslash in quotes is written as two, so that a query of the longest length grows.
#[test]
fn longest_query_may_grow_and_be_refused() {
    let query_of_length = |length: usize| {
        let mut text = format!("\"{}", "\\ab".repeat(MAX_CHARS));
        text.truncate(length - 1);
        text + "\""
    };
    let written = to_text(&parse(&query_of_length(MAX_CHARS)).unwrap());
    assert!(written.chars().count() > MAX_CHARS && parse(&written).is_err());
    let clauses = parse(&query_of_length(MAX_CHARS / 2)).unwrap();
    let reparsed = parse(&to_text(&clauses)).unwrap();
    assert_eq!((clauses.len(), &clauses[0].value), (reparsed.len(), &reparsed[0].value));
}
