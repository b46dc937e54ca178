//! Which addresses may be followed (design §3.12).

/// The address, if it is http, https or mailto and holds no white space or control characters.
pub(super) fn safe(address: &str) -> Option<String> {
    let address = address.trim();
    let (scheme, rest) = address.split_once(':')?;
    let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let allowed = (web && rest.starts_with("//") && rest.len() > 2) || scheme.eq_ignore_ascii_case("mailto");
    let clean = !rest.is_empty() && !address.chars().any(|c| c.is_control() || c.is_whitespace());
    (allowed && clean).then(|| address.to_owned())
}

/// An image is followed only on the web.
pub(super) fn safe_image(address: &str) -> Option<String> {
    safe(address).filter(|address| !address.to_ascii_lowercase().starts_with("mailto:"))
}

/// Length of the bare address at the start of `text`, without the punctuation of the sentence around it.
pub(super) fn bare(text: &str) -> Option<usize> {
    if !(text.starts_with("https://") || text.starts_with("http://")) {
        return None;
    }
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|') || ('\u{ac00}'..='\u{d7a3}').contains(&c)
    };
    let found = text.get(..text.find(ends).unwrap_or(text.len()))?;
    let mut kept = found.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '~', '\'']);
    // A closing bracket belongs to the sentence unless it was opened inside the address.
    while let Some(shorter) = kept.strip_suffix(')').filter(|_| kept.matches(')').count() > kept.matches('(').count()) {
        kept = shorter.trim_end_matches(['.', ',']);
    }
    safe(kept).map(|_| kept.len())
}
