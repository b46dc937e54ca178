//! Masking for titles and previews (`contract/sessions.md` §4.4): URLs of private hosts, e-mail addresses, tokens and
//! phone numbers. Dates, the ids of mentions and public URLs are not masked, except tokens and passwords in URLs.

use core::net::Ipv6Addr;

const URL: &str = "[redacted-internal-url]";
const EMAIL: &str = "[redacted-email]";
const TOKEN: &str = "[redacted-token]";
const PHONE: &str = "[redacted-phone]";
/// Beginnings of tokens; `-` or `_` and at least [`TOKEN_TAIL`] characters follow.
const PREFIXES: [&str; 12] = ["sk", "pk", "rk", "ghp", "gho", "ghu", "xoxb", "xoxa", "xoxp", "xoxr", "xoxs", "pat"];
const TOKEN_TAIL: usize = 8;
const BEARER_TAIL: usize = 12;
const PHONE_DIGITS: usize = 9;
/// Addresses of groups and people in a messenger, not of mail.
const NO_MAIL: [&str; 2] = ["g.us", "s.whatsapp.net"];

/// The text with all that is masked replaced.
#[must_use]
pub fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &text[at..];
        let begins = out_is_open(text, at);
        let found = begins
            .then(|| url(rest).or_else(|| bearer(rest)).or_else(|| token(rest)).or_else(|| email(rest)))
            .flatten()
            .or_else(|| mention(rest))
            .or_else(|| phone(text, at));
        match found {
            Some((length, with)) => {
                out.push_str(with.unwrap_or(&rest[..length]));
                at += length;
            }
            None => {
                out.push(c);
                at += c.len_utf8();
            }
        }
    }
    out
}

/// Length of a match, and its replacement; nothing for text that stays.
type MaskSpan = Option<(usize, Option<&'static str>)>;

/// A word may begin here.
fn out_is_open(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|before| !before.is_ascii_alphanumeric() && !is_mail(before))
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !belongs(c)).unwrap_or(text.len())
}

fn url(text: &str) -> MaskSpan {
    let scheme = ["https://", "http://", "wss://", "ws://"]
        .into_iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let belongs = |c: char| !c.is_whitespace() && !matches!(c, '<' | '>' | '"' | '\'' | ')' | ']' | '`');
    if let Some((address, rest)) = text[scheme.len()..].strip_prefix('[').and_then(|inside| inside.split_once(']'))
        && let Ok(address) = address.parse::<Ipv6Addr>()
    {
        let length = text.len() - rest.len() + run(rest, belongs);
        let inside = address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local();
        return Some((length, inside.then_some(URL)));
    }
    let length = run(text, belongs);
    let rest = text.get(scheme.len()..length)?;
    let authority = &rest[..run(rest, |c| !matches!(c, '/' | '?' | '#'))];
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.split(':').next().unwrap_or(host).trim_end_matches('.').to_ascii_lowercase();
    if is_internal(&host) {
        return Some((length, Some(URL)));
    }
    if let Some((user, _)) = authority.rsplit_once('@') {
        // Name and password, before a host of any form; the rest is read on as text.
        return Some((scheme.len() + user.len() + 1, Some(TOKEN)));
    }
    // Nothing in a public URL is a phone number or a mail address, but its query may hold a token.
    let secret = (scheme.len()..length)
        .find(|at| text.is_char_boundary(*at) && out_is_open(text, *at) && token(&text[*at..]).is_some());
    Some((secret.unwrap_or(length), None))
}

fn is_internal(host: &str) -> bool {
    let address: Option<Vec<u8>> = host.split('.').map(|part| part.parse().ok()).collect();
    match address.as_deref() {
        Some([10 | 127, _, _, _] | [192, 168, _, _] | [169, 254, _, _]) => true,
        Some([172, second, _, _]) => (16..32).contains(second),
        _ => host == "localhost" || host.ends_with(".local") || host.ends_with(".internal"),
    }
}

