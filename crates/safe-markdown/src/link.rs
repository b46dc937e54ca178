//! Link policy: rules for addresses that may be followed, and a check that a link's text matches its target.

use super::host::{Host, host};
use hangul::syllable::is_syllable;
use message_text::hidden;

/// Most words of a link that are searched for an address of another host.
const MAX_CLAIMING_WORDS: usize = 16;
/// Top-level domains that make words an address, without those that also end file names (`.rs`, `.md`, `.py`, `.sh`).
const DOMAINS: &[&str] = &[
    "com",
    "net",
    "org",
    "io",
    "kr",
    "dev",
    "app",
    "ai",
    "co",
    "me",
    "info",
    "biz",
    "edu",
    "gov",
    "jp",
    "cn",
    "uk",
    "de",
    "us",
    "eu",
    "ru",
    "xyz",
    "site",
    "online",
    "cloud",
    "tech",
    "shop",
    "example",
    "test",
    "localhost",
    "internal",
];

/// The address with its host, if it is http, https or mailto, holds no white space or control characters, and a
/// browser goes where this says.
pub(super) fn safe(address: &str) -> Option<(String, Host)> {
    let address = address.trim();
    let (scheme, rest) = address.split_once(':')?;
    let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let allowed = (web && rest.starts_with("//") && rest.len() > 2) || scheme.eq_ignore_ascii_case("mailto");
    let clean = !rest.is_empty() && !address.chars().any(|c| c.is_control() || c.is_whitespace());
    let host = host(address).filter(|_| allowed && clean)?;
    Some((address.to_owned(), host))
}

/// An image is followed only on the web.
pub(super) fn safe_image(address: &str) -> Option<(String, Host)> {
    safe(address).filter(|(address, _)| !is_mail(address))
}

fn is_mail(address: &str) -> bool {
    address.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:"))
}

/// The words are the address of the mail, letter for letter, or that behind `mailto:`.
pub(super) fn shows_address(words: &str, href: &str, host: &Host) -> bool {
    is_mail(href) && (words == host.shown || words == href)
}

/// The words name a host or a mail address, and the link leads to another.
pub(super) fn misleads(words: &str, href: &str, host: &Host) -> bool {
    let words = hidden::strip_hidden(words);
    words
        .split_whitespace()
        .take(MAX_CLAIMING_WORDS)
        .any(|word| claimed(word).is_some_and(|claimed| claimed.differs(href, host)))
}

/// What a word claims to lead to.
enum Claimed<'a> {
    /// A mail address.
    Mail(&'a str),
    /// A host in its ASCII form; nothing when it can be none.
    Web(Option<String>),
}

impl Claimed<'_> {
    fn differs(&self, href: &str, host: &Host) -> bool {
        let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
        match self {
            Self::Mail(address) if is_mail(href) => !address.eq_ignore_ascii_case(&host.ascii),
            Self::Mail(address) => {
                let mail_host = address.rsplit('@').next().unwrap_or_default();
                bare(&mail_host.to_ascii_lowercase()) != bare(&host.ascii)
            }
            Self::Web(_) if is_mail(href) => true,
            Self::Web(claimed) => claimed.as_deref().map(bare).as_deref() != Some(&bare(&host.ascii)),
        }
    }
}

fn claimed(word: &str) -> Option<Claimed<'_>> {
    let word =
        word.trim_matches(|c: char| matches!(c, '(' | ')' | '[' | ']' | '<' | '>' | '"' | '\'' | ',' | ';' | '!'));
    let web = |address: &str| host(address).map(|host| host.ascii);
    if let Some(at) = word.find("://") {
        let scheme = word.get(..at)?;
        return scheme.starts_with("http").then(|| Claimed::Web(web(word)));
    }
    let end = word.find(['/', '\\', '?', '#']).unwrap_or(word.len());
    let place = word.get(..end)?.trim_end_matches(['.', ':']);
    let name = place.rsplit_once(':').map_or(place, |(name, _)| name);
    let last = name.rsplit_once('.')?.1.to_lowercase();
    if !(DOMAINS.contains(&last.as_str()) || name.starts_with("www.")) {
        return None;
    }
    if name.contains('@') { Some(Claimed::Mail(name)) } else { Some(Claimed::Web(web(&format!("https://{place}")))) }
}

/// Length of the bare address at the start of `text`, without the punctuation of the sentence around it.
pub(super) fn bare(text: &str) -> Option<usize> {
    if !(text.starts_with("https://") || text.starts_with("http://")) {
        return None;
    }
    let ends = |c: char| {
        let stop = c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"' | '`' | '|');
        stop || is_syllable(c)
    };
    let found = text.get(..text.find(ends).unwrap_or(text.len()))?;
    let mut trimmed = found.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '~', '\'']);
    // A closing bracket belongs to the sentence unless it was opened inside the address. Counted once: a text may end
    // in any number of them.
    let count = |of: char| trimmed.matches(of).count();
    let mut extra = count(')').saturating_sub(count('('));
    while let Some(shorter) = trimmed.strip_suffix(')').filter(|_| extra > 0) {
        trimmed = shorter.trim_end_matches(['.', ',']);
        extra -= 1;
    }
    (trimmed.len() > "http://".len()).then_some(trimmed.len())
}
