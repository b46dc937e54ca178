//! Secrets in texts that are kept (`contract/event-schema-v1_1.md` §C.6): what `transcript::mask` hides, and before it
//! what programs print and people paste: keys in PEM, passwords by their name, credentials in addresses, the tokens of
//! well-known services. It errs towards hiding.

use crate::transcript::mask;

const SECRET: &str = "[redacted-secret]";
/// Parts of names whose values are secret.
const NAMES: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "private_key",
    "credential",
    "authorization",
];
/// Names by themselves, too short to be looked for inside others.
const SHORT_NAMES: [&str; 3] = ["pw", "pwd", "pass"];
/// Longer ones are no names.
const LONGEST_NAME: usize = 64;
/// Beginnings of tokens, and how many characters follow at least.
const TOKENS: [(&str, usize); 18] = [
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
];
/// As long as a word without meaning must be to be taken for a secret.
const RANDOM: usize = 32;

/// The text without its secrets.
pub(super) fn hide(text: &str) -> String {
    let text = keys(text);
    let mut out = String::with_capacity(text.len());
    // Up to `plain` stands a word that is no secret as a whole, so no end of it is one: none is looked at twice.
    let (mut at, mut plain) = (0, 0);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &text[at..];
        let found = out_of_word(&text, at).then(|| {
            named(rest).or_else(|| known(rest)).or_else(|| {
                let word = if at < plain { "" } else { word(rest) };
                plain = plain.max(at + word.len());
                is_random(word).then_some((word.len(), 0))
            })
        });
        let found = found.flatten();
        if let Some((length, kept)) = found.or_else(|| userinfo(&text[at..])) {
            out.push_str(&text[at..at + kept]);
            out.push_str(SECRET);
            at += length;
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
    mask(&out)
}

/// Private keys as files hold them; one without an end reaches to the end of the text.
fn keys(text: &str) -> String {
    const BEGIN: &str = "-----BEGIN ";
    const END: &str = "-----END ";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find(BEGIN) {
        out.push_str(&rest[..begin]);
        out.push_str(SECRET);
        let inside = &rest[begin + BEGIN.len()..];
        rest = inside.find(END).map_or("", |end| {
            let after = &inside[end + END.len()..];
            after.find("-----").map_or("", |close| &after[close + 5..])
        });
    }
    out.push_str(rest);
    out
}

fn out_of_word(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|before| !before.is_ascii_alphanumeric() && before != '_')
}

/// How long what was found is, and how much of its beginning stays.
type Found = Option<(usize, usize)>;

/// `password=…`, `"api_key": "…"`, `--token …`, `Authorization: Basic …`.
fn named(text: &str) -> Found {
    let begin = text.as_bytes().get(..=LONGEST_NAME).unwrap_or(text.as_bytes());
    let ends = |b: &u8| !b.is_ascii_alphanumeric() && !matches!(b, b'_' | b'-');
    let name_len = begin.iter().position(ends).unwrap_or(begin.len());
    if name_len == 0 || name_len > LONGEST_NAME {
        return None;
    }
    let name = text[..name_len].to_ascii_lowercase();
    let option = name.starts_with("--");
    let bare = name.trim_start_matches('-');
    if !NAMES.iter().any(|part| bare.contains(part)) && !SHORT_NAMES.contains(&bare) {
        return None;
    }
    let mut rest = text[name_len..].trim_start_matches(['"', '\'', '\\']);
    let spaced = rest.trim_start_matches([' ', '\t']);
    rest = match spaced.strip_prefix([':', '=']) {
        Some(value) => value.trim_start_matches([' ', '\t', '>', '=']),
        None if option && spaced.len() < rest.len() => spaced,
        None => return None,
    };
    rest = rest.trim_start_matches('\\');
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let value = quote.map_or(rest, |_| &rest[1..]);
    let kept = text.len() - value.len();
    let length = match quote {
        Some(quote) => value.find([quote, '\n']).unwrap_or(value.len()),
        // A header's value goes on behind its scheme.
        None if bare.contains("authorization") => value.find(['\n', '"', '\'']).unwrap_or(value.len()),
        None => value
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '&' | '"' | '\'' | ')' | '}'))
            .unwrap_or(value.len()),
    };
    (length > 0).then_some((kept + length, kept))
}

/// A token of a known service.
fn known(text: &str) -> Found {
    TOKENS.iter().find_map(|(prefix, tail)| {
        let rest = text.strip_prefix(prefix)?;
        let length =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.')).unwrap_or(rest.len());
        (length >= *tail).then_some((prefix.len() + length, 0))
    })
}

/// The letters, digits and marks of numbers in base 64 with which a text begins.
fn word(text: &str) -> &str {
    let length = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '=')).unwrap_or(text.len());
    &text[..length]
}

/// A long word that no language has.
fn is_random(word: &str) -> bool {
    let many = |of: fn(&u8) -> bool| word.bytes().filter(of).count() >= 3;
    word.len() >= RANDOM && many(u8::is_ascii_uppercase) && many(u8::is_ascii_lowercase) && many(u8::is_ascii_digit)
}

/// `://name:word@` of an address.
fn userinfo(text: &str) -> Found {
    let rest = text.strip_prefix("://")?;
    let authority = &rest
        [..rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'')).unwrap_or(rest.len())];
    let who = &authority[..authority.rfind('@')?];
    (!who.is_empty()).then_some((3 + who.len(), 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_secrets_of_many_kinds_are_hidden() {
        for text in [
            "PASSWORD=hunter2canary",
            "db_password: 'hunter2 canary'",
            "{\"apiKey\": \"canary\"}",
            "--token canary",
            "export AWS_SECRET_ACCESS_KEY=canary",
            "Authorization: Basic canary==",
            "authorization: Bearer canarycanary",
            "postgres://app:canary@db.example.com/x",
            "AKIACANARYCANARY1234 canary".trim_end_matches(" canary"),
            "AIzaSyCanarycanarycanary-canary",
            "github_pat_canary_canary",
            "glpat-canarycanary",
            "npm_canarycanarycanary",
            "ghp_canarycanary",
            "sk-ant-canarycanary",
            "xoxb-canary-canary",
            "canary@example.com",
            "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\ncanary",
            "aB3canaryCanaryCanary7890XYZcanary0",
            "\\\"password\\\": \\\"canary\\\"",
            "pw=canary",
            "http://10.0.0.1/canary",
            "eyJcanarycanary.eyJcanarycanary.canary",
        ] {
            let hidden = hide(text);
            assert!(!hidden.to_ascii_lowercase().contains("canary"), "{text} → {hidden}");
            assert_eq!(hide(&hidden), hidden, "{text}");
        }
    }

    #[test]
    fn a_text_of_nothing_but_beginnings_is_looked_at_once() {
        for part in ["\u{1}", "-", "=a", "+", "://", "/home/", "AKIA.", "a.", "@", "token "] {
            let text = part.repeat(70_000 / part.len());
            assert!(!hide(&text).is_empty());
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "결제 모듈의 토큰 만료를 고칩니다",
            "token 만료 처리",
            "5826a19f0c5d7e1a2b3c4d5e6f7a8b9c0d1e2f3a",
            "src/auth/password.rs",
            "https://example.com/a?b=c",
            "passing tests: 12",
            "cargo test --workspace",
        ] {
            assert_eq!(hide(text), text);
        }
    }
}