fn bearer(text: &str) -> MaskSpan {
    let rest = text.get(6..).filter(|_| text.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("bearer")))?;
    let blank = run(rest, |c| c == ' ' || c == '\t');
    let secret = run(rest.get(blank..)?, |c| c.is_ascii_alphanumeric() || "._~+/=-".contains(c));
    (blank > 0 && secret >= BEARER_TAIL).then_some((6 + blank + secret, Some(TOKEN)))
}

fn token(text: &str) -> MaskSpan {
    if text.starts_with("eyJ") {
        let length = run(text, |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        let mut parts = text[..length].trim_end_matches('.').split('.');
        let long = |part: Option<&str>| part.is_some_and(|part| part.len() >= TOKEN_TAIL);
        if long(parts.next()) && long(parts.next()) && parts.next().is_some_and(|part| !part.is_empty()) {
            return Some((length, Some(TOKEN)));
        }
    }
    let prefix =
        PREFIXES.iter().find(|prefix| text.strip_prefix(**prefix).is_some_and(|rest| rest.starts_with(['-', '_'])))?;
    let tail = run(&text[prefix.len() + 1..], |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    (tail >= TOKEN_TAIL).then_some((prefix.len() + 1 + tail, Some(TOKEN)))
}

fn is_mail(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-')
}

fn email(text: &str) -> MaskSpan {
    let local = run(text, is_mail);
    let domain = text.get(local..)?.strip_prefix('@').filter(|_| local > 0)?;
    let domain = &domain[..run(domain, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))];
    let domain = domain.trim_end_matches(['.', '-']);
    let top = domain.rsplit_once('.').map(|(_, top)| top)?;
    let named = top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !named {
        return None;
    }
    let masked = !NO_MAIL.iter().any(|not| domain.eq_ignore_ascii_case(not));
    Some((local + 1 + domain.len(), masked.then_some(EMAIL)))
}

/// `<@123…>`, `<#123…>`, `<:name:123…>`, `<t:123…:R>`: an id, whatever its length.
fn mention(text: &str) -> MaskSpan {
    let inner = text.strip_prefix('<').filter(|inner| inner.starts_with(['@', '#', ':', 'a', 't']))?;
    let length = run(inner, |c| c.is_ascii_alphanumeric() || "@#&!:_".contains(c));
    inner.get(length..)?.starts_with('>').then_some((length + 2, None))
}

/// Digits, with what people put between them. A date is not a phone number.
fn phone(text: &str, at: usize) -> MaskSpan {
    let before = text[..at].chars().next_back();
    if before.is_some_and(|before| before.is_ascii_alphanumeric() || before == '+') {
        return None;
    }
    let rest = &text[at..];
    let body = rest.strip_prefix(['+', '(']).unwrap_or(rest);
    if !body.starts_with(|c: char| c.is_ascii_digit() || (c == '(' && rest.starts_with('+'))) {
        return None;
    }
    let length = run(rest, |c| c.is_ascii_digit() || " +().-".contains(c));
    let run = rest[..length].trim_end_matches(|c: char| !c.is_ascii_digit());
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let after = rest[run.len()..].chars().next();
    let glued = after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    // In Korean a particle directly follows a number, as a unit does behind an amount.
    let in_word = before.into_iter().chain(after).any(char::is_alphanumeric);
    if digits < PHONE_DIGITS || glued || (in_word && !is_somebodys(run)) || run.contains("  ") {
        return None;
    }
    Some((run.len(), (!is_date(run)).then_some(PHONE)))
}

/// What no amount looks like: it begins with `0` or `+`, or is a resident's number (`900101-1234567`).
fn is_somebodys(text: &str) -> bool {
    let resident = text.split_once('-').is_some_and(|(day, rest)| {
        (day.len(), rest.len()) == (6, 7) && day.bytes().chain(rest.bytes()).all(|byte| byte.is_ascii_digit())
    });
    resident || text.trim_start_matches('(').starts_with(['0', '+'])
}

/// `2026-02-17`, `2026-02-17 11`: the time of day ends at its colon.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let dash = |at: usize| bytes.get(at).is_some_and(|byte| matches!(byte, b'-' | b'.'));
    (0..4).all(digit) && dash(4) && digit(5) && digit(6) && dash(7) && digit(8) && digit(9) && !digit(10)
}
