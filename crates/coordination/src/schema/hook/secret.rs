//! Secrets in texts that are kept (`contract/event-schema-v1_1.md` §C.6): what `transcript::mask` hides, and before it
//! what programs print and people paste: keys in PEM, passwords by their name, credentials in addresses, the tokens of
//! well-known services. It errs towards hiding.

mod address;
mod named;

use self::address::addresses;
use self::named::{korean, named, user};
use crate::transcript::mask;

const SECRET: &str = "[redacted-secret]";
/// Beginnings of tokens, and how many characters follow at least.
const TOKENS: [(&str, usize); 30] = [
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
];
/// Addresses whose path is the right to write there.
const HOOKS: [&str; 4] =
    ["hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "api.telegram.org/bot"];
/// As long as a word without meaning must be to be taken for a secret.
const RANDOM: usize = 32;

/// The text without its secrets.
pub(super) fn hide(text: &str) -> String {
    let text = keys(text);
    let mut out = String::with_capacity(text.len());
    // Up to `plain` stands a word that is no secret as a whole, so no end of it is one: none is looked at twice.
    let (mut at, mut plain, mut plain_run) = (0, 0, 0);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &text[at..];
        let found = out_of_word(&text, at).then(|| {
            let told = named(rest).or_else(|| korean(rest)).or_else(|| user(rest));
            told.or_else(|| known(rest)).or_else(|| webhook(rest)).or_else(|| bot(rest)).or_else(|| {
                let word = if at < plain { "" } else { word(rest) };
                plain = plain.max(at + word.len());
                let run = if at < plain_run { "" } else { run(rest) };
                plain_run = plain_run.max(at + run.len());
                let long = if is_random(word) { word } else { run };
                (is_random(word) || is_jumble(run)).then_some((long.len(), 0))
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
    mask(&addresses(&out))
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

/// An address that is a right by itself.
fn webhook(text: &str) -> Found {
    let rest = HOOKS.iter().find_map(|begin| text.strip_prefix(begin))?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | '>');
    let (kept, length) = (text.len() - rest.len(), rest.find(ends).unwrap_or(rest.len()));
    (length > 0).then_some((kept + length, kept))
}

/// `123456789:AA…`, a messenger's bot.
fn bot(text: &str) -> Found {
    let digits = text.bytes().take(11).take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix(':').filter(|_| (8..=10).contains(&digits))?;
    let tail = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count();
    (tail >= 30).then_some((digits + 1 + tail, 0))
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

/// The same with the marks of every base 64, which are those of paths as well.
fn run(text: &str) -> &str {
    let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '=' | '/' | '-' | '_');
    &text[..text.find(|c: char| !belongs(c)).unwrap_or(text.len())]
}

/// A long word whose letters change between small, large and digits as only chance has them: no path does.
fn is_jumble(word: &str) -> bool {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    };
    let classes: Vec<u8> = word.bytes().filter_map(class).collect();
    let turns = classes.windows(2).filter(|two| two[0] != two[1]).count();
    classes.len() >= RANDOM && turns * 5 >= classes.len() * 2 && (0..3).all(|of| classes.contains(&of))
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
            "DB_PASS=canary",
            "MYSQL_PWD=canary psql",
            "REDIS_AUTH=canary",
            "privateKey: canary",
            "SharedAccessKey=canary=",
            "password:\n  canary",
            "export PASSWORD=\\\ncanary",
            "export PASSWORD=\\ canary",
            "{\"password\":\n \"canary\"}",
            "password: \"abc\\\"canary\"",
            "token:\npassword = canary",
            "**password**: canary",
            "<password>canary</password>",
            "비밀번호: canary",
            "비번 = 'canary'",
            "비밀번호는 canary1입니다",
            "the password is canary1!",
            "Cookie: a=canary; b=canary",
            "curl -u admin:canary https://x.org",
            "https://hooks.slack.com/services/T0/B0/canary",
            "123456789:AAcanarycanarycanary-canary_canary",
            "hvs.canarycanarycanary",
            "x.net/c?sv=1&sig=canary%3D",
            "https://s3.example.com/b?X-Amz-Signature=canary",
            "gB7/canaryK3z+Q9w/T2vR8x-N4mJ6hL1cP5dS0f",
        ] {
            let hidden = hide(text);
            assert!(!hidden.to_ascii_lowercase().contains("canary"), "{text} → {hidden}");
            assert_eq!(hide(&hidden), hidden, "{text}");
        }
    }

    #[test]
    fn a_text_of_nothing_but_beginnings_is_looked_at_once() {
        for part in [
            "\u{1}", "-", "=a", "+", "://", "/home/", "AKIA.", "a.", "@", "token ", "token:", "token:\n", "token>",
            "토큰:", "::", "1.", "-u ",
        ] {
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
            "비밀번호는 8자 이상",
            "the token is expired",
            "auth: 로그인 고침",
            "docker run -u 1000:1000 x",
            "src/components/DashboardV2/UserCard2024Panel",
            "crates/coordination/src/Schema-V1_1/ABC/hook",
        ] {
            assert_eq!(hide(text), text);
        }
    }
}
