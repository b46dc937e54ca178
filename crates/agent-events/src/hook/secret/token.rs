//! Redaction of tokens by their format: prefixes of well-known services, webhook addresses and hexadecimal keys.

use super::SecretSpan;

/// Beginnings of tokens, and how many characters follow at least.
const TOKENS: [(&str, usize); 37] = [
    ("AKIA", 12),
    ("ASIA", 12),
    ("AIza", 20),
    ("github_pat_", 8),
    ("glpat-", 8),
    ("npm_", 16),
    ("hf_", 16),
    ("ghs_", 8),
    ("ghr_", 8),
    ("dop_v1_", 8),
    ("SG.", 16),
    ("ya29.", 8),
    ("xapp-", 8),
    ("whsec_", 8),
    ("AGE-SECRET-KEY-", 8),
    ("shpat_", 8),
    ("sq0", 16),
    ("pypi-", 16),
    ("xoxe", 8),
    ("hvs.", 16),
    ("hvb.", 16),
    ("tskey-", 8),
    ("dckr_pat_", 8),
    ("lin_api_", 8),
    ("gsk_", 16),
    ("glptt-", 8),
    ("rubygems_", 8),
    ("sntrys_", 8),
    ("figd_", 8),
    ("PMAK-", 8),
    ("sbp_", 16),
    ("glrt-", 8),
    ("glsa_", 16),
    ("xai-", 16),
    ("pplx-", 16),
    ("ntn_", 16),
    ("xoxd-", 8),
];
/// Beginnings that are words as well, and how many hexadecimal digits make them a token: Databricks, Mailgun, Twilio.
const HEX_TOKENS: [(&str, usize); 3] = [("dapi", 32), ("key-", 32), ("SK", 32)];
/// Beginnings that are words as well, and how many letters and digits make them one: Replicate.
const PLAIN_TOKENS: [(&str, usize); 1] = [("r8_", 16)];
/// Addresses whose path is the right to write there.
const HOOKS: [&str; 2] = ["hooks.slack.com/", "api.telegram.org/bot"];
/// The same of Discord, with or without a version of its API.
const DISCORD: [&str; 2] = ["discord.com/api/", "discordapp.com/api/"];
/// Hexadecimal digits of a key of 256 bits.
const KEY_DIGITS: usize = 64;

/// An address that is a right by itself.
pub(super) fn webhook(text: &str) -> Option<SecretSpan> {
    let rest = HOOKS.iter().find_map(|begin| text.strip_prefix(begin)).or_else(|| discord(text))?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | '>');
    let (prefix_bytes, length) = (text.len() - rest.len(), rest.find(ends).unwrap_or(rest.len()));
    (length > 0).then_some(SecretSpan { start: prefix_bytes, end: prefix_bytes + length })
}

fn discord(text: &str) -> Option<&str> {
    let rest = DISCORD.iter().find_map(|begin| text.strip_prefix(begin))?;
    let versioned =
        rest.strip_prefix('v').and_then(|rest| rest.get(..4)?.split_once('/').map(|(digits, _)| (digits, rest)));
    let rest = match versioned {
        Some((digits, rest)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            &rest[digits.len() + 1..]
        }
        _ => rest,
    };
    rest.strip_prefix("webhooks/")
}

/// A bot of a messenger: `123456789:AA…` of Telegram, three parts in base 64 of Discord.
pub(super) fn bot(text: &str) -> Option<SecretSpan> {
    let part = |text: &str, most: usize| text.bytes().take(most).take_while(|byte| is_base64(*byte)).count();
    let digits = text.bytes().take(11).take_while(u8::is_ascii_digit).count();
    if let Some(rest) = text[digits..].strip_prefix(':').filter(|_| (8..=10).contains(&digits)) {
        let tail = part(rest, usize::MAX);
        return (tail >= 30).then_some(SecretSpan { start: 0, end: digits + 1 + tail });
    }
    // The account's number, the time, and the signature.
    let account = part(text, 33);
    let rest = text.get(account..)?.strip_prefix('.').filter(|_| (23..=32).contains(&account))?;
    let time = part(rest, 9);
    let rest = rest.get(time..)?.strip_prefix('.').filter(|_| (5..=8).contains(&time))?;
    let signature = part(rest, usize::MAX);
    (signature >= 25).then_some(SecretSpan { start: 0, end: account + time + signature + 2 })
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// A token of a known service.
pub(super) fn known(text: &str) -> Option<SecretSpan> {
    let token = TOKENS.iter().find_map(|(prefix, tail)| {
        let rest = text.strip_prefix(prefix)?;
        let length =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.')).unwrap_or(rest.len());
        (length >= *tail).then_some(SecretSpan { start: 0, end: prefix.len() + length })
    });
    token
        .or_else(|| prefixed(text, &HEX_TOKENS, |byte| byte.is_ascii_hexdigit()))
        .or_else(|| prefixed(text, &PLAIN_TOKENS, |byte| byte.is_ascii_alphanumeric()))
}

/// A prefix and at least this many characters, all of one kind.
fn prefixed(text: &str, prefixes: &[(&str, usize)], belongs: fn(u8) -> bool) -> Option<SecretSpan> {
    prefixes.iter().find_map(|(prefix, least)| {
        let rest = text.strip_prefix(prefix)?;
        let length = rest.bytes().take_while(|byte| belongs(*byte)).count();
        let whole = !rest[length..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        (length >= *least && whole).then_some(SecretSpan { start: 0, end: prefix.len() + length })
    })
}

/// A word of 64 hexadecimal digits, as keys of 256 bits are printed. One behind `sha256:` is a digest.
pub(super) fn is_key(word: &str, before: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    digits.len() == KEY_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && !(before.ends_with("sha256:") || before.ends_with("sha256-"))
}
