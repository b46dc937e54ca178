//! Encoder and decoder of comma-separated lists in URLs and query parameters. A comma within an item is written `\,`. A
//! backslash is doubled only where the decoder would take it for an escape. The decoder drops empty items.

use std::borrow::Cow;

/// A text as an item of a list.
#[must_use]
pub fn item(text: &str) -> Cow<'_, str> {
    if !text.contains([',', '\\']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // A last backslash would take the comma behind it.
        if c == ',' || (c == '\\' && rest.peek().is_none_or(|next| matches!(next, ',' | '\\'))) {
            out.push('\\');
        }
        out.push(c);
    }
    Cow::Owned(out)
}

/// Texts as one.
#[must_use]
pub fn join<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    texts.into_iter().map(item).collect::<Vec<_>>().join(",")
}

/// The texts of a list that hold something, as they were before [`join`].
pub fn split(list: &str) -> impl Iterator<Item = String> + '_ {
    let mut rest = list.chars().peekable();
    let mut over = false;
    let next = move || {
        let mut text = String::new();
        while !over {
            match rest.next() {
                Some('\\') if rest.peek().is_some_and(|next| matches!(next, ',' | '\\')) => text.extend(rest.next()),
                Some(',') => return Some(text),
                Some(c) => text.push(c),
                None => {
                    over = true;
                    return Some(text);
                }
            }
        }
        None
    };
    std::iter::from_fn(next).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{item, join, split};

    #[test]
    fn commas_split_items_unless_escaped() {
        let parts = |list: &str| split(list).collect::<Vec<_>>();
        assert_eq!(parts("a2a.send,task.blocked"), ["a2a.send", "task.blocked"]);
        assert_eq!(parts(r"a\,b,c"), ["a,b", "c"]);
        assert_eq!(parts(r"c:\temp,d"), [r"c:\temp", "d"], "a backslash of its own is no sign");
        assert_eq!(item(r"c:\temp"), r"c:\temp");
        assert!(parts(",,").is_empty() && parts("").is_empty());
    }

    proptest! {
        #[test]
        fn a_list_comes_back(texts in prop::collection::vec(r"[ab,\\가 ]{1,6}", 0..6)) {
            let list = join(texts.iter().map(String::as_str));
            prop_assert_eq!(split(&list).collect::<Vec<_>>(), texts);
        }
    }
}
